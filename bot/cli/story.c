/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/story.h"

#include "bot/cli/say.h"
#include "bot/stage/mailread.h"
#include "bot/store/messages.h"
#include "bot/store/series.h"

#include <string.h>

#define DOMAINS_SHOWN 4u

void story_line(const char *label, const char *text)
{
	if (text != NULL)
		say("  %-10s %s", label, text);
}

void story_link(const char *label, const char *noun, int64_t row)
{
	if (row != 0)
		say("  %-10s %s:%" G_GINT64_FORMAT, label, noun, row);
}

bool story_links(const char *label, const char *noun, GArray *rows)
{
	g_autoptr(GArray) owned = rows;
	g_autoptr(GString) line = g_string_new(NULL);

	for (guint i = 0; owned != NULL && i < owned->len; i++)
		g_string_append_printf(line, "%s%s:%" G_GINT64_FORMAT, i == 0 ? "" : ", ", noun,
				       g_array_index(owned, int64_t, i));
	if (line->len > 0)
		story_line(label, line->str);
	return owned != NULL;
}

static bool waits_for_list(const char *reason)
{
	return g_strcmp0(reason, WAITS_FOR_LIST) == 0;
}

void story_cure(const char *noun, int64_t row, const char *state, const char *reason)
{
	if (strcmp(state, "declined") == 0 || strcmp(state, "poison") == 0 ||
	    waits_for_list(reason))
		say("  %-10s lorebot retry %s:%" G_GINT64_FORMAT ", when the cause is mended",
		    "cure", noun, row);
}

/*
 * A stage's own event says more than the change of state beside it: "job.failed" repeats what
 * "build.failed" says, "job.built" says nothing.
 */
static bool is_echo(const GPtrArray *events, guint i)
{
	const StoredEvent *event = events->pdata[i];

	if (i + 1 == events->len)
		return false;
	const StoredEvent *next = events->pdata[i + 1];
	return event->at_us / CLOCK_US_PER_S == next->at_us / CLOCK_US_PER_S &&
	       (*event->text == '\0' || strcmp(event->text, next->text) == 0);
}

bool story_events(const Cli *cli, const char *kind, int64_t row, GError **error)
{
	g_autoptr(GPtrArray) events = event_list(cli->db, kind, row, error);

	if (events == NULL)
		return false;
	for (guint i = 0; i < events->len; i++) {
		const StoredEvent *event = events->pdata[i];
		g_autofree char *when = clock_format_iso(event->at_us);
		if (!is_echo(events, i))
			say("  %s %s%s%s", when, event->name, *event->text == '\0' ? "" : ": ",
			    event->text);
	}
	return true;
}

/* ---- seen on no configured list ---- */

static void add_domains(GPtrArray *domains, const GPtrArray *mailboxes)
{
	for (guint i = 0; i < mailboxes->len && domains->len < DOMAINS_SHOWN; i++) {
		const Mailbox *mailbox = mailboxes->pdata[i];
		const char *at = strrchr(mailbox->addr, '@');
		char *domain = (char *)(gsize)(at == NULL ? mailbox->addr : at + 1);
		if (!g_ptr_array_find_with_equal_func(domains, domain, g_str_equal, NULL))
			g_ptr_array_add(domains, domain);
	}
}

static void append_where(GString *text, const Message *message)
{
	g_autoptr(GPtrArray) domains = g_ptr_array_new();

	add_domains(domains, message->to);
	add_domains(domains, message->cc);
	if (message->list_id != NULL)
		g_string_append_printf(text, ", List-Id %s", message->list_id);
	for (guint i = 0; i < domains->len; i++)
		g_string_append_printf(text, "%s%s", i == 0 ? "; To and Cc are at " : ", ",
				       (const char *)domains->pdata[i]);
}

static void append_lists(GString *text, const Config *config)
{
	g_string_append(text, "; configured: ");
	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		g_string_append_printf(text, "%s[list \"%s\"]", i == 0 ? "" : ", ", list->name);
		if (list->list_id != NULL)
			g_string_append_printf(text, " listId %s", list->list_id);
		if (list->address != NULL)
			g_string_append_printf(text, " address %s", list->address);
	}
	if (config->lists->len == 0)
		g_string_append(text, "no list");
}

char *story_reason(const Cli *cli, const char *reason, const char *message_id)
{
	if (!waits_for_list(reason) || message_id == NULL)
		return g_strdup(reason);

	StageContext context = {
		.config = cli->config, .db = cli->db, .clock = cli->clock, .stop_fd = -1};
	g_autoptr(GString) text = g_string_new(reason);
	g_autoptr(StoredMessage) stored = messages_find(cli->db, message_id, NULL);
	g_autoptr(Mail) mail = stored == NULL ? NULL : mailread_row(&context, stored->row, NULL);
	if (mail != NULL)
		append_where(text, mail->message);
	append_lists(text, cli->config);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

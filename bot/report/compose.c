/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/compose.h"

#include "bot/report/clean.h"
#include "bot/report/guard.h"
#include "bot/report/header.h"
#include "bot/report/recipients.h"
#include "bot/report/template.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/base/json.h"
#include "mailparse/msgid.h"

#include <string.h>

#define SUBJECT_MAX_CHARS 400
#define REFERENCES_MAX 40u                /* the root of the thread and its nearest mails */
#define REFERENCES_MAX_BYTES (16u * 1024) /* of them all */
#define ID_MAX_BYTES 995u                 /* " <ID>" alone on a line of 998 bytes */
#define LAST_DATE_US (INT64_C(253370764800) * CLOCK_US_PER_S) /* 1 January 9999 */

static bool fail(GError **error, const char *what)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "the mail cannot be composed: %s", what);
	return false;
}

static const char *text_of(const json_t *facts, const char *object, const char *key)
{
	const json_t *in = object == NULL ? facts : json_object_get(facts, object);

	return json_string_value(json_object_get(in, key));
}

/* ---- headers ---- */

static bool is_reply(const char *subject)
{
	return g_ascii_strncasecmp(subject, "re:", 3) == 0;
}

static char *make_subject(const json_t *facts)
{
	const char *subject = text_of(facts, "answered", "subject");
	g_autofree char *line = clean_line(subject == NULL ? "" : subject);
	g_autofree char *cut = g_utf8_strlen(line, -1) > SUBJECT_MAX_CHARS
				       ? g_utf8_substring(line, 0, SUBJECT_MAX_CHARS)
				       : g_strdup(line);

	return is_reply(cut) ? g_strdup(cut) : g_strchomp(g_strconcat("Re: ", cut, NULL));
}

static bool is_safe_id(const char *id)
{
	return id != NULL && strlen(id) <= ID_MAX_BYTES && msgid_is_canonical(id) &&
	       !msgid_is_synthetic(id);
}

static GPtrArray *make_in_reply_to(const json_t *facts)
{
	GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
	const char *id = text_of(facts, "answered", "message_id");

	if (is_safe_id(id))
		g_ptr_array_add(ids, g_strdup(id));
	return ids;
}

static gsize bytes_of(const GPtrArray *ids)
{
	gsize n = 0;

	for (guint i = 0; i < ids->len; i++)
		n += strlen(g_ptr_array_index(ids, i));
	return n;
}

/* The root and the nearest ones stay: by these two a mail finds its thread. */
static void drop_middle(GPtrArray *ids)
{
	if (ids->len > REFERENCES_MAX)
		g_ptr_array_remove_range(ids, 1, ids->len - REFERENCES_MAX);
	while (ids->len > 2 && bytes_of(ids) > REFERENCES_MAX_BYTES)
		g_ptr_array_remove_index(ids, 1);
}

/* RFC 5322 section 3.6.4: the parent's references, oldest first, then the parent. */
static GPtrArray *make_references(const json_t *facts, const GPtrArray *parent)
{
	GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
	const json_t *answered = json_object_get(facts, "answered");
	const json_t *list = json_object_get(answered, "references");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *id = json_string_value(json_array_get(list, i));
		bool is_parent = parent->len > 0 && g_strcmp0(id, parent->pdata[0]) == 0;
		if (is_safe_id(id) && !is_parent)
			g_ptr_array_add(ids, g_strdup(id));
	}
	if (parent->len > 0)
		g_ptr_array_add(ids, g_strdup(parent->pdata[0]));
	drop_middle(ids);
	return ids;
}

static bool make_date(const json_t *facts, int64_t *out_us, char **out_date, GError **error)
{
	const json_t *date_us = json_object_get(facts, "date_us");

	*out_us = json_integer_value(date_us);
	if (!json_is_integer(date_us) || *out_us < 0 || *out_us >= LAST_DATE_US)
		return fail(error, "\"date_us\" is no date");
	*out_date = clock_format_rfc5322(*out_us);
	return true;
}

/* The parts of a mail as they come together. */
typedef struct {
	Mailbox *bot;
	Recipients *recipients;
	char *message_id;
	char *subject;
	char *date;
	int64_t date_us;
	char *body;
} Draft;

static void draft_clear(Draft *draft)
{
	mailbox_free(draft->bot);
	recipients_free(draft->recipients);
	g_free(draft->message_id);
	g_free(draft->subject);
	g_free(draft->date);
	g_free(draft->body);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Draft, draft_clear)

static bool draft_headers(Draft *draft, const json_t *facts, GError **error)
{
	const char *id = text_of(facts, NULL, "message_id");

	draft->bot = recipients_mailbox(json_object_get(facts, "bot"), error);
	if (draft->bot == NULL)
		return false;
	draft->recipients = recipients_from_facts(facts, draft->bot, error);
	if (draft->recipients == NULL)
		return false;
	if (!is_safe_id(id))
		return fail(error, "\"message_id\" is missing or no Message-ID");
	draft->message_id = g_strdup(id);
	draft->subject = make_subject(facts);
	return make_date(facts, &draft->date_us, &draft->date, error);
}

static void add_one_mailbox(GString *out, const char *name, Mailbox *mailbox)
{
	g_autoptr(GPtrArray) list = g_ptr_array_new();

	g_ptr_array_add(list, mailbox);
	header_add_mailboxes(out, name, list);
}

static void add_thread(GString *out, const json_t *facts, const char *message_id)
{
	g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) parent = make_in_reply_to(facts);
	g_autoptr(GPtrArray) references = make_references(facts, parent);

	g_ptr_array_add(own, g_strdup(message_id));
	header_add_ids(out, "Message-ID", own);
	header_add_ids(out, "In-Reply-To", parent);
	header_add_ids(out, "References", references);
}

static GBytes *assemble(const Draft *draft, const json_t *facts)
{
	GString *out = g_string_new(NULL);

	add_one_mailbox(out, "From", draft->bot);
	header_add_mailboxes(out, "To", draft->recipients->to);
	header_add_mailboxes(out, "Cc", draft->recipients->cc);
	header_add_text(out, "Subject", draft->subject);
	header_add(out, "Date", draft->date);
	add_thread(out, facts, draft->message_id);
	header_add(out, "Auto-Submitted", "auto-replied");
	header_add(out, "MIME-Version", "1.0");
	header_add(out, "Content-Type", "text/plain; charset=utf-8");
	header_add(out, "Content-Transfer-Encoding", g_str_is_ascii(draft->body) ? "7bit" : "8bit");
	header_add(out, "Content-Disposition", "inline");
	g_string_append_c(out, '\n');
	g_string_append(out, draft->body);
	return g_string_free_to_bytes(out);
}

/* ---- body ---- */

static const char *template_of(const json_t *facts, GError **error)
{
	const char *kind = text_of(facts, NULL, "kind");

	if (g_strcmp0(kind, "change") == 0)
		return "report";
	if (g_strcmp0(kind, "retest") == 0)
		return "retest";
	fail(error, "\"kind\" is neither \"change\" nor \"retest\"");
	return NULL;
}

/* The one line of the form "Tested-by: ..." that is meant; see design of tags in templates/. */
static const char *bare_tag(const json_t *facts)
{
	const json_t *tag = json_object_get(facts, "tag");

	return json_is_true(json_object_get(tag, "bare")) ? text_of(tag, NULL, "text") : NULL;
}

static char *render_body(const Template *template, const json_t *facts, GError **error)
{
	g_autofree char *text = template_render(template, facts, error);

	return text == NULL ? NULL : guard_body(text, bare_tag(facts), error);
}

/*
 * Takes whole lines off the end of @table until it is @excess bytes shorter.
 *
 * Returns: how many rows went; 0 when that cannot be
 */
static unsigned cut_rows(GString *table, gsize excess)
{
	gsize keep = table->len > excess ? table->len - excess : 0;
	unsigned n_rows = 0;

	while (table->len > keep) {
		const char *last = strrchr(table->str, '\n');
		if (last == NULL)
			return 0;
		n_rows += last[1] != '\0';
		g_string_truncate(table, (gsize)(last - table->str));
	}
	return n_rows;
}

/* A copy of the facts whose table is shorter, or NULL when the table is not to blame. */
static json_t *with_shorter_table(const json_t *facts, gsize excess)
{
	const char *text = text_of(facts, NULL, "table");
	g_autoptr(GString) table = g_string_new(text);
	unsigned n_rows = cut_rows(table, excess);

	if (n_rows == 0)
		return NULL;
	json_t *copy = json_deep_copy(facts);
	json_object_set_new(copy, "table", json_text(table->str));
	json_object_set_new(copy, "table_left_out", json_integer(n_rows));
	return copy;
}

static bool draft_body(Draft *draft, const json_t *facts, GBytes **out_bytes, GError **error)
{
	const char *name = template_of(facts, error);
	g_autoptr(Template) template = name == NULL ? NULL : template_load(name, error);

	if (template == NULL)
		return false;
	draft->body = render_body(template, facts, error);
	if (draft->body == NULL)
		return false;
	g_autoptr(GBytes) bytes = assemble(draft, facts);
	if (g_bytes_get_size(bytes) <= COMPOSE_MAX_BYTES) {
		*out_bytes = g_steal_pointer(&bytes);
		return true;
	}

	/* The sentence that says how many rows are left out needs room too. */
	gsize excess = g_bytes_get_size(bytes) - COMPOSE_MAX_BYTES + 200;
	autojson *shorter = with_shorter_table(facts, excess);
	if (shorter == NULL)
		return fail(error, "it is over 90 kB without a table that could be cut");
	g_free(draft->body);
	draft->body = render_body(template, shorter, error);
	if (draft->body == NULL)
		return false;
	*out_bytes = assemble(draft, facts);
	return true;
}

/* ---- the mail ---- */

static GPtrArray *envelope_of(const Recipients *recipients)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);

	for (guint i = 0; i < recipients->to->len; i++)
		g_ptr_array_add(all, mailbox_copy(g_ptr_array_index(recipients->to, i)));
	for (guint i = 0; i < recipients->cc->len; i++)
		g_ptr_array_add(all, mailbox_copy(g_ptr_array_index(recipients->cc, i)));
	return all;
}

OutgoingMail *compose_from_json(const json_t *facts, const char *purpose, GError **error)
{
	g_auto(Draft) draft = {0};
	g_autoptr(GBytes) bytes = NULL;

	if (!draft_headers(&draft, facts, error) || !draft_body(&draft, facts, &bytes, error))
		return NULL;

	OutgoingMail *mail = g_new0(OutgoingMail, 1);
	mail->purpose = g_strdup(purpose);
	mail->message_id = g_steal_pointer(&draft.message_id);
	mail->subject = g_steal_pointer(&draft.subject);
	mail->bytes = g_steal_pointer(&bytes);
	mail->envelope_from = g_steal_pointer(&draft.bot);
	mail->recipients = envelope_of(draft.recipients);
	mail->state = OUTGOING_HELD;
	mail->created_us = draft.date_us;
	return mail;
}

OutgoingMail *compose_mail(const ReportFacts *facts, const char *purpose, GError **error)
{
	autojson *json = report_facts_to_json(facts);

	return compose_from_json(json, purpose, error);
}

/* ---- Message-IDs ---- */

/* What may stand on either side of the "@" (RFC 5322 dot-atom, without what needs quotes). */
static char *id_part(const char *text)
{
	char *part = g_ascii_strdown(text, -1);

	return g_strcanon(part, "abcdefghijklmnopqrstuvwxyz0123456789.-_", '-');
}

char *compose_message_id(const char *key, int64_t us, const char *name, const char *domain)
{
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1);
	g_autoptr(GDateTime) when = g_date_time_new_from_unix_utc(us / CLOCK_US_PER_S);
	g_autofree char *stamp =
		when == NULL ? g_strdup("000000000000") : g_date_time_format(when, "%Y%m%d%H%M");
	g_autofree char *safe_name = id_part(name);
	g_autofree char *safe_domain = id_part(domain);

	return g_strdup_printf("%s.%.8s-%s@%s", stamp, sum, safe_name, safe_domain);
}

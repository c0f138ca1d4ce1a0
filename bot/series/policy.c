/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/policy.h"

#include <string.h>

static bool has_address(const GPtrArray *mailboxes, const char *address)
{
	for (guint i = 0; i < mailboxes->len; i++) {
		const Mailbox *mailbox = mailboxes->pdata[i];
		if (g_ascii_strcasecmp(mailbox->addr, address) == 0)
			return true;
	}
	return false;
}

const ListSection *policy_list_of(const Config *config, const Message *message)
{
	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		if (list->list_id != NULL && message->list_id != NULL &&
		    g_ascii_strcasecmp(list->list_id, message->list_id) == 0)
			return list;
	}
	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		if (list->address != NULL && (has_address(message->to, list->address) ||
					      has_address(message->cc, list->address)))
			return list;
	}
	return NULL;
}

bool policy_is_ours(const Config *config, const Message *message)
{
	const char *own = config->bot.address->addr;
	g_autofree char *domain = g_strconcat("-", config->bot.name, "@", config->bot.id_domain, NULL);

	if (message->from != NULL && mailbox_addr_matches(message->from->addr, own))
		return true;
	/* Our ids end in "-NAME@DOMAIN"; people of our domain write mail, too. */
	return g_str_has_suffix(message->message_id, domain);
}

static char *too_old(const PolicyCase *what, int64_t max_age_us)
{
	int64_t age = what->now_us - what->arrived_us;

	if (age <= max_age_us)
		return NULL;
	return g_strdup_printf("it arrived %" G_GINT64_FORMAT " days ago, too old: at most %" G_GINT64_FORMAT
			       " are answered",
			       age / (INT64_C(86400) * 1000000),
			       max_age_us / (INT64_C(86400) * 1000000));
}

/* What holds for everything: who must never get an answer. */
static char *common_no(const PolicyCase *what, int64_t max_age_us)
{
	if (what->observe)
		return g_strdup("its source is only observed");
	if (what->list == NULL)
		return g_strdup("it was seen on no configured list: private mail is not run");
	return too_old(what, max_age_us);
}

char *policy_series(const Config *config, const PolicyCase *what)
{
	char *no = common_no(what, config->bot.max_age_patches_us);

	if (no != NULL)
		return no;
	if (what->superseded)
		return g_strdup("a newer version was posted");
	if (what->list->consent == NULL)
		return g_strdup_printf("list %s has no consent: ask-only", what->list->name);
	if (what->list->unasked == UNASKED_NONE)
		return g_strdup_printf("list %s wants nothing unasked", what->list->name);
	return NULL;
}

char *policy_request(const Config *config, const PolicyCase *what)
{
	return common_no(what, config->bot.max_age_requests_us);
}

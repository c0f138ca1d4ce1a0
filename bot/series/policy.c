/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/policy.h"

#include <string.h>

#define DAY_US (INT64_C(86400) * 1000000)

/* ---- whose mail, which list ---- */

static bool same(const char *a, const char *b)
{
	return a != NULL && b != NULL && g_ascii_strcasecmp(a, b) == 0;
}

/* @text up to the first @end, or all of it, is @name. */
static bool begins_with_name(const char *text, const char *name, char end)
{
	size_t len = strcspn(text, (char[]){end, '\0'});

	return strlen(name) == len && g_ascii_strncasecmp(text, name, len) == 0;
}

/* Nothing but a bare word: [list "lab"] is then the list whose address or id begins with it. */
static bool is_bare(const ListSection *list)
{
	return list->address == NULL && list->list_id == NULL;
}

/* A list without listId usually has its address with a dot for the "@" (RFC 2919 section 2). */
static bool id_is_of(const char *list_id, const ListSection *list)
{
	if (list_id == NULL)
		return false;
	if (is_bare(list))
		return begins_with_name(list_id, list->name, '.');
	if (list->list_id != NULL)
		return same(list->list_id, list_id);
	g_autofree char *id = g_strdelimit(g_strdup(list->address), "@", '.');
	return same(id, list_id);
}

/* To the list itself: lab+subscribe@ and lab-owner@ are no mail of the list. */
static bool is_address_of(const Mailbox *mailbox, const ListSection *list)
{
	if (is_bare(list))
		return begins_with_name(mailbox->addr, list->name, '@');
	if (list->address != NULL)
		return same(mailbox->addr, list->address);
	g_autofree char *id = g_strdelimit(g_strdup(mailbox->addr), "@", '.');
	return same(id, list->list_id);
}

static bool goes_to(const GPtrArray *mailboxes, const ListSection *list)
{
	for (guint i = 0; i < mailboxes->len; i++) {
		if (is_address_of(mailboxes->pdata[i], list))
			return true;
	}
	return false;
}

bool policy_reaches(const ListSection *list, const char *addr)
{
	g_autofree char *plain = mailbox_addr_plain(addr);

	if (is_bare(list))
		return begins_with_name(plain, list->name, '@');
	if (list->address != NULL && mailbox_addr_matches(plain, list->address))
		return true;
	g_strdelimit(plain, "@", '.');
	return list->list_id != NULL && g_ascii_strcasecmp(list->list_id, plain) == 0;
}

bool policy_reaches_any(const ListSection *list, const GPtrArray *recipients)
{
	for (guint i = 0; i < recipients->len; i++) {
		const Mailbox *recipient = recipients->pdata[i];
		if (policy_reaches(list, recipient->addr))
			return true;
	}
	return false;
}

const ListSection *policy_list_of(const Config *config, const Message *message)
{
	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		if (goes_to(message->to, list) || goes_to(message->cc, list))
			return list;
	}
	return NULL;
}

bool policy_carries(const SourceSection *source, const ListSection *list)
{
	return g_strv_contains((const char *const *)source->lists, list->name);
}

const ListSection *policy_list_vouched(const Config *config, const SourceSection *source,
				       const char *list_id)
{
	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		if (policy_carries(source, list) && id_is_of(list_id, list))
			return list;
	}
	return NULL;
}

static bool is_own_address(const Config *config, const Mailbox *mailbox)
{
	return mailbox != NULL && mailbox_addr_matches(mailbox->addr, config->bot.address->addr);
}

bool policy_is_ours(const Config *config, const Message *message)
{
	/* Our ids end in "-NAME@DOMAIN"; people of our domain write mail, too. */
	g_autofree char *own_id =
		g_strconcat("-", config->bot.name, "@", config->bot.id_domain, NULL);

	return is_own_address(config, message->from) || is_own_address(config, message->sender) ||
	       g_str_has_suffix(message->message_id, own_id);
}

/* ---- may we act ---- */

static char *days(int64_t us)
{
	if (us < DAY_US)
		return g_strdup_printf("%.1f hours", (double)us / (double)(DAY_US / 24));
	return g_strdup_printf("%.1f days", (double)us / (double)DAY_US);
}

static char *too_old(const PolicyCase *what, int64_t max_age_us, const char *key)
{
	int64_t age_us = what->now_us - what->arrived_us;

	if (age_us <= max_age_us)
		return NULL;
	g_autofree char *age = days(age_us);
	g_autofree char *most = days(max_age_us);
	return g_strdup_printf("it is %s old, and nothing older than %s is acted upon (%s)", age,
			       most, key);
}

/* What holds for everything: what must never get an answer. */
static char *common_no(const PolicyCase *what, int64_t max_age_us, const char *key)
{
	if (what->list == NULL)
		return g_strdup("the list it came by is not configured any more");
	return too_old(what, max_age_us, key);
}

char *policy_series(const Config *config, const PolicyCase *what)
{
	char *no = common_no(what, config->bot.max_age_patches_us, "bot.maxAgePatches");

	if (no != NULL)
		return no;
	if (what->superseded)
		return g_strdup("a later revision was posted");
	if (what->list->consent == NULL)
		return g_strdup_printf("list %s has no consent: ask-only (list.consent)",
				       what->list->name);
	if (what->list->unasked == UNASKED_NONE)
		return g_strdup_printf("list %s wants nothing unasked (list.unasked)",
				       what->list->name);
	return NULL;
}

char *policy_request(const Config *config, const PolicyCase *what)
{
	char *no = common_no(what, config->bot.max_age_requests_us, "bot.maxAgeRequests");

	if (no != NULL)
		return no;
	if (what->n_of_sender >= config->bot.requests_per_sender)
		return g_strdup_printf("its sender has had %u requests in 24 hours "
				       "(bot.requestsPerSender)",
				       what->n_of_sender);
	if (what->n_of_everybody >= config->bot.requests_per_day)
		return g_strdup_printf("there were %u requests in 24 hours (bot.requestsPerDay)",
				       what->n_of_everybody);
	return NULL;
}

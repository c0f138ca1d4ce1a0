/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/reading.h"

#include "mailparse/ask.h"
#include "mailparse/robot.h"

#include <string.h>

static bool is_own_address(const char *addr, const RequestContext *context)
{
	for (gsize i = 0; context->own && context->own[i]; i++) {
		if (mailbox_addr_matches(addr, context->own[i]))
			return true;
	}
	return false;
}

static bool list_has_us(const GPtrArray *people, const RequestContext *context)
{
	for (guint i = 0; i < people->len; i++) {
		const Mailbox *mailbox = people->pdata[i];
		if (is_own_address(mailbox->addr, context))
			return true;
	}
	return false;
}

bool reading_addresses_us(const Reading *reading)
{
	return reading->context->any || reading->context->parent_is_ours ||
	       list_has_us(reading->message->to, reading->context) ||
	       list_has_us(reading->message->cc, reading->context);
}

/* Why a mail is not even looked at; NULL when it may ask. */
const char *reading_refusal(const Reading *reading)
{
	const Message *message = reading->message;

	if (message->from && is_own_address(message->from->addr, reading->context))
		return "it is our own mail";
	if (robot_is_tracker(message))
		return strstr(reading->body, "--- Comment #") ? NULL : "a bug tracker wrote it";
	if (message_is_automatic(message))
		return "it is an automatic mail";
	if (robot_is_sender(message))
		return "a robot wrote it";
	return NULL;
}

bool reading_has_own_patch(const Reading *reading)
{
	return reading->patch && reading->patch->location != PATCH_LOCATION_QUOTED;
}

static bool answers(const Reading *reading)
{
	return reading->prefix->is_reply || reading->message->in_reply_to->len > 0;
}

/* The patch that the mail answers, when it is one: by the parent if we have it, else by subject. */
bool reading_answers_patch(const Reading *reading)
{
	if (reading->context->parent) {
		g_autoptr(SubjectPrefix) parent = subject_parse(reading->context->parent->subject);
		return parent->is_patch && !parent->is_reply;
	}
	return reading->prefix->is_reply && reading->prefix->is_patch;
}

/*
 * Talk about a patch among people: who asks there for a test mostly asks its author.  A robot's
 * report on a patch carries the same subject, so its parent tells.
 */
bool reading_is_review(const Reading *reading)
{
	const Message *parent = reading->context->parent;

	if (reading->context->parent_is_ours || (parent && robot_is_sender(parent)))
		return false;
	return reading->prefix->is_reply && reading->prefix->is_patch;
}

bool reading_is_cover(const Reading *reading)
{
	return reading->prefix->is_patch && reading->prefix->numbered &&
	       reading->prefix->number == 0;
}

/* A patch posted to everybody is not sent to a tester; one put below an answer to him is. */
bool reading_is_posting(const Reading *reading)
{
	const SubjectPrefix *prefix = reading->prefix;

	if (prefix->is_reply || !prefix->is_patch)
		return false;
	return prefix->numbered || !answers(reading) || !strstr(reading->body, "\n> ");
}

static bool list_names(const GPtrArray *people, const char *wanted)
{
	for (guint i = 0; i < people->len; i++) {
		const Mailbox *mailbox = people->pdata[i];
		g_autofree char *known = g_strconcat(mailbox->name, " ", mailbox->addr, NULL);
		g_autofree char *folded = g_utf8_casefold(known, -1);
		if (strstr(folded, wanted))
			return true;
	}
	return false;
}

/* First names are how people are spoken to; a name that nobody in To bears is somebody else. */
static bool is_spoken_to(const Reading *reading, const char *name)
{
	g_autofree char *wanted = g_utf8_casefold(name, -1);

	return reading->message->to->len == 0 || list_names(reading->message->to, wanted);
}

bool reading_asks_somebody_else(const Reading *reading, const char *sentence)
{
	static const char *const words[] = {
		"and",  "so",  "then",   "hi",  "hello",    "instead", "also",   "thanks",
		"well", "ok",  "hmm",    "now", "if",       "but",     "chance", "folks",
		"guys", "all", "either", "or",  "actually", "maybe"};
	g_autofree char *name = ask_addressee(sentence);

	if (!name || !g_ascii_isupper(name[0]) || ask_names_robot(sentence))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		gsize len = strlen(words[i]);
		if (g_ascii_strncasecmp(name, words[i], len) == 0 && !g_ascii_isalpha(name[len]))
			return false;
	}
	return !is_spoken_to(reading, name);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/reading.h"

#include "mailparse/addressee.h"
#include "mailparse/ask.h"
#include "mailparse/autoreply.h"
#include "mailparse/original.h"
#include "mailparse/pattern.h"
#include "mailparse/robot.h"
#include "mailparse/voice.h"

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

GHashTable *reading_answered_lines(const Reading *reading)
{
	const Message *parent = reading->context->parent;
	const Mailbox *writer = reading->message->from;

	if (!parent ||
	    (parent->from && writer && mailbox_addr_matches(writer->addr, parent->from->addr)))
		return NULL;
	return voice_lines(message_body(parent));
}

static bool posts_patch(const Reading *reading)
{
	const SubjectPrefix *prefix = reading->prefix;

	return prefix->is_patch && !prefix->is_reply &&
	       (prefix->numbered || reading_has_own_patch(reading));
}

/* Why a mail is not even looked at; NULL when it may ask. */
const char *reading_refusal(const Reading *reading)
{
	const Message *message = reading->message;

	if (!message->from)
		return "it has no sender who could be answered";
	if (is_own_address(message->from->addr, reading->context))
		return "it is our own mail";
	if (robot_is_tracker(message))
		return strstr(reading->body, "--- Comment #") ? NULL : "a bug tracker wrote it";
	if (autoreply_is(message, posts_patch(reading)))
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

/* Anything behind quote marks, or another's mail below the writer's. */
static bool quotes(const Reading *reading)
{
	VoiceWalk walk;
	Voice voice;
	Line line;

	voice_walk_init(&walk, reading->body, NULL);
	while (voice_walk_next(&walk, &line, &voice)) {
		if (!voice_is_own(voice))
			return true;
	}
	/* Where the talk ends before the body does, and not at a signature, an original begins. */
	return walk.pos < walk.len && !original_is_signature_mark(&line);
}

static bool keeps_subject_of(const Reading *reading, const Message *parent)
{
	g_autoptr(SubjectPrefix) above = subject_parse(parent->subject);

	return strstr(above->title, reading->prefix->title) != NULL ||
	       strstr(reading->prefix->title, above->title) != NULL;
}

const char *reading_own_subject(const Reading *reading)
{
	const Message *message = reading->message;
	const Message *parent = reading->context->parent;

	if (reading->prefix->is_reply || reading->prefix->is_forward)
		return NULL;
	if (parent)
		return keeps_subject_of(reading, parent) ? NULL : message->subject;
	return message->references->len > 0 || quotes(reading) ? NULL : message->subject;
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

/* "Atb: [PATCH v2 1/3] m: x": an answer, whatever tongue its mark is in. */
static bool names_patch_below_mark(const Reading *reading)
{
	const char *subject = reading->message->subject;

	return !reading->prefix->is_patch && answers(reading) && subject &&
	       pattern_matches("^[^\\[\\]]{1,24}[:\\x{ff1a}] ?\\[(?:[^\\]]* )?PATCH", subject);
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
	return (reading->prefix->is_reply && reading->prefix->is_patch) ||
	       names_patch_below_mark(reading);
}

bool reading_is_cover(const Reading *reading)
{
	return reading->prefix->is_patch && reading->prefix->numbered &&
	       reading->prefix->number == 0;
}

/* What is posted to everybody is not sent to a tester; a patch put below an answer to him is. */
bool reading_is_posting(const Reading *reading)
{
	const SubjectPrefix *prefix = reading->prefix;

	if (prefix->is_pull && !prefix->is_reply)
		return true;
	if (prefix->is_reply || !prefix->is_patch)
		return false;
	return prefix->numbered || !answers(reading) || !strstr(reading->body, "\n> ");
}

/* The words of a name or of the local part of an address. */
static GStrv split_words(const char *text)
{
	g_autofree char *folded = g_utf8_casefold(text, -1);

	return g_strsplit_set(folded, " \t.,_+-/&@()<>\"", -1);
}

static bool share_word(const char *a, const char *b)
{
	g_auto(GStrv) words = split_words(a);
	g_auto(GStrv) others = split_words(b);

	for (gsize i = 0; words[i]; i++) {
		if (words[i][0] != '\0' && g_strv_contains((const char *const *)others, words[i]))
			return true;
	}
	return false;
}

static bool local_part_bears(const char *addr, const char *names)
{
	g_autofree char *local = g_strndup(addr, strcspn(addr, "@"));

	return share_word(local, names);
}

/* Is one of @names that of @mailbox?  First names are how people are spoken to. */
static bool bears(const Mailbox *mailbox, const char *names)
{
	return share_word(mailbox->name, names) || local_part_bears(mailbox->addr, names);
}

static bool is_robot(const Mailbox *mailbox, const Reading *reading)
{
	return is_own_address(mailbox->addr, reading->context) ||
	       (reading->context->any && robot_is_mailbox(mailbox));
}

/* Does one of @people bear one of @names, or just a robot among them when @robots? */
static bool list_bears(const GPtrArray *people, const char *names, const Reading *reading,
		       bool robots)
{
	for (guint i = 0; i < people->len; i++) {
		if ((!robots || is_robot(people->pdata[i], reading)) &&
		    bears(people->pdata[i], names))
			return true;
	}
	return false;
}

static bool list_has_robot(const GPtrArray *people, const Reading *reading)
{
	for (guint i = 0; i < people->len; i++) {
		if (is_robot(people->pdata[i], reading))
			return true;
	}
	return false;
}

static const Mailbox *parent_from(const Reading *reading)
{
	return reading->context->parent ? reading->context->parent->from : NULL;
}

/* A robot is asked by the names of its own, be they those of the person who answers for it. */
static bool names_robot(const Reading *reading, const char *names)
{
	const Mailbox *parent = parent_from(reading);

	if (robot_has_word(names))
		return true;
	for (gsize i = 0; reading->context->own && reading->context->own[i]; i++) {
		if (local_part_bears(reading->context->own[i], names))
			return true;
	}
	if (parent && (reading->context->parent_is_ours || is_robot(parent, reading)) &&
	    bears(parent, names))
		return true;
	return list_bears(reading->message->to, names, reading, true) ||
	       list_bears(reading->message->cc, names, reading, true);
}

/* Do we stand in for a person, since no robot is addressed? */
static bool is_person(const Reading *reading)
{
	const Mailbox *parent = parent_from(reading);

	return reading->context->any && !list_has_robot(reading->message->to, reading) &&
	       !(parent && is_robot(parent, reading));
}

/* Is who is asked by name in a sentence we? */
static bool names_us(const Reading *reading, const char *names)
{
	const GPtrArray *to = reading->message->to;
	const Mailbox *parent = parent_from(reading);

	if (!is_person(reading))
		return names_robot(reading, names);
	return to->len == 0 || robot_has_word(names) || list_bears(to, names, reading, false) ||
	       (parent && bears(parent, names));
}

char *reading_greeted(const Reading *reading, guint index)
{
	const Sentence *sentence = &g_array_index(reading->talk->sentences, Sentence, index);
	const Mailbox *writer = reading->message->from;

	if (sentence->sample)
		return NULL;
	g_autofree char *names = addressee_greeted(sentence->text, index == 0);
	return names && writer && bears(writer, names) ? NULL : g_steal_pointer(&names);
}

bool reading_means_us(const Reading *reading, guint index, const char *greeted)
{
	const char *sentence = g_array_index(reading->talk->sentences, Sentence, index).text;

	if (ask_names_robot(sentence))
		return true;
	g_autofree char *asked = addressee_asked(sentence);
	if (asked)
		return names_us(reading, asked);
	if (is_person(reading))
		return true;
	if (greeted)
		return names_robot(reading, greeted);
	return reading->context->any || reading->context->parent_is_ours ||
	       list_has_us(reading->message->to, reading->context);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/rewritten.h"

#include <string.h>

#define VIA " via "

/* "Ann Author" of "Ann Author via lab" or "'Ann Author' via lab"; NULL when it is another name. */
static char *name_before_via(const char *name)
{
	const char *via = g_strrstr(name, VIA);

	if (via == NULL || via == name)
		return NULL;
	gsize len = (gsize)(via - name);
	bool is_quoted = len > 2 && name[0] == '\'' && name[len - 1] == '\'';
	return is_quoted ? g_strndup(name + 1, len - 2) : g_strndup(name, len);
}

static const Mailbox *find_named(const GPtrArray *people, const char *name, const Mailbox *from)
{
	for (guint i = 0; i < people->len; i++) {
		const Mailbox *person = people->pdata[i];
		if (!mailbox_equal(person, from) && strcmp(person->name, name) == 0)
			return person;
	}
	return NULL;
}

static bool holds(const GPtrArray *people, const Mailbox *who)
{
	for (guint i = 0; i < people->len; i++) {
		if (mailbox_equal(people->pdata[i], who))
			return true;
	}
	return false;
}

/* Of Reply-To, where a list may stand too; NULL when it is not one alone. */
static const Mailbox *find_only(const Message *message)
{
	const Mailbox *found = NULL;

	for (guint i = 0; i < message->reply_to->len; i++) {
		const Mailbox *person = message->reply_to->pdata[i];
		if (mailbox_equal(person, message->from) || holds(message->to, person) ||
		    holds(message->cc, person))
			continue;
		if (found != NULL)
			return NULL;
		found = person;
	}
	/* Another name is another person. */
	return found != NULL && found->name[0] == '\0' ? found : NULL;
}

static const Mailbox *find_writer(const Message *message, const char *name)
{
	const Mailbox *writer = message->original_from;

	if (writer != NULL && !mailbox_equal(writer, message->from))
		return writer;
	if (!(writer = find_named(message->reply_to, name, message->from)) &&
	    !(writer = find_named(message->cc, name, message->from)))
		writer = find_only(message);
	return writer;
}

Mailbox *rewritten_author(const Message *message)
{
	g_return_val_if_fail(message != NULL, NULL);

	g_autofree char *name = message->from ? name_before_via(message->from->name) : NULL;
	const Mailbox *writer = name ? find_writer(message, name) : NULL;
	if (writer == NULL)
		return NULL;

	Mailbox *author = mailbox_copy(writer);
	if (author->name[0] == '\0') {
		g_free(author->name);
		author->name = g_steal_pointer(&name);
	}
	return author;
}

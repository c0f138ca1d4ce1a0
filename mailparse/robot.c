/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/robot.h"

#include <string.h>

/* "bot", "bot2", "syzbot", "kernelci", ...: @word is one that only robots are called by. */
static bool is_robot_word(const char *word)
{
	static const char *const words[] = {"robot",   "bot",    "syzbot",    "lkp",
					    "lkft",    "0day",   "kernelci",  "buildbot",
					    "jenkins", "mailer", "patchwork", "lorebot"};
	gsize len = strlen(word);

	while (len > 0 && g_ascii_isdigit(word[len - 1]) && !g_ascii_isdigit(word[0]))
		len--;
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		if (strlen(words[i]) == len && g_ascii_strncasecmp(word, words[i], len) == 0)
			return true;
	}
	return false;
}

bool robot_has_word(const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text, " \t-_.+@<>()[]/,\"'", -1);

	for (gsize i = 0; words[i]; i++) {
		if (is_robot_word(words[i]))
			return true;
	}
	return false;
}

static char *local_part(const Mailbox *mailbox)
{
	return g_ascii_strdown(mailbox->addr, (gssize)strcspn(mailbox->addr, "@+"));
}

bool robot_is_mailbox(const Mailbox *mailbox)
{
	g_autofree char *local = local_part(mailbox);

	return robot_has_word(mailbox->name) || robot_has_word(local);
}

bool robot_is_tracker(const Message *message)
{
	if (!message->from)
		return false;
	g_autofree char *local = local_part(message->from);
	return strstr(local, "bugzilla") != NULL || strstr(local, "bugs-") != NULL;
}

bool robot_is_sender(const Message *message)
{
	return message->from && !robot_is_tracker(message) && robot_is_mailbox(message->from);
}

bool robot_is_notice(const Message *message)
{
	if (!message->from)
		return false;
	g_autofree char *local = local_part(message->from);
	return g_str_has_prefix(local, "patchwork-bot") || g_str_has_prefix(local, "pr-tracker") ||
	       (g_str_has_prefix(message->subject, "patch \"") &&
		strstr(message->subject, "\" added to "));
}

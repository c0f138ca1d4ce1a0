/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_window.h"

#include <string.h>

#define COMMANDS_MOST 5u

struct ImapWindow {
	uint32_t first;
	uint32_t last;
	GThread *thread; /* NULL: it has been waited for, or there is none to be had */
	bool is_done;
	/* The thread's until then. */
	ImapCommand commands[COMMANDS_MOST];
	size_t n_commands;
	ImapRoom room;
	GArray *mails;
	GError *failed; /* NULL: it went well */
};

uint32_t imap_window_first(const ImapWindow *window)
{
	return window->first;
}

uint32_t imap_window_last(const ImapWindow *window)
{
	return window->last;
}

static void add_command(ImapWindow *window, uint32_t first, uint32_t last)
{
	window->commands[window->n_commands++] = (ImapCommand){
		.text = g_strdup_printf(
			"UID FETCH %u:%u (UID RFC822.SIZE INTERNALDATE BODY.PEEK[])", first, last),
	};
}

static bool take_mail(const ImapResponse *response, const ImapHead *head, void *payload,
		      GError **error)
{
	ImapWindow *window = payload;
	g_auto(ImapFetch) fetch = {0};

	if (strcmp(head->keyword, "FETCH") != 0)
		return true;
	if (!imap_fetch_parse(response, head, &fetch, error))
		return false;
	ImapMail *mail;
	if (!imap_mails_add(window->mails, window->first, window->last, &fetch, &mail, error))
		return false;
	if (mail && fetch.has_body && fetch.body_size > 0)
		imap_mail_take(mail, &fetch, &window->room);
	return true;
}

static gpointer work(gpointer data)
{
	ImapWindow *window = data;

	imap_room_set(&window->room, window->room.bytes);
	window->is_done = true;
	if (imap_session_run(window->room.session, window->commands, window->n_commands, take_mail,
			     window, &window->failed))
		imap_mails_sort(window->mails);
	return NULL;
}

/* Several commands, so that the server has another one to work at when it has ended one. */
ImapWindow *imap_window_ask(ImapSession *session, uint32_t first, uint32_t last, size_t max_bytes)
{
	ImapWindow *window = g_new0(ImapWindow, 1);
	uint64_t step = ((uint64_t)last - first) / COMMANDS_MOST + 1;

	*window = (ImapWindow){.first = first,
			       .last = last,
			       .room = {.session = session, .bytes = max_bytes},
			       .mails = imap_mails_new()};
	for (uint64_t at = first; at <= last; at += step)
		add_command(window, (uint32_t)at, (uint32_t)MIN(at + step - 1, last));
	/* Without one it is done when it is read. */
	window->thread = g_thread_try_new("imap", work, window, NULL);
	return window;
}

static void join(ImapWindow *window)
{
	if (window->thread)
		g_thread_join(g_steal_pointer(&window->thread));
}

void imap_window_free(ImapWindow *window)
{
	if (!window)
		return;
	if (window->thread) {
		imap_session_cut(window->room.session);
		join(window);
	}
	for (size_t i = 0; i < window->n_commands; i++)
		imap_command_clear(&window->commands[i]);
	g_array_unref(window->mails);
	g_clear_error(&window->failed);
	g_free(window);
}

GArray *imap_window_read(ImapWindow *window, bool *out_whole, GError **error)
{
	join(window);
	if (!window->is_done)
		(void)work(window);
	if (window->failed) {
		g_propagate_error(error, g_steal_pointer(&window->failed));
		return NULL;
	}
	*out_whole = true;
	for (size_t i = 0; i < window->n_commands; i++)
		*out_whole = *out_whole && window->commands[i].status == IMAP_STATUS_OK;
	return g_array_ref(window->mails);
}

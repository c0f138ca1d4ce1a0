/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_window.h"

#include "bot/base/error.h"
#include "mailparse/limits.h"

#include <string.h>

#define COMMANDS_MOST 5u

struct ImapWindow {
	ImapSession *session;
	uint32_t first;
	uint32_t last;
	GThread *thread; /* NULL: it has been waited for, or there is none to be had */
	bool is_done;
	/* The thread's until then. */
	ImapCommand commands[COMMANDS_MOST];
	size_t n_commands;
	size_t room;
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

static void set_room(ImapWindow *window, size_t room)
{
	window->room = room;
	imap_session_set_max_kept(window->session, MIN(room, MAIL_MAX_BYTES));
}

static ImapMail mail_of(const ImapFetch *fetch)
{
	return (ImapMail){.uid = fetch->uid,
			  .seq = fetch->seq,
			  .size_bytes = fetch->size,
			  .arrived_us = fetch->date_us};
}

static void take_bytes(ImapWindow *window, ImapMail *mail, const ImapFetch *fetch)
{
	if (!fetch->has_body || fetch->body_size == 0)
		return;
	if (fetch->body_size > MAIL_MAX_BYTES) {
		imap_mail_refuse_size(mail, (int64_t)fetch->body_size);
	} else if (fetch->body && fetch->body_size <= window->room) {
		mail->state = IMAP_MAIL_TAKEN;
		mail->bytes = g_bytes_ref(fetch->body);
		mail->size_bytes = (int64_t)fetch->body_size;
		set_room(window, window->room - (size_t)fetch->body_size);
	} else {
		mail->state = IMAP_MAIL_DEFERRED;
	}
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
	/* News of changed flags also come as FETCH; "n:*" gives the last mail even below n. */
	if ((!fetch.has_size && !fetch.has_date) || fetch.uid < window->first ||
	    fetch.uid > window->last)
		return true;
	if (!fetch.has_size || !fetch.has_date ||
	    window->mails->len > window->last - window->first) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
			    "the server lists UID %u without size or date, or twice", fetch.uid);
		return false;
	}
	ImapMail mail = mail_of(&fetch);
	take_bytes(window, &mail, &fetch);
	g_array_append_val(window->mails, mail);
	return true;
}

static gpointer work(gpointer data)
{
	ImapWindow *window = data;

	set_room(window, window->room);
	window->is_done = true;
	if (imap_session_run(window->session, window->commands, window->n_commands, take_mail,
			     window, &window->failed))
		imap_mails_sort(window->mails);
	return NULL;
}

/* Several commands, so that the server has another one to work at when it has ended one. */
ImapWindow *imap_window_ask(ImapSession *session, uint32_t first, uint32_t last, size_t max_bytes)
{
	ImapWindow *window = g_new0(ImapWindow, 1);
	uint64_t step = ((uint64_t)last - first) / COMMANDS_MOST + 1;

	*window = (ImapWindow){.session = session,
			       .first = first,
			       .last = last,
			       .room = max_bytes,
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
		imap_session_cut(window->session);
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

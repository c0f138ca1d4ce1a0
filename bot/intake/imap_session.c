/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_session.h"

#include "bot/base/error.h"
#include "config/suggest.h"

#include <poll.h>
#include <string.h>

#define IMAP_IN_FLIGHT 4u
/* Of one run; only a server that talks without end says more. */
#define MAX_RESPONSES (1u << 20)
#define MAX_BYTES ((uint64_t)16 * 1024 * 1024 * 1024)
#define READ_SIZE ((size_t)64 * 1024)
/* Of mailboxes, to choose from when one does not exist; so many are said when none is like it. */
#define NAMES_MOST 1000u
#define NAME_MAX_BYTES 100u
#define NAMES_SHOWN 10u

const ImapTimes imap_times_default = {
	.silence_ms = 60 * 1000,
	.run_ms = 30 * 60 * 1000,
	.idle_ms = 25 * 60 * 1000,
	.poll_ms = 30 * 1000,
};

struct ImapSession {
	Link *link;
	ImapReader *reader;
	char *mailbox;
	const ImapTimes *times;
	int stop_fd;
	char tag_prefix[16];
	unsigned n_tags;
	ImapMailbox state; /* as the server said last; the code fields only during EXAMINE */
	bool can_idle;
	bool idling;
	int64_t idle_since_us;
	bool has_news;
	bool told;            /* the news are an EXISTS, not just time for a look */
	int64_t run_since_us; /* 0: nothing is asked of the server, it may say what it likes */
	uint64_t run_bytes;   /* heard since then                                            */
	size_t read_at;       /* the bytes read and not yet fed to the reader */
	size_t read_end;
	char buffer[READ_SIZE];
};

void imap_command_clear(ImapCommand *command)
{
	g_free(command->text);
	g_free(command->code);
	g_free(command->words);
	memset(command, 0, sizeof *command);
}

static bool is_stopped(const ImapSession *session)
{
	struct pollfd fd = {.fd = session->stop_fd, .events = POLLIN};
	return session->stop_fd >= 0 && poll(&fd, 1, 0) > 0;
}

static void begin_run(ImapSession *session)
{
	session->run_since_us = g_get_monotonic_time();
	session->run_bytes = 0;
}

static void end_run(ImapSession *session)
{
	session->run_since_us = 0;
}

static bool fail_stopped(GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
		    "stopped while waiting for the server's answer");
	return false;
}

static bool fail_silent(const ImapSession *session, GError **error)
{
	if (is_stopped(session))
		return fail_stopped(error);
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
		    "the server was silent for %d s in the middle of a command",
		    session->times->silence_ms / 1000);
	return false;
}

static bool fail_endless(GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "the server talks without end");
	return false;
}

/* Neither a trickle nor a flood may hold us for ever, or keep us from stopping. */
static bool check_pace(const ImapSession *session, GError **error)
{
	int64_t lasted_ms = (g_get_monotonic_time() - session->run_since_us) / 1000;
	uint64_t kib = session->run_bytes / 1024;

	if (is_stopped(session))
		return fail_stopped(error);
	if (session->run_bytes > MAX_BYTES)
		return fail_endless(error);
	if (lasted_ms <= session->times->run_ms + (int64_t)kib * 1000)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
		    "the server trickles: %" G_GUINT64_FORMAT " KiB of answers in %" G_GINT64_FORMAT
		    " s",
		    kib, lasted_ms / 1000);
	return false;
}

/*
 * One whole response, or NULL when the time is up or stop_fd spoke.  The time is that of a silence
 * during a run, where check_pace() has the last word, else that of the whole wait.
 */
static bool read_response(ImapSession *session, int timeout_ms, ImapResponse **out_response,
			  GError **error)
{
	int64_t end_us = g_get_monotonic_time() + (int64_t)timeout_ms * 1000;

	*out_response = NULL;
	for (;;) {
		size_t used = 0;
		size_t len = session->read_end - session->read_at;
		if (!imap_reader_feed(session->reader, session->buffer + session->read_at, len,
				      &used, out_response, error))
			return false;
		session->read_at += used;
		if (*out_response)
			return true;
		session->read_at = 0;
		if (!link_read(session->link, session->buffer, sizeof session->buffer, timeout_ms,
			       session->stop_fd, &session->read_end, error))
			return false;
		if (session->read_end == 0)
			return true;
		session->run_bytes += session->read_end;
		if (session->run_since_us > 0 && !check_pace(session, error))
			return false;
		if (session->run_since_us == 0) {
			int64_t left_us = end_us - g_get_monotonic_time();
			if (left_us <= 0 || is_stopped(session))
				return true;
			timeout_ms = (int)((left_us + 999) / 1000);
		}
	}
}

/* What the server may say at any time. */
static bool note_unasked(ImapSession *session, const ImapResponse *response, const ImapHead *head,
			 GError **error)
{
	if (head->status == IMAP_STATUS_BYE) {
		g_autofree char *words = imap_response_words(response, head);
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "the server said good-bye: %s",
			    words);
		return false;
	}
	if (head->status == IMAP_STATUS_OK) {
		imap_head_code_number(head, "UIDVALIDITY", &session->state.uid_validity);
		imap_head_code_number(head, "UIDNEXT", &session->state.uid_next);
	} else if (strcmp(head->keyword, "EXISTS") == 0) {
		/* Even an unchanged number is news: one mail may have gone as another came. */
		session->state.exists = head->number;
		session->has_news = session->told = true;
	} else if (strcmp(head->keyword, "EXPUNGE") == 0 && session->state.exists > 0) {
		session->state.exists--;
	} else if (strcmp(head->keyword, "CAPABILITY") == 0) {
		session->can_idle = imap_response_has_word(response, head, "IDLE");
	}
	return true;
}

/* The next response that is meant for somebody: a tag of ours, "+", or data for the handler. */
static bool next_response(ImapSession *session, int timeout_ms, ImapResponse **out_response,
			  ImapHead *out_head, GError **error)
{
	if (!read_response(session, timeout_ms, out_response, error))
		return false;
	if (!*out_response)
		return true;
	if (imap_head_parse(*out_response, out_head, error) &&
	    (strcmp(out_head->tag, "*") != 0 ||
	     note_unasked(session, *out_response, out_head, error)))
		return true;
	g_clear_pointer(out_response, imap_response_free);
	return false;
}

static bool send_command(ImapSession *session, const char *text, GError **error)
{
	g_autofree char *line =
		g_strdup_printf("%s%u %s\r\n", session->tag_prefix, session->n_tags, text);

	if (!link_write(session->link, line, strlen(line), session->times->silence_ms, error))
		return false;
	session->n_tags++;
	return true;
}

/* The number behind our prefix, when @tag is of this session. */
static bool tag_number(const ImapSession *session, const char *tag, unsigned *out_number)
{
	size_t len = strlen(session->tag_prefix);
	guint64 number;

	if (strncmp(tag, session->tag_prefix, len) != 0 ||
	    !g_ascii_string_to_unsigned(tag + len, 10, 0, G_MAXUINT, &number, NULL))
		return false;
	*out_number = (unsigned)number;
	return true;
}

static bool end_command(ImapSession *session, ImapCommand *commands, unsigned first_tag,
			size_t n_sent, const ImapResponse *response, const ImapHead *head,
			GError **error)
{
	unsigned number = 0;
	ImapCommand *command = NULL;

	if (tag_number(session, head->tag, &number) && number >= first_tag &&
	    number - first_tag < n_sent)
		command = &commands[number - first_tag];
	if (!command || command->status != IMAP_STATUS_NONE ||
	    (head->status != IMAP_STATUS_OK && head->status != IMAP_STATUS_NO &&
	     head->status != IMAP_STATUS_BAD)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
			    "not IMAP: an answer to a command that was not given");
		return false;
	}
	command->status = head->status;
	command->code = g_strdup(head->code);
	command->words = imap_response_words(response, head);
	return true;
}

static bool end_idle(ImapSession *session, GError **error);

bool imap_session_run(ImapSession *session, ImapCommand *commands, size_t n_commands,
		      ImapHandler handler, void *payload, GError **error)
{
	size_t n_sent = 0;
	size_t n_ended = 0;

	if (session->idling && !end_idle(session, error))
		return false;
	unsigned first_tag = session->n_tags;
	begin_run(session);
	for (unsigned n = 0; n_ended < n_commands; n++) {
		for (; n_sent < n_commands && n_sent - n_ended < IMAP_IN_FLIGHT; n_sent++) {
			if (!send_command(session, commands[n_sent].text, error))
				return false;
		}
		g_autoptr(ImapResponse) response = NULL;
		ImapHead head;
		if (!next_response(session, session->times->silence_ms, &response, &head, error))
			return false;
		if (!response)
			return fail_silent(session, error);
		if (n == MAX_RESPONSES)
			return fail_endless(error);
		if (strcmp(head.tag, "*") != 0) {
			if (!end_command(session, commands, first_tag, n_sent, response, &head,
					 error))
				return false;
			n_ended++;
		} else if (handler && !handler(response, &head, payload, error)) {
			return false;
		}
	}
	end_run(session);
	return true;
}

bool imap_session_run_one(ImapSession *session, const char *text, ImapHandler handler,
			  void *payload, GError **error)
{
	g_auto(ImapCommand) command = {.text = g_strdup(text)};

	if (!imap_session_run(session, &command, 1, handler, payload, error))
		return false;
	if (command.status == IMAP_STATUS_OK)
		return true;
	g_set_error(error, BOT_ERROR,
		    command.status == IMAP_STATUS_NO ? BOT_ERROR_TRANSIENT : BOT_ERROR_PEER,
		    "the server refused %.40s: %s", text, command.words);
	return false;
}

static bool take_name(const ImapResponse *response, const ImapHead *head, void *payload,
		      GError **error)
{
	GPtrArray *names = payload;
	char *name = strcmp(head->keyword, "LIST") == 0 ? imap_list_parse(response, head) : NULL;

	(void)error;
	if (name && names->len < NAMES_MOST && strlen(name) <= NAME_MAX_BYTES)
		g_ptr_array_add(names, name);
	else
		g_free(name);
	return true;
}

/* ", did you mean lists/lab?", or what there is; "" when the server does not tell. */
static char *name_others(ImapSession *session)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) ignored = NULL;

	imap_session_set_max_kept(session, NAME_MAX_BYTES);
	if (!imap_session_run_one(session, "LIST \"\" \"*\"", take_name, names, &ignored) ||
	    names->len == 0)
		return g_strdup("");
	guint n_more = names->len - MIN(names->len, NAMES_SHOWN);
	g_ptr_array_add(names, NULL);
	g_autofree char *wanted = g_strndup(session->mailbox + 1, strlen(session->mailbox) - 2);
	const char *near = suggest(wanted, (const char *const *)names->pdata);
	if (near)
		return g_strdup_printf("; did you mean %s?", near);
	g_ptr_array_set_size(names, (gint)(names->len - n_more));
	names->pdata[names->len - 1] = NULL;
	g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
	return n_more == 0 ? g_strdup_printf("; there are: %s", all)
			   : g_strdup_printf("; there are: %s and %u more", all, n_more);
}

static bool fail_examine(ImapSession *session, const ImapCommand *command, GError **error)
{
	bool no_such = g_ascii_strcasecmp(command->code, "NONEXISTENT") == 0 ||
		       g_ascii_strcasecmp(command->code, "TRYCREATE") == 0 ||
		       (command->status == IMAP_STATUS_NO && !command->code[0]);
	g_autofree char *others = no_such ? name_others(session) : g_strdup("");

	/* Dovecot says how long it took, "(0.001 + 0.000 secs)." */
	const char *timing = g_str_has_suffix(command->words, " secs).")
				     ? g_strrstr(command->words, " (")
				     : NULL;
	int len = timing == NULL ? (int)strlen(command->words) : (int)(timing - command->words);

	g_set_error(error, BOT_ERROR, no_such ? BOT_ERROR_CONFIG : BOT_ERROR_TRANSIENT,
		    "the mailbox %s cannot be opened: %.*s%s", session->mailbox, len,
		    command->words, others);
	return false;
}

bool imap_session_examine(ImapSession *session, ImapMailbox *out_mailbox, GError **error)
{
	g_auto(ImapCommand) command = {.text = g_strdup_printf("EXAMINE %s", session->mailbox)};

	session->state = (ImapMailbox){0};
	if (!imap_session_run(session, &command, 1, NULL, NULL, error))
		return false;
	if (command.status != IMAP_STATUS_OK)
		return fail_examine(session, &command, error);
	if (session->state.uid_validity == 0 || session->state.uid_next == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
			    "the server tells no UIDVALIDITY or UIDNEXT of %s, so new mail "
			    "cannot be told from old (of a public-inbox server: name NEWSGROUP.*)",
			    session->mailbox);
		return false;
	}
	session->has_news = session->told = false;
	*out_mailbox = session->state;
	return true;
}

/* By LOGIN, because public-inbox-imapd takes that and libcurl knows no AUTH=ANONYMOUS. */
static bool login_anonymous(ImapSession *session, GError **error)
{
	g_auto(ImapCommand) command = {.text = g_strdup("LOGIN anonymous anonymous")};

	if (!imap_session_run(session, &command, 1, NULL, NULL, error))
		return false;
	if (command.status == IMAP_STATUS_OK)
		return true;
	g_set_error(
		error, BOT_ERROR, BOT_ERROR_PERMANENT,
		"the anonymous login was refused: %s; set user and passwordFile, or ask whoever "
		"runs the server",
		command.words);
	return false;
}

ImapSession *imap_session_open(const LinkOptions *options, const char *mailbox, int stop_fd,
			       const ImapTimes *times, GError **error)
{
	g_autoptr(ImapSession) session = g_new0(ImapSession, 1);

	session->reader = imap_reader_new(0);
	session->mailbox = g_strdup(mailbox);
	session->times = times;
	session->stop_fd = stop_fd;
	session->has_news = true;
	/* A prefix nobody can guess, so that no text the server passes on can look like an end. */
	g_snprintf(session->tag_prefix, sizeof session->tag_prefix, "L%08xN",
		   (unsigned)g_random_int());
	session->link = link_open(options, error);
	if (!session->link ||
	    (g_strcmp0(options->mechanism, "ANONYMOUS") == 0 && !login_anonymous(session, error)))
		return NULL;
	/* libcurl keeps what the server said before and at the login to itself: ask again. */
	if (!imap_session_run_one(session, "CAPABILITY", NULL, NULL, error))
		return NULL;
	return g_steal_pointer(&session);
}

void imap_session_free(ImapSession *session)
{
	if (!session)
		return;
	if (session->link) {
		g_autoptr(GError) ignored = NULL;
		bool done =
			!session->idling || link_write(session->link, "DONE\r\n", 6, 0, &ignored);
		if (!done || !send_command(session, "LOGOUT", &ignored))
			g_clear_error(&ignored);
		link_close(session->link);
	}
	imap_reader_free(session->reader);
	g_free(session->mailbox);
	g_free(session);
}

void imap_session_cut(ImapSession *session)
{
	link_cut(session->link);
}

void imap_session_set_mailbox(ImapSession *session, const char *mailbox)
{
	g_free(session->mailbox);
	session->mailbox = g_strdup(mailbox);
	session->has_news = true;
	session->told = false;
}

void imap_session_set_max_kept(ImapSession *session, size_t max_kept)
{
	imap_reader_set_max_kept(session->reader, max_kept);
}

bool imap_session_has_news(const ImapSession *session)
{
	return session->has_news;
}

bool imap_session_take_exists(ImapSession *session, ImapMailbox *io_mailbox)
{
	const ImapMailbox *state = &session->state;

	if (!session->told || state->exists == 0 || state->uid_validity == 0 ||
	    state->uid_validity != io_mailbox->uid_validity)
		return false;
	session->has_news = session->told = false;
	io_mailbox->exists = state->exists;
	return true;
}

/* Reads to the "+" that grants IDLE (@out_granted) or the tagged end that IDLE comes to. */
static bool read_idle_answer(ImapSession *session, bool *out_granted, GError **error)
{
	begin_run(session);
	for (;;) {
		g_autoptr(ImapResponse) response = NULL;
		ImapHead head;
		if (!next_response(session, session->times->silence_ms, &response, &head, error))
			return false;
		if (!response)
			return fail_silent(session, error);
		*out_granted = strcmp(head.tag, "+") == 0;
		if (strcmp(head.tag, "*") != 0) {
			end_run(session);
			return true;
		}
	}
}

static bool start_idle(ImapSession *session, GError **error)
{
	bool granted = false;

	if (!send_command(session, "IDLE", error) || !read_idle_answer(session, &granted, error))
		return false;
	session->idling = granted;
	session->can_idle = granted;
	session->idle_since_us = g_get_monotonic_time();
	return true;
}

static bool end_idle(ImapSession *session, GError **error)
{
	bool granted = false;

	session->idling = false;
	return link_write(session->link, "DONE\r\n", 6, session->times->silence_ms, error) &&
	       read_idle_answer(session, &granted, error);
}

/* Listens for at most @timeout_ms; the connection has no command running but IDLE. */
static bool listen(ImapSession *session, int timeout_ms, bool *out_heard, GError **error)
{
	g_autoptr(ImapResponse) response = NULL;
	ImapHead head;

	if (!next_response(session, timeout_ms, &response, &head, error))
		return false;
	*out_heard = response != NULL;
	if (response && strcmp(head.tag, "*") != 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
			    "the server ended IDLE of its own accord");
		return false;
	}
	return true;
}

/* One step of waiting, at most @left_ms: start IDLE or ask by NOOP, then listen. */
static bool wait_step(ImapSession *session, int left_ms, GError **error)
{
	int step_ms = session->times->poll_ms;
	bool heard = false;

	if (session->can_idle && !session->idling && !start_idle(session, error))
		return false;
	if (session->idling) {
		int64_t idle_us = g_get_monotonic_time() - session->idle_since_us;
		step_ms = (int)MAX(session->times->idle_ms - idle_us / 1000, 0);
	} else if (!imap_session_run_one(session, "NOOP", NULL, NULL, error)) {
		return false;
	}
	if (session->has_news)
		return true;
	if (!listen(session, MIN(step_ms, left_ms), &heard, error))
		return false;
	if (session->idling && !heard && step_ms <= left_ms && !is_stopped(session)) {
		/*
		 * IDLE has run its time.  Ending it proves that the connection still lives, and
		 * counting that as news makes up for a server that forgot to tell.
		 */
		session->has_news = true;
		return end_idle(session, error);
	}
	return true;
}

bool imap_session_wait(ImapSession *session, int timeout_ms, GError **error)
{
	int64_t end_us = g_get_monotonic_time() + (int64_t)timeout_ms * 1000;

	while (!session->has_news) {
		int64_t left_us = end_us - g_get_monotonic_time();
		if (left_us <= 0 || is_stopped(session))
			break;
		if (!wait_step(session, (int)((left_us + 999) / 1000), error))
			return false;
	}
	return true;
}

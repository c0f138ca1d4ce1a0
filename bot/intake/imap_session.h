/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_session - the dialogue of one connection with one mailbox, opened by EXAMINE (read-only).
 *
 * Commands carry tags with a prefix drawn for the session, several may be in flight, and what the
 * server says of its own accord (EXISTS, EXPUNGE, BYE) is noted whenever it comes.  New mail is
 * waited for by IDLE (RFC 2177), which is kept running between waits and issued anew before servers
 * and routers forget it, or by NOOP where the server has no IDLE.
 *
 * After any error of these functions the session is of no more use: free it and open another.
 */

#include "bot/intake/imap_response.h"
#include "bot/net/link.h"

typedef struct {
	int silence_ms; /* of the server during a command: then it is given up                    */
	int run_ms;  /* commands that run together last so long and a second for each KiB heard */
	int idle_ms; /* IDLE is issued anew after so long; RFC 2177 asks for less than 29 min    */
	int poll_ms; /* between NOOPs where there is no IDLE                                   */
} ImapTimes;

extern const ImapTimes imap_times_default;

typedef struct {
	uint32_t uid_validity;
	uint32_t uid_next;
	uint32_t exists;
} ImapMailbox;

typedef struct {
	char *text;        /* without tag and CR LF; owned                                        */
	ImapStatus status; /* how it ended: OK, NO or BAD                                         */
	char *code;        /* of its end, may be ""; owned                                        */
	char *words;       /* of its end, for people; owned                                       */
} ImapCommand;

void imap_command_clear(ImapCommand *command);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImapCommand, imap_command_clear)

/** ImapHandler: gets each untagged data response while commands run; false ends with @error. */
typedef bool (*ImapHandler)(const ImapResponse *response, const ImapHead *head, void *payload,
			    GError **error);

typedef struct ImapSession ImapSession;

/**
 * imap_session_open:
 * @mailbox: as it stands on the wire, quotes included
 * @stop_fd: -1, or readable: commands end with TRANSIENT, waits end
 * @times: kept by reference
 * @error: as link_open(); CONFIG when the mailbox does not exist
 */
ImapSession *imap_session_open(const LinkOptions *options, const char *mailbox, int stop_fd,
			       const ImapTimes *times, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** imap_session_free: says LOGOUT without waiting for an answer. */
void imap_session_free(ImapSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapSession, imap_session_free)

/**
 * imap_session_cut: whatever another thread does with @session ends with an error now, and so does
 *   all that is tried with it later.
 */
void imap_session_cut(ImapSession *session);

/** imap_session_examine: EXAMINE (again), which is how a fresh UIDNEXT is had; clears the news. */
bool imap_session_examine(ImapSession *session, ImapMailbox *out_mailbox,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * imap_session_run:
 * @commands: sent in order, up to IMAP_IN_FLIGHT at once; their ends are filled in
 * @handler: (nullable)
 * @error: TRANSIENT when the connection or the server goes, stays silent or trickles (see
 * ImapTimes), or stop_fd speaks; PEER for what is not IMAP, and for talk without end; a command
 * that ends in NO or BAD is no error here
 */
bool imap_session_run(ImapSession *session, ImapCommand *commands, size_t n_commands,
		      ImapHandler handler, void *payload, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** imap_session_run_one: as above for one command, which must end in OK (NO: TRANSIENT, BAD: PEER).
 */
bool imap_session_run_one(ImapSession *session, const char *text, ImapHandler handler,
			  void *payload, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** imap_session_set_mailbox: of the same server; EXAMINE is the next that has to be done. */
void imap_session_set_mailbox(ImapSession *session, const char *mailbox);

/** imap_session_set_max_kept: bytes of literals kept of each response from now on. */
void imap_session_set_max_kept(ImapSession *session, size_t max_kept);

/** imap_session_has_news: mails may have come since the last EXAMINE. */
bool imap_session_has_news(const ImapSession *session);

/**
 * imap_session_take_exists: takes note of the EXISTS that came since the last EXAMINE, which is
 * cheaper than another one: many servers then read the whole mailbox again.
 * @io_mailbox: as the last EXAMINE of this session left it; `exists` is updated
 *
 * Returns: false when there was none, or the mailbox became another one: then only EXAMINE helps.
 * True clears the news; uid_next is the caller's to find.
 */
bool imap_session_take_exists(ImapSession *session, ImapMailbox *io_mailbox);

/**
 * imap_session_wait: until there are news, @timeout_ms have passed or stop_fd speaks; a line that
 * comes byte by byte does not hold it up.
 */
bool imap_session_wait(ImapSession *session, int timeout_ms,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

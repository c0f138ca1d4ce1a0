/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * link - an authenticated byte stream to an IMAP or SMTP server, by libcurl's CONNECT_ONLY.
 *
 * libcurl does name, TCP, TLS, STARTTLS and login; what is then said on the stream is ours, because
 * libcurl's own IMAP and SMTP dialogues lose what we need (see README.md of this folder).  This is
 * the only module that makes curl handles.  TLS is always on: implicit for imaps/smtps, else
 * STARTTLS, which is refused when missing or stripped (PREAUTH) before any credential is sent.
 * Clear text only for a loopback host and with an explicit option.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *url; /* imap://, imaps://, smtp:// or smtps:// HOST[:PORT]; no user, no path  */
	const char *user; /* NULL: no login */
	const char *password;
	/*
	 * "PLAIN", "LOGIN", or NULL: the server's choice among those; "XOAUTH2" or "OAUTHBEARER"
	 * (RFC 7628): password is the bearer token; "ANONYMOUS": the stream is handed out before
	 * login, with neither user nor password, and imap_session logs in.
	 */
	const char *mechanism;
	const char *ca_file;     /* NULL: the system's     */
	bool clear_text;         /* no TLS; refused unless the host is loopback	 */
	long connect_timeout_ms; /* whole of connect, TLS and login; 0: 30 s */
} LinkOptions;

typedef struct Link Link;

/**
 * link_open:
 * @error: BOT_ERROR_TRANSIENT (name, TCP, timeout), PEER (protocol), PERMANENT (certificate,
 * missing STARTTLS, PREAUTH, login refused), CONFIG (url); the message names host, step and cure
 * and never holds the password
 */
Link *link_open(const LinkOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void link_close(Link *link);

/** link_cut: shuts the socket down, so that another thread's reading and writing fails at once. */
void link_cut(Link *link);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Link, link_close)

/* What opening comes to, in order. */
typedef enum {
	LINK_STEP_NAME,     /* the host's name is looked up                                      */
	LINK_STEP_TCP,      /* the port answers                                                  */
	LINK_STEP_GREETING, /* the server speaks its protocol                                    */
	LINK_STEP_TLS,      /* implicit or by STARTTLS, with a certificate that is trusted       */
	LINK_STEP_LOGIN,
	LINK_STEP_DONE,
} LinkStep;

/** link_step_name: "name", "TCP", ... */
const char *link_step_name(LinkStep step);

/**
 * link_open_watched: link_open() for a diagnosis.
 * @out_step: the step that failed, DONE when none did.  A server that falls silent after TCP fails
 *   at its greeting: how far it had come cannot be told
 */
Link *link_open_watched(const LinkOptions *options, LinkStep *out_step,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * link_read:
 * @timeout_ms: -1: for ever
 * @stop_fd: -1, or a descriptor that ends the wait when it becomes readable
 * @out_len: bytes read; 0 when the time was up or @stop_fd spoke (no error)
 * @error: TRANSIENT when the peer closed the stream or it broke
 */
bool link_read(Link *link, void *buffer, size_t size, int timeout_ms, int stop_fd, size_t *out_len,
	       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** link_write: all of @bytes or an error (TRANSIENT). */
bool link_write(Link *link, const void *bytes, size_t len, int timeout_ms,
		GError **error) G_GNUC_WARN_UNUSED_RESULT;

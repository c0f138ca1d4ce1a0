/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * scripted_server - a mail server that says what the test wrote, over plain loopback TCP.
 *
 * The script is a list of steps: wait for a line that has a text in it, then send bytes.  "$T" in a
 * reply is the tag (first word) of the line that was read last, "$P" of the line before it.  A line
 * that does not fit ends the connection and is kept as the failure.
 */

#include <glib.h>
#include <stddef.h>

typedef struct {
	const char *expect; /* part of the client's next line; NULL: send at once               */
	const char *reply;  /* NULL: nothing                                                    */
	size_t reply_len;   /* 0: up to its NUL                                                 */
	unsigned drip_ms;   /* between two bytes of the reply; 0: none                          */
	enum {
		STEP_GO_ON,
		STEP_CLOSE, /* after the reply; the next step belongs to the next connection    */
	} then;
} ScriptStep;

/* {ON("NOOP", "$T OK done\r\n"), SAY("* BYE\r\n"), HANG_UP} */
#define ON(line, answer)                                                                           \
	{                                                                                          \
		.expect = (line), .reply = (answer)                                                \
	}
#define SAY(answer)                                                                                \
	{                                                                                          \
		.reply = (answer)                                                                  \
	}
#define HANG_UP                                                                                    \
	{                                                                                          \
		.then = STEP_CLOSE                                                                 \
	}

typedef struct ScriptedServer ScriptedServer;

/**
 * scripted_server_start:
 * @steps: kept by reference
 * @cut: bytes a write, 0: whole replies
 */
ScriptedServer *scripted_server_start(const ScriptStep *steps, size_t n_steps, size_t cut);

/** scripted_server_url: "SCHEME://127.0.0.1:PORT/REST"; without the slash when @rest is NULL. */
char *scripted_server_url(const ScriptedServer *server, const char *scheme, const char *rest);

/**
 * scripted_server_finish:
 * @out_heard: (nullable): all lines of the client, each with its line end
 *
 * Returns: (transfer full): NULL when all steps were done, else what went wrong.  The client must
 * have closed its connection.
 */
char *scripted_server_finish(ScriptedServer *server, char **out_heard);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/net/scripted_server.h"

#include "bot/base/autofd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

struct ScriptedServer {
	const ScriptStep *steps;
	size_t n_steps;
	size_t cut;
	int listener;
	in_port_t port;
	GThread *thread;
	char *failure;
	GString *heard;
};

/* One line with its end into @line; false at the end of the connection. */
static bool read_line(int fd, GString *line)
{
	char byte;

	g_string_truncate(line, 0);
	while (recv(fd, &byte, 1, 0) == 1) {
		g_string_append_c(line, byte);
		if (byte == '\n')
			return true;
	}
	return false;
}

static void send_all(int fd, const char *bytes, size_t len, size_t cut, unsigned drip_ms)
{
	while (len > 0) {
		ssize_t n = send(fd, bytes, MIN(cut, len), MSG_NOSIGNAL);
		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
		g_usleep(drip_ms * 1000);
	}
}

/* g_string_replace() would stop at the first NUL. */
static void replace_all(GString *text, const char *name, const char *value)
{
	size_t at = 0;
	const char *found;

	while ((found = memmem(text->str + at, text->len - at, name, strlen(name)))) {
		at = (size_t)(found - text->str);
		g_string_erase(text, (gssize)at, (gssize)strlen(name));
		g_string_insert(text, (gssize)at, value);
		at += strlen(value);
	}
}

static void send_reply(const ScriptedServer *server, int fd, const ScriptStep *step,
		       const char *tag, const char *previous_tag)
{
	size_t len = step->reply_len ? step->reply_len : strlen(step->reply);
	size_t cut = step->drip_ms ? 1 : server->cut;
	g_autoptr(GString) reply = g_string_new_len(step->reply, (gssize)len);

	replace_all(reply, "$T", tag);
	replace_all(reply, "$P", previous_tag);
	send_all(fd, reply->str, reply->len, cut ? cut : reply->len, step->drip_ms);
}

/* Runs the steps of one connection; returns the index of the next connection's first. */
static size_t serve(ScriptedServer *server, int fd, size_t first)
{
	g_autoptr(GString) line = g_string_new(NULL);
	g_autofree char *tag = g_strdup("");
	g_autofree char *previous_tag = g_strdup("");

	for (size_t i = first; i < server->n_steps; i++) {
		const ScriptStep *step = &server->steps[i];
		if (step->expect) {
			bool got = read_line(fd, line);
			g_string_append_len(server->heard, line->str, (gssize)line->len);
			if (!got || !strstr(line->str, step->expect)) {
				server->failure =
					g_strdup_printf("step %zu expected \"%s\", got \"%s\"", i,
							step->expect, line->str);
				return server->n_steps;
			}
			g_free(previous_tag);
			previous_tag = tag;
			tag = g_strndup(line->str, strcspn(line->str, " \r\n"));
		}
		if (step->reply)
			send_reply(server, fd, step, tag, previous_tag);
		if (step->then == STEP_CLOSE)
			return i + 1;
	}
	/* What the client says at its end (LOGOUT) is heard, but nothing is expected of it. */
	while (read_line(fd, line))
		g_string_append_len(server->heard, line->str, (gssize)line->len);
	return server->n_steps;
}

static void *run(void *payload)
{
	ScriptedServer *server = payload;
	size_t next = 0;

	while (next < server->n_steps) {
		autofd int fd = accept(server->listener, NULL, NULL);
		int yes = 1;
		if (fd < 0)
			break;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		next = serve(server, fd, next);
	}
	if (!server->failure && next < server->n_steps)
		server->failure = g_strdup_printf("step %zu was never reached", next);
	return NULL;
}

ScriptedServer *scripted_server_start(const ScriptStep *steps, size_t n_steps, size_t cut)
{
	ScriptedServer *server = g_new0(ScriptedServer, 1);
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;

	server->steps = steps;
	server->n_steps = n_steps;
	server->cut = cut;
	server->heard = g_string_new(NULL);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->listener, (struct sockaddr *)&address, len) != 0 ||
	    listen(server->listener, 4) != 0 ||
	    getsockname(server->listener, (struct sockaddr *)&address, &len) != 0)
		g_error("no loopback port for the scripted server");
	server->port = ntohs(address.sin_port);
	server->thread = g_thread_new("scripted-server", run, server);
	return server;
}

char *scripted_server_url(const ScriptedServer *server, const char *scheme, const char *rest)
{
	return g_strdup_printf("%s://127.0.0.1:%u%s%s", scheme, server->port, rest ? "/" : "",
			       rest ? rest : "");
}

char *scripted_server_finish(ScriptedServer *server, char **out_heard)
{
	char *failure;

	/* Wakes a server that waits for a connection that never came. */
	shutdown(server->listener, SHUT_RDWR);
	g_thread_join(server->thread);
	close(server->listener);
	failure = server->failure;
	if (out_heard)
		*out_heard = g_string_free(server->heard, FALSE);
	else
		g_string_free(server->heard, TRUE);
	g_free(server);
	return failure;
}

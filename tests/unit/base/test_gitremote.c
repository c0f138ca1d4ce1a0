/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/gitremote.h"

#include "bot/base/error.h"
#include "tests/unit/check_main.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
	int fd;
	const char *answer;
} Server;

/* Reads a request as far as its empty line and answers it, for one client. */
static void *serve(void *payload)
{
	const Server *server = payload;
	char request[4096] = "";
	size_t len = 0;
	int peer = accept(server->fd, NULL, NULL);

	while (peer >= 0 && len < sizeof request - 1 && strstr(request, "\r\n\r\n") == NULL) {
		ssize_t n = read(peer, request + len, sizeof request - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (peer >= 0 && write(peer, server->answer, strlen(server->answer)) < 0)
		g_warning("no answer went out");
	close(peer);
	return NULL;
}

/* What connecting to a web server fails with that gives @answer. */
static GError *fail_to_connect(const char *answer)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof address;
	Server server = {.fd = socket(AF_INET, SOCK_STREAM, 0), .answer = answer};
	GError *error = NULL;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(server.fd, (struct sockaddr *)&address, len), 0);
	ck_assert_int_eq(listen(server.fd, 1), 0);
	ck_assert_int_eq(getsockname(server.fd, (struct sockaddr *)&address, &len), 0);
	g_autofree char *url =
		g_strdup_printf("http://127.0.0.1:%d/lab/1", ntohs(address.sin_port));
	GThread *thread = g_thread_new("serve", serve, &server);

	git_start();
	ck_assert_ptr_null(gitremote_connect(NULL, url, 1000, &error));

	g_thread_join(thread);
	close(server.fd);
	return error;
}

START_TEST(gitremote_tells_what_is_not_there_from_what_fails)
{
	static const struct {
		const char *answer;
		bool missing;
	} cases[] = {
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true},
		{"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true},
		{"HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false},
		{"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/x\r\n"
		 "Content-Length: 0\r\nConnection: close\r\n\r\n",
		 false},
		{"no web server", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = fail_to_connect(cases[i].answer);

		ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND) ==
				      cases[i].missing,
			      "%s: %s", cases[i].answer, error->message);
	}
}
END_TEST

CHECK_MAIN("gitremote", gitremote_tells_what_is_not_there_from_what_fails)

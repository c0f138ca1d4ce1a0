/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/autofd.h"
#include "bot/base/backoff.h"
#include "bot/base/error.h"
#include "bot/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A lost datagram must not lose work: the queue is looked at this often without any. */
#define POLL_MS 10000
#define RELEASE_EVERY_US (60 * CLOCK_US_PER_S)

/* Longest rest while the store cannot be written. */
#define TROUBLE_MOST_MS 30000

const Stage *stage_all(void)
{
	static const Stage table[] = {
		{"intake", "understand", intake_round, true, "read mail from the sources"},
		{"understand", "plan", understand_round, true,
		 "read patches and requests out of mail"},
		{"plan", "build", plan_round, false, "decide what to test and why not"},
		{"build", "run", build_round, false, "find the base and make the commits"},
		{"run", "report", run_round, false, "build and measure in the sandbox"},
		{"report", "send", report_round, false, "judge the numbers and write the mails"},
		{"send", NULL, send_round, false, "deliver approved mails, exactly once"},
		{NULL, NULL, NULL, false, NULL},
	};
	return table;
}

const Stage *stage_find(const char *name)
{
	for (const Stage *stage = stage_all(); stage->name != NULL; stage++) {
		if (strcmp(stage->name, name) == 0)
			return stage;
	}
	return NULL;
}

bool stage_may_work(const Stage *stage, Db *db, char **out_reason)
{
	g_autofree char *stopped = control_get(db, "stop-all");
	g_autofree char *paused = control_get(db, "pause");
	bool hit = stopped != NULL || (paused != NULL && !stage->while_paused);

	if (hit && out_reason != NULL)
		*out_reason = stopped != NULL ? g_strdup_printf("stop-all: %s", stopped)
					      : g_strdup_printf("paused: %s", paused);
	return !hit;
}

bool stage_stop_asked(const StageContext *context)
{
	struct pollfd fd = {context->stop_fd, POLLIN, 0};
	return context->stop_fd >= 0 && poll(&fd, 1, 0) > 0;
}

/* What this process had claimed is not to blame for what stopped it. */
static bool give_back(StageContext *context)
{
	g_autoptr(GError) why = NULL;

	db_rollback(context->db);
	if (db_give_back(context->db, &why))
		return true;
	log_warning("stage.kept_leases", "%s", why->message);
	return false;
}

bool stage_once(const Stage *stage, StageContext *context, unsigned limit, StageProgress *progress,
		GError **error)
{
	memset(progress, 0, sizeof(*progress));
	db_set_owner(context->db, stage->name);
	if (!db_release_dead(context->db, error))
		return false;
	if (!stage_may_work(stage, context->db, NULL))
		return true;

	for (;;) {
		StageProgress round = {0};
		unsigned left = limit == 0 ? 0 : limit - progress->done;
		if (!stage->round(context, left, &round, error)) {
			give_back(context);
			return false;
		}
		progress->done += round.done;
		progress->failed = round.failed;
		progress->again_at_us = round.again_at_us;
		if (round.done == 0 || (limit > 0 && progress->done >= limit) ||
		    stage_stop_asked(context))
			return true;
	}
}

static bool wake_address(const char *state_dir, const char *name, struct sockaddr_un *out)
{
	memset(out, 0, sizeof(*out));
	out->sun_family = AF_UNIX;
	int len =
		g_snprintf(out->sun_path, sizeof(out->sun_path), "%s/run/%s.sock", state_dir, name);
	return len > 0 && (size_t)len < sizeof(out->sun_path);
}

static int open_wake_socket(const char *state_dir, const char *name, GError **error)
{
	struct sockaddr_un address;
	autofd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (!wake_address(state_dir, name, &address)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "bot.stateDir %s is too long for a socket name; use a shorter path",
			    state_dir);
		return -1;
	}
	(void)unlink(address.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		bot_error_set_errno(error, errno, "cannot listen on %s", address.sun_path);
		return -1;
	}
	return autofd_steal(&fd);
}

void stage_wake(const char *state_dir, const char *name)
{
	struct sockaddr_un address;
	autofd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && wake_address(state_dir, name, &address)) {
		/* A full queue means it is awake; nobody there means it will look when it starts.
		 */
		ssize_t sent = sendto(fd, "", 1, 0, (struct sockaddr *)&address, sizeof(address));
		(void)sent;
	}
}

static void drain_wake_socket(int fd)
{
	char byte;

	while (recv(fd, &byte, 1, 0) >= 0)
		continue;
}

static int wait_ms(const StageContext *context, const StageProgress *progress)
{
	if (progress->again_at_us == 0)
		return POLL_MS;
	int64_t left = (progress->again_at_us - clock_now_us(context->clock)) / 1000;
	return (int)CLAMP(left, 10, POLL_MS);
}

static bool follow_round(const Stage *stage, StageContext *context, StageProgress *progress,
			 GError **error)
{
	if (!stage_may_work(stage, context->db, NULL))
		return true;
	if (!stage->round(context, 0, progress, error))
		return false;
	if (progress->done > 0 && stage->next != NULL)
		stage_wake(db_state_dir(context->db), stage->next);
	return true;
}

static void rest(const StageContext *context, int64_t ms)
{
	struct pollfd fd = {context->stop_fd, POLLIN, 0};
	(void)poll(&fd, 1, (int)MIN(ms, TROUBLE_MOST_MS));
}

/*
 * A full disk or a locked store passes; a process that died of it three times would poison the rows
 * it held.  So it stays, gives its rows back as soon as the store lets it, and tries again.
 */
static bool outlive(StageContext *context, GError *why, unsigned failures, GRand *random)
{
	if (!g_error_matches(why, BOT_ERROR, BOT_ERROR_TRANSIENT))
		return false;
	log_warning("stage.in_trouble", "%s", why->message);
	rest(context, backoff_delay_ms(failures, random));
	while (!give_back(context) && !stage_stop_asked(context))
		rest(context, TROUBLE_MOST_MS);
	return true;
}

bool stage_follow(const Stage *stage, StageContext *context, GError **error)
{
	int64_t released_us = 0;
	unsigned failures = 0;
	g_autoptr(GRand) random = g_rand_new();
	autofd int wake = open_wake_socket(db_state_dir(context->db), stage->name, error);

	if (wake < 0)
		return false;
	db_set_owner(context->db, stage->name);
	while (!stage_stop_asked(context)) {
		StageProgress progress = {0};
		int64_t now = g_get_monotonic_time();

		g_autoptr(GError) why = NULL;
		drain_wake_socket(wake);
		if ((now - released_us >= RELEASE_EVERY_US || released_us == 0) &&
		    db_release_dead(context->db, &why))
			released_us = now;
		if (why != NULL || !follow_round(stage, context, &progress, &why)) {
			if (outlive(context, why, ++failures, random))
				continue;
			give_back(context);
			g_propagate_error(error, g_steal_pointer(&why));
			return false;
		}
		failures = 0;
		if (progress.done > 0)
			continue;
		struct pollfd fds[2] = {{wake, POLLIN, 0}, {context->stop_fd, POLLIN, 0}};
		(void)poll(fds, 2, wait_ms(context, &progress));
	}
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four processes work on 2,000 messages while they are killed at random: nothing is lost or
 * doubled. */
#include "tests/unit/store/fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_ROWS 2000
#define N_WORKERS 4
#define N_KILLS 40
#define BATCH 20

static void fill(Db *db)
{
	OK(db_begin(db, error));
	for (int i = 0; i < N_ROWS; i++) {
		g_autofree char *id = g_strdup_printf("%d@x", i);
		g_autoptr(GBytes) bytes = g_bytes_new(id, strlen(id));
		IncomingOutcome outcome;
		Incoming incoming = {
			.source = "lab", .locator = id, .bytes = bytes, .message_id = id};
		OK(messages_record(db, &incoming, &outcome, error));
	}
	OK(db_commit(db, error));
}

/* One round of a stage; 1 while there may be more, 0 when all is done, -1 on an error. */
static int work_once(Db *db)
{
	MessageFacts facts = {.kind = "other", .subject = "s"};
	g_autoptr(GPtrArray) claimed = NULL;

	if (!db_release_dead(db, NULL))
		return -1;
	claimed = messages_claim(db, BATCH, NULL);
	if (claimed == NULL)
		return -1;
	if (claimed->len == 0)
		return 0;
	if (!db_begin(db, NULL))
		return -1;
	for (guint i = 0; i < claimed->len; i++) {
		if (!messages_understood(db, ((StoredMessage *)claimed->pdata[i])->row, &facts,
					 NULL)) {
			db_rollback(db);
			return -1;
		}
	}
	return db_commit(db, NULL) ? 1 : -1;
}

static pid_t start_worker(const char *dir)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	g_autoptr(Clock) clock = clock_new_system();
	Db *db = db_open(dir, false, clock, NULL);
	if (db == NULL)
		_exit(2);
	db_set_owner(db, "understand");
	int state = 1;
	while (state == 1)
		state = work_once(db);
	_exit(state == 0 ? 0 : 3);
}

static void reap(pid_t pid)
{
	int status = 0;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
			      (WIFEXITED(status) && WEXITSTATUS(status) == 0),
		      "a worker failed: status %#x", (unsigned)status);
}

static void kill_at_random(const char *dir)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(4);
	pid_t workers[N_WORKERS];

	for (int i = 0; i < N_WORKERS; i++)
		workers[i] = start_worker(dir);
	for (int i = 0; i < N_KILLS; i++) {
		int victim = g_rand_int_range(random, 0, N_WORKERS);
		g_usleep((gulong)g_rand_int_range(random, 500, 12000));
		kill(workers[victim], SIGKILL);
		reap(workers[victim]);
		workers[victim] = start_worker(dir);
	}
	for (int i = 0; i < N_WORKERS; i++)
		reap(workers[i]);
}

static int64_t count_events(Db *db, int64_t row, const char *name)
{
	g_autoptr(GPtrArray) events = event_list(db, "message", row, NULL);
	int64_t n = 0;

	for (guint i = 0; i < events->len; i++)
		n += strcmp(((StoredEvent *)events->pdata[i])->name, name) == 0;
	return n;
}

START_TEST(killed_workers_lose_nothing_and_do_nothing_twice)
{
	FIXTURE(f);
	fill(f.db);

	kill_at_random(f.dir);
	/* The last ones may have been killed over rows that nobody came for. */
	g_autoptr(Clock) clock = clock_new_system();
	g_autoptr(Db) last = db_open(f.dir, false, clock, NULL);
	int state = 1;
	while (state == 1)
		state = work_once(last);
	ck_assert_int_eq(state, 0);

	int understood = 0, poison = 0;
	for (int i = 0; i < N_ROWS; i++) {
		g_autofree char *id = g_strdup_printf("%d@x", i);
		g_autoptr(StoredMessage) message = messages_find(f.db, id, NULL);
		bool is_done = strcmp(message->state, "understood") == 0;
		understood += is_done;
		poison += strcmp(message->state, "poison") == 0;
		ck_assert_int_eq(count_events(f.db, message->row, "message.understood"), is_done);
		ck_assert_int_eq(count_events(f.db, message->row, "message.poisoned"), !is_done);
	}
	ck_assert_int_eq(understood + poison, N_ROWS);
	/* Suspects are claimed alone, so a row is poison only when it met three kills by itself. */
	ck_assert_int_le(poison, N_KILLS / 3);
}
END_TEST

static pid_t start_opener(const char *dir)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	g_autoptr(Clock) clock = clock_new_system();
	g_autoptr(GError) failed = NULL;
	Db *db = db_open(dir, true, clock, &failed);
	if (db == NULL)
		g_printerr("%s\n", failed->message);
	_exit(db == NULL ? 1 : 0);
}

START_TEST(processes_that_make_the_database_at_once_all_succeed)
{
	FIXTURE(f);
	g_autofree char *dir = g_build_filename(f.dir, "state", NULL);
	pid_t openers[8];

	for (int i = 0; i < 8; i++)
		openers[i] = start_opener(dir);

	for (int i = 0; i < 8; i++)
		reap(openers[i]);
}
END_TEST

CHECK_MAIN("claims", killed_workers_lose_nothing_and_do_nothing_twice,
	   processes_that_make_the_database_at_once_all_succeed)

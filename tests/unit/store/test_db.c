/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/migrate.h"
#include "bot/store/query.h"
#include "tests/unit/store/fixture.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *file_of(const Fixture *f, const char *name)
{
	return g_build_filename(f->dir, name, NULL);
}

/* Behind the back of the store, as another program or a damaged disk would. */
static void meddle(const Fixture *f, const char *name, const char *sql)
{
	g_autofree char *path = file_of(f, name);
	sqlite3 *other = NULL;
	char *message = NULL;

	ck_assert_int_eq(sqlite3_open(path, &other), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(other, sql, NULL, NULL, &message) == SQLITE_OK, "%s", message);
	sqlite3_close(other);
}

static GError *open_fails(const Fixture *f, bool create)
{
	GError *failed = NULL;

	ck_assert_ptr_null(db_open(f->dir, create, f->clock, &failed));
	ck_assert_ptr_nonnull(failed);
	return failed;
}

START_TEST(the_state_folder_is_for_us_alone)
{
	FIXTURE(f);
	g_autofree char *inner = file_of(&f, "state");
	struct stat st;

	g_autoptr(Db) db = db_open(inner, true, f.clock, NULL);

	ck_assert_ptr_nonnull(db);
	ck_assert_int_eq(stat(inner, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
}
END_TEST

START_TEST(a_missing_database_is_made_only_when_asked)
{
	FIXTURE(f);
	g_autoptr(GError) failed = NULL;
	g_autofree char *inner = file_of(&f, "state");

	ck_assert_ptr_null(db_open(inner, false, f.clock, &failed));

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert_ptr_nonnull(strstr(failed->message, "`lorebot serve` makes it"));
	ck_assert(!g_file_test(inner, G_FILE_TEST_EXISTS));
}
END_TEST

START_TEST(a_database_that_is_there_is_opened_again)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	g_clear_pointer(&f.db, db_close);

	OK((f.db = db_open(f.dir, false, f.clock, error)) != NULL);

	g_autoptr(StoredMessage) message = messages_find(f.db, "a@x", NULL);
	ck_assert_ptr_nonnull(message);
}
END_TEST

START_TEST(a_newer_database_is_refused_and_left_alone)
{
	FIXTURE(f);
	g_clear_pointer(&f.db, db_close);
	meddle(&f, "lorebot.db", "PRAGMA user_version = 999");

	g_autoptr(GError) create = open_fails(&f, true);
	g_autoptr(GError) plain = open_fails(&f, false);

	ck_assert(g_error_matches(create, BOT_ERROR, BOT_ERROR_CORRUPT));
	ck_assert(g_error_matches(plain, BOT_ERROR, BOT_ERROR_CORRUPT));
	ck_assert_ptr_nonnull(strstr(create->message, "version 999, newer than the "));
	g_autofree char *back =
		g_strdup_printf("PRAGMA user_version = %" G_GINT64_FORMAT, migrate_version());
	meddle(&f, "lorebot.db", back);
	OK((f.db = db_open(f.dir, false, f.clock, error)) != NULL);
}
END_TEST

START_TEST(an_unfinished_database_asks_for_migration)
{
	FIXTURE(f);
	g_clear_pointer(&f.db, db_close);
	g_autofree char *path = file_of(&f, "raw.db");
	ck_assert_int_eq(unlink(path), 0);
	meddle(&f, "raw.db", "CREATE TABLE other (a)");

	g_autoptr(GError) failed = open_fails(&f, false);

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert_ptr_nonnull(strstr(failed->message, "`lorebot serve` brings it up to date"));
}
END_TEST

START_TEST(a_database_of_another_program_is_refused)
{
	FIXTURE(f);
	g_clear_pointer(&f.db, db_close);
	meddle(&f, "lorebot.db", "PRAGMA application_id = 7");

	g_autoptr(GError) failed = open_fails(&f, true);

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CORRUPT));
	ck_assert_ptr_nonnull(strstr(failed->message, "another program"));
}
END_TEST

START_TEST(a_file_that_is_no_database_is_corrupt)
{
	FIXTURE(f);
	g_clear_pointer(&f.db, db_close);
	g_autofree char *path = file_of(&f, "lorebot.db");
	ck_assert(g_file_set_contents(path, "this is no database, this is a long line of text", -1,
				      NULL));

	g_autoptr(GError) failed = open_fails(&f, true);

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CORRUPT));
}
END_TEST

START_TEST(a_rolled_back_transaction_leaves_nothing_in_either_file)
{
	FIXTURE(f);
	g_autoptr(GBytes) bytes = g_bytes_new_static("A: b\n\nc\n", 8);
	IncomingOutcome outcome;
	Incoming incoming = {.source = "lab", .locator = "1", .bytes = bytes, .message_id = "a@x"};

	OK(db_begin(f.db, error));
	OK(messages_record(f.db, &incoming, &outcome, error));
	db_rollback(f.db);
	db_rollback(f.db);

	ck_assert_ptr_null(messages_find(f.db, "a@x", NULL));
	ck_assert(!messages_locator_known(f.db, "lab", "1"));
	g_clear_pointer(&f.db, db_close);
	meddle(&f, "raw.db",
	       "CREATE TABLE t (n INTEGER CHECK (n = 0));"
	       "INSERT INTO t SELECT count(*) FROM raw");
}
END_TEST

START_TEST(a_transaction_inside_a_transaction_is_a_bug)
{
	FIXTURE(f);
	g_autoptr(GError) failed = NULL;

	OK(db_begin(f.db, error));
	ck_assert(!db_begin(f.db, &failed));

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_BUG));
}
END_TEST

START_TEST(lost_or_changed_raw_bytes_are_found_out)
{
	FIXTURE(f);
	int64_t row = add_message(f.db, "a@x");
	g_autoptr(GError) changed = NULL;
	g_autoptr(GError) lost = NULL;

	meddle(&f, "raw.db", "UPDATE raw SET bytes = CAST('other' AS BLOB)");
	ck_assert_ptr_null(messages_raw(f.db, row, &changed));
	meddle(&f, "raw.db", "DELETE FROM raw");
	ck_assert_ptr_null(messages_raw(f.db, row, &lost));

	ck_assert(g_error_matches(changed, BOT_ERROR, BOT_ERROR_CORRUPT));
	ck_assert(g_error_matches(lost, BOT_ERROR, BOT_ERROR_CORRUPT));
	ck_assert_ptr_nonnull(strstr(lost->message, "missing"));
}
END_TEST

START_TEST(a_state_outside_the_table_cannot_be_stored)
{
	FIXTURE(f);
	int64_t row = add_message(f.db, "a@x");
	g_autofree char *path = file_of(&f, "lorebot.db");
	sqlite3 *other = NULL;

	ck_assert_int_eq(row, 1);
	ck_assert_int_eq(sqlite3_open(path, &other), SQLITE_OK);
	ck_assert_int_eq(
		sqlite3_exec(other, "UPDATE messages SET state = 'fine'", NULL, NULL, NULL),
		SQLITE_CONSTRAINT);
	ck_assert_int_eq(
		sqlite3_exec(other, "UPDATE messages SET arrived_us = 'soon'", NULL, NULL, NULL),
		SQLITE_CONSTRAINT);
	sqlite3_close(other);
}
END_TEST

START_TEST(controls_are_kept_and_taken_away)
{
	FIXTURE(f);

	ck_assert_ptr_null(control_get(f.db, "pause"));
	OK(control_set(f.db, "pause", "disk", error));
	OK(control_set(f.db, "pause", "new disk", error));
	g_autofree char *set = control_get(f.db, "pause");
	OK(control_set(f.db, "pause", NULL, error));

	ck_assert_str_eq(set, "new disk");
	ck_assert_ptr_null(control_get(f.db, "pause"));
}
END_TEST

START_TEST(a_switch_that_cannot_be_read_counts_as_set)
{
	FIXTURE(f);

	meddle(&f, "lorebot.db", "DROP TABLE controls");
	g_autofree char *reason = control_get(f.db, "stop-all");

	ck_assert_ptr_nonnull(reason);
}
END_TEST

/* ---- leases ---- */

START_TEST(a_living_processs_lease_is_left_alone)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	g_autoptr(GPtrArray) claimed = messages_claim(f.db, 1, NULL);

	OK(db_release_dead(f.db, error));

	g_autoptr(GPtrArray) none = messages_claim(f.db, 1, NULL);
	ck_assert_uint_eq(claimed->len, 1);
	ck_assert_uint_eq(none->len, 0);
}
END_TEST

START_TEST(a_lease_that_ran_out_is_given_back)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	g_autoptr(GPtrArray) claimed = messages_claim(f.db, 1, NULL);

	clock_set(f.clock, NOW_US + DB_LEASE_US - 1);
	OK(db_extend_leases(f.db, error));
	clock_set(f.clock, NOW_US + DB_LEASE_US + 1);
	OK(db_release_dead(f.db, error));
	g_autoptr(GPtrArray) none = messages_claim(f.db, 1, NULL);
	clock_set(f.clock, NOW_US + 3 * DB_LEASE_US);
	OK(db_release_dead(f.db, error));
	g_autoptr(GPtrArray) again = messages_claim(f.db, 1, NULL);

	ck_assert_uint_eq(claimed->len, 1);
	ck_assert_uint_eq(none->len, 0);
	ck_assert_uint_eq(again->len, 1);
}
END_TEST

/* Claims @n messages in a process of its own, which dies over them. */
static void die_over_messages(const Fixture *f, unsigned n)
{
	pid_t pid = fork();

	if (pid == 0) {
		Db *db = db_open(f->dir, false, f->clock, NULL);
		db_set_owner(db, "understand");
		GPtrArray *claimed = messages_claim(db, n, NULL);
		_exit(claimed == NULL ? 1 : 0);
	}
	int status = 0;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(a_row_that_three_processes_died_over_is_poison)
{
	FIXTURE(f);
	int64_t row = add_message(f.db, "a@x");

	for (int i = 0; i < 3; i++) {
		die_over_messages(&f, 1);
		OK(db_release_dead(f.db, error));
	}

	g_autoptr(StoredMessage) message = messages_get(f.db, row, NULL);
	g_autoptr(GPtrArray) none = messages_claim(f.db, 1, NULL);
	g_autofree char *events = event_names(f.db, "message", row);
	ck_assert_str_eq(message->state, "poison");
	ck_assert_uint_eq(none->len, 0);
	ck_assert_str_eq(events, "message.poisoned");
}
END_TEST

START_TEST(a_process_that_nobody_has_waited_for_is_dead_all_the_same)
{
	FIXTURE(f);
	siginfo_t info = {0};
	add_message(f.db, "a@x");
	pid_t pid = fork();
	if (pid == 0) {
		Db *db = db_open(f.dir, false, f.clock, NULL);
		db_set_owner(db, "understand");
		GPtrArray *claimed = messages_claim(db, 1, NULL);
		_exit(claimed == NULL ? 1 : 0);
	}
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);

	OK(db_release_dead(f.db, error));

	g_autoptr(GPtrArray) again = messages_claim(f.db, 1, NULL);
	ck_assert_uint_eq(again->len, 1);
	waitpid(pid, NULL, 0);
}
END_TEST

START_TEST(rows_of_a_dead_batch_are_claimed_alone_from_then_on)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	add_message(f.db, "b@x");
	die_over_messages(&f, 2);
	OK(db_release_dead(f.db, error));
	add_message(f.db, "c@x");
	add_message(f.db, "d@x");

	g_autoptr(GPtrArray) first = messages_claim(f.db, 9, NULL);
	g_autoptr(GPtrArray) second = messages_claim(f.db, 9, NULL);
	g_autoptr(GPtrArray) third = messages_claim(f.db, 9, NULL);

	ck_assert_uint_eq(first->len, 1);
	ck_assert_uint_eq(second->len, 1);
	ck_assert_uint_eq(third->len, 2);
}
END_TEST

START_TEST(a_mail_whose_senders_died_is_held_and_a_sending_one_is_unknown)
{
	FIXTURE(f);
	int64_t rows[2] = {0, 0};

	for (int i = 0; i < 2; i++) {
		char purpose[] = "a", id[] = "a@x";
		purpose[0] = id[0] = (char)('a' + i);
		g_autoptr(Mailbox) from = mailbox_new(NULL, "bot@example.org", NULL);
		g_autoptr(GPtrArray) to = g_ptr_array_new();
		g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
		OutgoingMail mail = {.purpose = purpose,
				     .message_id = id,
				     .bytes = bytes,
				     .envelope_from = from,
				     .recipients = to,
				     .state = OUTGOING_QUEUED};
		bool is_new = false;
		OK(db_begin(f.db, error));
		OK(outbox_insert(f.db, &mail, &rows[i], &is_new, error));
		OK(db_commit(f.db, error));
	}
	pid_t pid = fork();
	if (pid == 0) {
		Db *db = db_open(f.dir, false, f.clock, NULL);
		db_set_owner(db, "send");
		OutgoingMail *first = outbox_claim(db, NULL);
		bool begun = first != NULL && outbox_begin_attempt(db, first->row, NULL);
		OutgoingMail *second = outbox_claim(db, NULL);
		_exit(begun && second != NULL ? 0 : 1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);

	OK(db_release_dead(f.db, error));
	OK(outbox_recover(f.db, error));

	g_autoptr(OutgoingMail) sending = outbox_get(f.db, rows[0], NULL);
	g_autoptr(OutgoingMail) queued = outbox_get(f.db, rows[1], NULL);
	g_autoptr(OutgoingMail) again = outbox_claim(f.db, NULL);
	ck_assert_int_eq(sending->state, OUTGOING_UNKNOWN);
	ck_assert_int_eq(queued->state, OUTGOING_QUEUED);
	ck_assert_int_eq(again->row, rows[1]);
}
END_TEST

/* ---- the disk ---- */

/* The limit is one of a connection, so it has to be set from inside. */
static void limit_pages(Db *db, int pages)
{
	g_autofree char *sql = g_strdup_printf("PRAGMA max_page_count = %d", pages);

	OK(query_script(db, true, sql, error));
	OK(query_script(db, false, sql, error));
}

START_TEST(a_full_database_is_transient_and_the_rest_goes_on_later)
{
	FIXTURE(f);
	g_autofree char *big = g_strnfill(1 << 16, 'x');
	int64_t before = add_message(f.db, "a@x");
	g_autoptr(GError) failed = NULL;
	g_autoptr(GBytes) bytes = g_bytes_new(big, 1 << 16);
	IncomingOutcome outcome;
	Incoming incoming = {.source = "lab", .locator = "2", .bytes = bytes, .message_id = "b@x"};

	limit_pages(f.db, 8);
	OK(db_begin(f.db, error));
	bool ok = messages_record(f.db, &incoming, &outcome, &failed) && db_commit(f.db, &failed);
	db_rollback(f.db);
	ck_assert(!ok);
	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_TRANSIENT));

	limit_pages(f.db, 100000);
	OK(db_begin(f.db, error));
	OK(messages_record(f.db, &incoming, &outcome, error));
	OK(db_commit(f.db, error));
	g_autoptr(StoredMessage) first = messages_get(f.db, before, NULL);
	g_autoptr(StoredMessage) second = messages_find(f.db, "b@x", NULL);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(second);
}
END_TEST

START_TEST(a_folder_of_somebody_else_is_told_with_its_owner)
{
	FIXTURE(f);
	g_clear_pointer(&f.db, db_close);
	if (geteuid() != 0)
		return; /* only root can play two people */
	pid_t pid = fork();
	if (pid == 0) {
		g_autoptr(GError) failed = NULL;
		if (setuid(65534) != 0 || db_open(f.dir, true, f.clock, &failed) != NULL)
			_exit(1);
		_exit(strstr(failed->message, f.dir) != NULL &&
				      strstr(failed->message, "belongs to root") != NULL &&
				      strstr(failed->message, "sudo -u root") != NULL
			      ? 0
			      : 2);
	}
	int status = 0;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- two files that belong together ---- */

static void remove_file(const Fixture *f, const char *name)
{
	g_autofree char *path = file_of(f, name);
	ck_assert_int_eq(unlink(path), 0);
}

static void copy_file(const Fixture *from, const Fixture *to, const char *name)
{
	g_autofree char *source = file_of(from, name);
	g_autofree char *target = file_of(to, name);
	g_autofree char *bytes = NULL;
	gsize len = 0;

	ck_assert(g_file_get_contents(source, &bytes, &len, NULL));
	ck_assert(g_file_set_contents(target, bytes, (gssize)len, NULL));
}

static void assert_refused(const Fixture *f, const char *words)
{
	for (int create = 0; create <= 1; create++) {
		g_autoptr(GError) failed = open_fails(f, create);

		ck_assert_msg(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CORRUPT), "%s",
			      failed->message);
		ck_assert_msg(strstr(failed->message, words) != NULL, "%s", failed->message);
		ck_assert_ptr_nonnull(strstr(failed->message, "from one backup"));
	}
}

START_TEST(a_lost_lorebot_db_is_not_begun_anew_beside_raw_mails)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	g_clear_pointer(&f.db, db_close);
	g_autofree char *path = file_of(&f, "lorebot.db");

	remove_file(&f, "lorebot.db");
	assert_refused(&f, "lorebot.db is missing or empty, but raw.db holds mails");
	ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
	ck_assert(g_file_set_contents(path, "", 0, NULL));
	assert_refused(&f, "lorebot.db is missing or empty, but raw.db holds mails");
}
END_TEST

START_TEST(an_empty_schema_beside_raw_mails_is_refused)
{
	FIXTURE(f);
	g_autofree char *other_dir = file_of(&f, "other");
	Fixture other = {other_dir, f.clock, db_open(other_dir, true, f.clock, NULL)};
	add_message(f.db, "a@x");
	g_clear_pointer(&f.db, db_close);
	db_close(other.db);
	meddle(&other, "lorebot.db", "DELETE FROM identity");

	copy_file(&other, &f, "lorebot.db");

	g_autoptr(GError) failed = open_fails(&f, true);
	ck_assert_ptr_nonnull(strstr(failed->message, "lorebot.db is missing or empty"));
}
END_TEST

START_TEST(a_lost_raw_db_is_noticed_at_once)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	g_clear_pointer(&f.db, db_close);
	g_autofree char *path = file_of(&f, "raw.db");

	remove_file(&f, "raw.db");
	assert_refused(&f, "raw.db is missing or empty, but lorebot.db is there");
	ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
	ck_assert(g_file_set_contents(path, "", 0, NULL));
	assert_refused(&f, "raw.db is missing or empty, but lorebot.db is there");
}
END_TEST

START_TEST(files_of_two_stores_do_not_go_together)
{
	FIXTURE(f);
	g_autofree char *other_dir = file_of(&f, "other");
	Fixture other = {other_dir, f.clock, db_open(other_dir, true, f.clock, NULL)};
	add_message(f.db, "a@x");
	add_message(other.db, "b@x");
	g_clear_pointer(&f.db, db_close);
	db_close(other.db);

	copy_file(&other, &f, "raw.db");

	assert_refused(&f, "do not belong together");
}
END_TEST

START_TEST(a_pair_whose_making_was_cut_short_is_finished)
{
	FIXTURE(f);
	g_clear_pointer(&f.db, db_close);

	remove_file(&f, "lorebot.db");
	OK((f.db = db_open(f.dir, true, f.clock, error)) != NULL);
	g_clear_pointer(&f.db, db_close);
	meddle(&f, "raw.db", "DELETE FROM identity");
	OK((f.db = db_open(f.dir, true, f.clock, error)) != NULL);
}
END_TEST

/* ---- old versions ---- */

static void load_dump(const Fixture *f, const char *file, const char *dump)
{
	g_autofree char *path = g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "unit", "store",
						 "versions", dump, NULL);
	g_autofree char *sql = NULL;

	ck_assert(g_file_get_contents(path, &sql, NULL, NULL));
	meddle(f, file, sql);
}

START_TEST(a_database_of_version_1_opens_with_what_it_held)
{
	FIXTURE(f);
	g_autofree char *old = file_of(&f, "old");
	Fixture inner = {old, f.clock, NULL};
	ck_assert_int_eq(mkdir(old, 0700), 0);
	load_dump(&inner, "lorebot.db", "lorebot-1.sql");
	load_dump(&inner, "raw.db", "raw-1.sql");

	OK((inner.db = db_open(old, true, f.clock, error)) != NULL);

	g_autoptr(StoredMessage) message = messages_get(inner.db, 1, NULL);
	g_autoptr(GBytes) raw = messages_raw(inner.db, 1, NULL);
	g_autoptr(StoredSeries) series = series_get(inner.db, 1, NULL);
	g_autoptr(Job) job = jobs_get(inner.db, 1, NULL);
	g_autoptr(OutgoingMail) mail = outbox_get(inner.db, 1, NULL);
	ck_assert_str_eq(message->message_id, "1@example.org");
	ck_assert_ptr_nonnull(raw);
	ck_assert_str_eq(series->state, "planned");
	ck_assert_uint_eq(job->commits->len, 2);
	ck_assert_int_eq(mail->state, OUTGOING_SENT);
	db_close(inner.db);
	OK((inner.db = db_open(old, false, f.clock, error)) != NULL);
	db_close(inner.db);
}
END_TEST

START_TEST(a_pair_of_version_1_whose_mails_are_elsewhere_is_refused)
{
	FIXTURE(f);
	g_autofree char *old = file_of(&f, "old");
	Fixture inner = {old, f.clock, NULL};
	ck_assert_int_eq(mkdir(old, 0700), 0);
	load_dump(&inner, "lorebot.db", "lorebot-1.sql");
	load_dump(&inner, "raw.db", "raw-1.sql");
	meddle(&inner, "raw.db", "DELETE FROM raw; INSERT INTO raw VALUES (zeroblob(32), x'78')");

	g_autoptr(GError) failed = open_fails(&inner, true);

	ck_assert_ptr_nonnull(strstr(failed->message, "do not belong together"));
}
END_TEST

CHECK_MAIN("db", the_state_folder_is_for_us_alone, a_missing_database_is_made_only_when_asked,
	   a_database_that_is_there_is_opened_again, a_newer_database_is_refused_and_left_alone,
	   an_unfinished_database_asks_for_migration, a_database_of_another_program_is_refused,
	   a_file_that_is_no_database_is_corrupt,
	   a_rolled_back_transaction_leaves_nothing_in_either_file,
	   a_transaction_inside_a_transaction_is_a_bug, lost_or_changed_raw_bytes_are_found_out,
	   a_state_outside_the_table_cannot_be_stored, controls_are_kept_and_taken_away,
	   a_switch_that_cannot_be_read_counts_as_set, a_living_processs_lease_is_left_alone,
	   a_lease_that_ran_out_is_given_back, a_row_that_three_processes_died_over_is_poison,
	   a_process_that_nobody_has_waited_for_is_dead_all_the_same,
	   rows_of_a_dead_batch_are_claimed_alone_from_then_on,
	   a_mail_whose_senders_died_is_held_and_a_sending_one_is_unknown,
	   a_full_database_is_transient_and_the_rest_goes_on_later,
	   a_folder_of_somebody_else_is_told_with_its_owner,
	   a_lost_lorebot_db_is_not_begun_anew_beside_raw_mails,
	   an_empty_schema_beside_raw_mails_is_refused, a_lost_raw_db_is_noticed_at_once,
	   files_of_two_stores_do_not_go_together, a_pair_whose_making_was_cut_short_is_finished,
	   a_database_of_version_1_opens_with_what_it_held,
	   a_pair_of_version_1_whose_mails_are_elsewhere_is_refused)

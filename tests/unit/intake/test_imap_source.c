/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/source.h"
#include "mailparse/limits.h"
#include "tests/unit/check_main.h"
#include "tests/unit/intake/imap_script.h"

#include <string.h>

/* 10-Jan-2024 00:00:00 UTC */
#define START_US (INT64_C(1704844800) * CLOCK_US_PER_S)
#define START "1704844800000000"

typedef struct {
	ScriptedServer *server;
	Source *source;
	SourceBatch batch;
	GError *error;
} Scene;

static Scene set_scene_at(const char *mailbox, const ScriptStep *steps, size_t n_steps, size_t cut,
			  SourceOptions options)
{
	Scene scene = {.server = scripted_server_start(steps, n_steps, cut)};
	g_autofree char *url = scripted_server_url(scene.server, "imap", mailbox);

	options.name = "list";
	options.url = url;
	options.user = "bot";
	options.password = "pass";
	options.clear_text = true;
	options.stop_fd = -1;
	scene.source = source_open(&options, &scene.error);
	ck_assert_msg(scene.source != NULL, "%s", scene.error ? scene.error->message : "");
	return scene;
}

static Scene set_scene(const ScriptStep *steps, size_t n_steps, size_t cut, SourceOptions options)
{
	return set_scene_at(NULL, steps, n_steps, cut, options);
}

#define SCENE(steps, ...) set_scene(steps, G_N_ELEMENTS(steps), 0, (SourceOptions){__VA_ARGS__})

static void next_of(Scene *scene, size_t max_mails)
{
	source_batch_clear(&scene->batch);
	bool fine = source_next(scene->source, max_mails, &scene->batch, &scene->error);
	ck_assert_msg(fine, "%s", scene->error ? scene->error->message : "");
}

static void ack(Scene *scene)
{
	ck_assert(source_ack(scene->source, &scene->error));
}

static char *strike_and_tell(Scene *scene)
{
	char *heard = NULL;

	source_batch_clear(&scene->batch);
	g_clear_pointer(&scene->source, source_close);
	g_clear_error(&scene->error);
	g_autofree char *failure = scripted_server_finish(scene->server, &heard);
	ck_assert_msg(failure == NULL, "%s", failure);
	return heard;
}

static void strike(Scene *scene)
{
	g_free(strike_and_tell(scene));
}

static void assert_mail(const Scene *scene, guint i, const char *locator, const char *bytes)
{
	ck_assert_uint_lt(i, scene->batch.mails->len);
	const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
	ck_assert_str_eq(mail->locator, locator);
	ck_assert_ptr_null(mail->refused);
	ck_assert_uint_eq(g_bytes_get_size(mail->bytes), strlen(bytes));
	ck_assert_mem_eq(g_bytes_get_data(mail->bytes, NULL), bytes, strlen(bytes));
}

static const char *refusal(const Scene *scene, guint i, const char *locator)
{
	ck_assert_uint_lt(i, scene->batch.mails->len);
	const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
	ck_assert_str_eq(mail->locator, locator);
	ck_assert_ptr_null(mail->bytes);
	ck_assert_ptr_nonnull(mail->refused);
	return mail->refused;
}

#define CURSOR_AT_5 "uidvalidity=3 uid=5 start=" START " horizon=4"

static const ScriptStep two_mails[] = {
	IMAP_LOGIN("IDLE"),
	IMAP_EXAMINE("7", "3", "8"),
	/* UID 5 is done: that "n:*" servers give it is of no matter. */
	ON("UID FETCH 6:7 (UID RFC822.SIZE INTERNALDATE)",
	   IMAP_LISTED("7", "7", "3") IMAP_LISTED("5", "5", "9") IMAP_LISTED("6", "6", "4")
		   IMAP_DONE),
	ON("UID FETCH 6:7 (UID BODY.PEEK[])",
	   "* 6 FETCH (FLAGS (\\Seen))\r\n" IMAP_BODY("7", "7", "3", "x)\n")
		   IMAP_BODY("5", "5", "3", "old") IMAP_BODY("6", "6", "4", "L1 O") IMAP_DONE),
};

static void assert_two_mails(size_t cut)
{
	Scene scene = set_scene(two_mails, G_N_ELEMENTS(two_mails), cut,
				(SourceOptions){.cursor = CURSOR_AT_5});

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	assert_mail(&scene, 0, "3/6", "L1 O");
	assert_mail(&scene, 1, "3/7", "x)\n");
	const SourceMail *first = g_ptr_array_index(scene.batch.mails, 0);
	ck_assert_int_eq(first->arrived_us, START_US + 12 * 3600 * CLOCK_US_PER_S);
	ck_assert_int_eq(first->size_bytes, 4);
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=7 start=" START " horizon=4");
	ck_assert_ptr_null(scene.batch.anomaly);
	ck_assert_int_eq(scene.batch.behind, 0);
	ack(&scene);
	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 0);
	ck_assert_ptr_null(scene.batch.cursor);
	g_autofree char *heard = strike_and_tell(&scene);
	ck_assert_ptr_null(strstr(heard, "SELECT"));
	ck_assert_ptr_null(strstr(heard, "STORE"));
}

START_TEST(imap_source_hands_out_what_is_above_the_cursor)
{
	assert_two_mails(0);
}
END_TEST

START_TEST(imap_source_reads_answers_in_pieces_of_any_size)
{
	for (size_t cut = 1; cut < 40; cut++)
		assert_two_mails(cut);
}
END_TEST

START_TEST(imap_source_hands_out_a_batch_again_until_it_is_acknowledged)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "7"),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "2") IMAP_DONE),
		ON("UID FETCH 6 (UID B", IMAP_BODY("6", "6", "2", "hi") IMAP_DONE),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "2") IMAP_DONE),
		ON("UID FETCH 6 (UID B", IMAP_BODY("6", "6", "2", "hi") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);
	next_of(&scene, 500);

	assert_mail(&scene, 0, "3/6", "hi");
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=6 start=" START " horizon=4");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_starts_at_first_contact_by_internaldate)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("4", "3", "9"),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 1:8", "* SEARCH 8 6 3 7\r\n" IMAP_DONE),
		ON("UID FETCH 3:8 (UID R",
		   IMAP_LISTED_ON("1", "3", "1", "09") IMAP_LISTED("2", "6", "2") IMAP_LISTED_ON(
			   "3", "7", "1", "01") IMAP_LISTED_ON("4", "8", "2", "11") IMAP_DONE),
		ON("UID FETCH 6,8 (UID B",
		   IMAP_BODY("2", "6", "2", "aa") IMAP_BODY("4", "8", "2", "bb") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .start_us = START_US);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	assert_mail(&scene, 0, "3/6", "aa");
	assert_mail(&scene, 1, "3/8", "bb");
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=8 start=" START " horizon=9");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_starting_now_moves_to_the_end_and_takes_what_comes_whatever_its_date)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("4", "3", "9"),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 1:8", "* SEARCH\r\n" IMAP_DONE),
		ON("IDLE", "+ idling\r\n* 5 EXISTS\r\n"),
		ON("DONE", "$P OK done\r\n"),
		ON("UID FETCH 9:* (UID)", "* 5 FETCH (UID 9)\r\n" IMAP_DONE),
		ON("UID FETCH 9:9 (UID R", IMAP_LISTED_ON("5", "9", "2", "01") IMAP_DONE),
		ON("UID FETCH 9 (UID B", IMAP_BODY("5", "9", "2", "aa") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .start_us = START_US);

	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 0);
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=8 start=" START " horizon=9");
	ack(&scene);
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);

	assert_mail(&scene, 0, "3/9", "aa");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_keeps_the_start_of_an_empty_mailbox)
{
	static const ScriptStep steps[] = {IMAP_LOGIN("IDLE"), IMAP_EXAMINE("0", "3", "1")};
	Scene scene = SCENE(steps, .start_us = START_US);

	/* Nothing is waited for before the start is stored. */
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 0);
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=0 start=" START " horizon=1");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_scans_again_when_uidvalidity_changes)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("2", "4", "3"),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 1:2", "* SEARCH 1 2\r\n" IMAP_DONE),
		ON("UID FETCH 1:2 (UID R",
		   IMAP_LISTED_ON("1", "1", "2", "01") IMAP_LISTED("2", "2", "2") IMAP_DONE),
		ON("UID FETCH 2 (UID B", IMAP_BODY("2", "2", "2", "aa") IMAP_DONE),
	};
	/* The start is that of the cursor, not today's. */
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5, .start_us = 2 * START_US);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 1);
	assert_mail(&scene, 0, "4/2", "aa");
	ck_assert_str_eq(scene.batch.anomaly,
			 "UIDVALIDITY changed from 3 to 4: mailbox scanned again for mail since "
			 "2024-01-10T00:00:00Z");
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=4 uid=2 start=" START " horizon=3");
	ack(&scene);
	next_of(&scene, 500);
	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_notices_that_uidnext_went_back)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("1", "3", "3"),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 1:2", "* SEARCH 2\r\n" IMAP_DONE),
		ON("UID FETCH 2:2 (UID R", IMAP_LISTED("1", "2", "2") IMAP_DONE),
		ON("UID FETCH 2 (UID B", IMAP_BODY("1", "2", "2", "aa") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	ck_assert_ptr_nonnull(strstr(scene.batch.anomaly, "UIDNEXT went back to 3"));
	assert_mail(&scene, 0, "3/2", "aa");
	strike(&scene);
}
END_TEST

#define IMAP_SLICE(n, exists, uid_next) IMAP_EXAMINE_BOX("a.list." n, exists, "3", uid_next)

START_TEST(imap_source_reads_the_slices_of_a_public_inbox_in_order)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_SLICE("0", "49990", "100002"),
		ON("UID FETCH 49999:50000 (UID R", IMAP_LISTED("49989", "50000", "2") IMAP_DONE),
		ON("UID FETCH 50000 (UID B", IMAP_BODY("49989", "50000", "2", "aa") IMAP_DONE),
		/* In the middle there is one of 50 000, which is old. */
		IMAP_SLICE("1", "1", "100002"),
		ON("UID FETCH 50001:100000 (UID R", IMAP_DONE),
		IMAP_SLICE("2", "1", "100002"),
		ON("UID FETCH 100001:100001 (UID R", IMAP_LISTED("1", "100001", "2") IMAP_DONE),
		ON("UID FETCH 100001 (UID B", IMAP_BODY("1", "100001", "2", "bb") IMAP_DONE),
		ON("IDLE", "+ idling\r\n* 2 EXISTS\r\n"),
		ON("DONE", "$P OK done\r\n"),
		ON("UID FETCH 100002:* (UID)", "* 2 FETCH (UID 100002)\r\n" IMAP_DONE),
		ON("UID FETCH 100002:100002 (UID R", IMAP_LISTED("2", "100002", "2") IMAP_DONE),
		ON("UID FETCH 100002 (UID B", IMAP_BODY("2", "100002", "2", "cc") IMAP_DONE),
	};
	Scene scene = set_scene_at(
		"a.list.*", steps, G_N_ELEMENTS(steps), 0,
		(SourceOptions){.cursor = "uidvalidity=3 uid=49998 start=" START " horizon=4"});

	next_of(&scene, 500);
	assert_mail(&scene, 0, "3/50000", "aa");
	ck_assert_int_eq(scene.batch.behind, 50001);
	ack(&scene);
	next_of(&scene, 500);
	assert_mail(&scene, 0, "3/100001", "bb");
	ck_assert_int_eq(scene.batch.behind, 0);
	ack(&scene);
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);
	assert_mail(&scene, 0, "3/100002", "cc");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_stays_in_a_full_slice_until_there_is_mail_in_the_next)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_SLICE("0", "9", "50001"),
		/* First contact: each slice is searched for itself. */
		ON("UID SEARCH SINCE 9-Jan-2024 UID 1:16384", "* SEARCH\r\n" IMAP_DONE),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 16385:49152", "* SEARCH\r\n" IMAP_DONE),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 49153:50000", "* SEARCH\r\n" IMAP_DONE),
		ON("IDLE", "+ idling\r\n* 9 EXISTS\r\n"),
		ON("DONE", "$P OK done\r\n"),
		ON("UID FETCH 50001:* (UID)", "* 9 FETCH (UID 50000)\r\n" IMAP_DONE),
	};
	Scene scene = set_scene_at("a.list.*", steps, G_N_ELEMENTS(steps), 0,
				   (SourceOptions){.start_us = START_US});

	next_of(&scene, 500);
	ck_assert_str_eq(scene.batch.cursor,
			 "uidvalidity=3 uid=50000 start=" START " horizon=50001");
	ack(&scene);
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 0);
	strike(&scene);
}
END_TEST

static bool knows_six(const char *locator, void *payload)
{
	(*(int *)payload)++;
	return strcmp(locator, "3/6") == 0;
}

START_TEST(imap_source_does_not_fetch_what_is_known_or_too_large)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("8", "3", "9"),
		ON("UID FETCH 6:8 (UID R",
		   IMAP_LISTED("6", "6", "2") IMAP_LISTED("7", "7", "16777217")
			   IMAP_LISTED("8", "8", "2") IMAP_DONE),
		ON("UID FETCH 8 (UID B", IMAP_BODY("8", "8", "2", "aa") IMAP_DONE),
	};
	int n_asked = 0;
	Scene scene =
		SCENE(steps, .cursor = CURSOR_AT_5, .is_known = knows_six, .payload = &n_asked);

	next_of(&scene, 500);

	ck_assert_int_eq(n_asked, 3);
	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ck_assert_str_eq(refusal(&scene, 0, "3/7"), "16.0 MB, more than the 16 MB a mail may have");
	assert_mail(&scene, 1, "3/8", "aa");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_drains_a_literal_that_is_larger_than_its_listed_size)
{
	g_autofree char *zeros = g_strnfill(MAIL_MAX_BYTES + 1, '0');
	g_autofree char *answer = g_strdup_printf(IMAP_BODY("6", "6", "16777217", "%s")
							  IMAP_BODY("7", "7", "2", "bb") IMAP_DONE,
						  zeros);
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "8"),
		ON("UID FETCH 6:7 (UID R",
		   IMAP_LISTED("6", "6", "2") IMAP_LISTED("7", "7", "2") IMAP_DONE),
		ON("UID FETCH 6:7 (UID B", answer),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ck_assert_ptr_nonnull(strstr(refusal(&scene, 0, "3/6"), "more than the 16 MB"));
	assert_mail(&scene, 1, "3/7", "bb");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_holds_no_more_than_32_mib_in_a_batch)
{
	/* Mails of 12 MiB: UID 6 to 8 are listed truly, 9 to 11 as one byte each. */
	g_autofree char *zeros = g_strnfill(12582912, '0');
	g_autofree char *two =
		g_strdup_printf(IMAP_BODY("6", "6", "12582912", "%s")
					IMAP_BODY("7", "7", "12582912", "%s") IMAP_DONE,
				zeros, zeros);
	g_autofree char *three = g_strdup_printf(
		IMAP_BODY("9", "9", "12582912", "%s") IMAP_BODY("10", "10", "12582912", "%s")
			IMAP_BODY("11", "11", "12582912", "%s") IMAP_DONE,
		zeros, zeros, zeros);
	g_autofree char *last =
		g_strdup_printf(IMAP_BODY("11", "11", "12582912", "%s") IMAP_DONE, zeros);
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("11", "3", "12"),
		ON("UID FETCH 6:11 (UID R",
		   IMAP_LISTED("6", "6", "12582912") IMAP_LISTED("7", "7", "12582912")
			   IMAP_LISTED("8", "8", "12582912") IMAP_LISTED("9", "9", "1") IMAP_LISTED(
				   "10", "10", "1") IMAP_LISTED("11", "11", "1") IMAP_DONE),
		ON("UID FETCH 6:7 (UID B", two),
		ON("UID FETCH 8:11 (UID R",
		   IMAP_LISTED("8", "8", "33554432") IMAP_LISTED("9", "9", "1")
			   IMAP_LISTED("10", "10", "1") IMAP_LISTED("11", "11", "1") IMAP_DONE),
		ON("UID FETCH 9:11 (UID B", three),
		ON("UID FETCH 11:11 (UID R", IMAP_LISTED("11", "11", "1") IMAP_DONE),
		ON("UID FETCH 11 (UID B", last),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ck_assert_int_eq(scene.batch.behind, 4);
	ack(&scene);
	/* UID 8 is refused by its size; of the liars the third is put off to the next batch. */
	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 3);
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=10 start=" START " horizon=4");
	ack(&scene);
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 1);
	ck_assert_int_eq(scene.batch.behind, 0);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_counts_quoted_mails_against_the_32_mib_too)
{
	/* 20 mails of nearly 2 MiB as quoted strings, which no literal's size announces. */
	g_autofree char *zeros = g_strnfill(2 * 1024 * 1024 - 100, '0');
	g_autoptr(GString) listed = g_string_new(NULL);
	g_autoptr(GString) bodies = g_string_new(NULL);
	for (int uid = 6; uid < 26; uid++) {
		g_string_append_printf(listed, IMAP_LISTED("%d", "%d", "1"), uid, uid);
		g_string_append_printf(bodies, "* %d FETCH (UID %d BODY[] \"%s\")\r\n", uid, uid,
				       zeros);
	}
	g_string_append(listed, IMAP_DONE);
	g_string_append(bodies, IMAP_DONE);
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("25", "3", "26"),
		ON("UID FETCH 6:25 (UID R", listed->str),
		ON("UID FETCH 6:25 (UID B", bodies->str),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 16);
	ck_assert_str_eq(scene.batch.cursor, "uidvalidity=3 uid=21 start=" START " horizon=4");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_does_not_ask_for_ever_for_a_mail_that_is_hidden_among_other_bytes)
{
	g_autofree char *zeros = g_strnfill(MAIL_MAX_BYTES, '0');
	g_autofree char *answer = g_strdup_printf(
		"* 6 FETCH (UID 6 BODY[HEADER] {16777216}\r\n%s BODY[] {2}\r\nhi)\r\n" IMAP_DONE,
		zeros);
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("6", "3", "7"),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "2") IMAP_DONE),
		ON("UID FETCH 6 (UID B", answer),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "2") IMAP_DONE),
		ON("UID FETCH 6 (UID B", answer),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	bool fine = source_next(scene.source, 500, &scene.batch, &scene.error);

	ck_assert(!fine);
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_PEER));
	ck_assert_ptr_nonnull(strstr(scene.error->message, "UID 6"));
	strike(&scene);
}
END_TEST

START_TEST(imap_source_takes_any_byte_in_a_mail)
{
	/* All 256, and an end that we could be waiting for. */
	g_autoptr(GString) answer = g_string_new("* 6 FETCH (UID 6 BODY[] {266}\r\n");
	gsize start = answer->len;
	for (int byte = 0; byte < 256; byte++)
		g_string_append_c(answer, (char)byte);
	g_string_append(answer, ")\r\nA1 OK\r\n");
	g_string_append(answer, ")\r\n" IMAP_DONE);
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("6", "3", "7"),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "266") IMAP_DONE),
		{.expect = "UID FETCH 6 (UID B", .reply = answer->str, .reply_len = answer->len},
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	const SourceMail *mail = g_ptr_array_index(scene.batch.mails, 0);
	ck_assert_uint_eq(g_bytes_get_size(mail->bytes), 266);
	ck_assert_mem_eq(g_bytes_get_data(mail->bytes, NULL), answer->str + start, 266);
	strike(&scene);
}
END_TEST

/* What a hostile byte may make of two mails: none, or one of them, or both, but never another. */
static void assert_nothing_wrong(const SourceBatch *batch)
{
	for (guint i = 0; i < batch->mails->len; i++) {
		const SourceMail *mail = g_ptr_array_index(batch->mails, i);
		const char *right = strcmp(mail->locator, "3/6") == 0 ? "L1 O" : "x)\n";
		gsize len = 0;
		const char *bytes = mail->bytes ? g_bytes_get_data(mail->bytes, &len) : NULL;
		ck_assert(strcmp(mail->locator, "3/6") == 0 || strcmp(mail->locator, "3/7") == 0);
		ck_assert(mail->refused != NULL ||
			  (len == strlen(right) && memcmp(bytes, right, len) == 0));
	}
}

/* Puts @byte at @at of the last answer of two_mails, after which the server goes. */
static void assert_survives_byte(size_t at, char byte, guint *io_n_errors)
{
	ScriptStep steps[G_N_ELEMENTS(two_mails) + 1];
	size_t last = G_N_ELEMENTS(two_mails) - 1;
	g_autofree char *answer = g_strdup(two_mails[last].reply);
	answer[at] = byte;
	memcpy(steps, two_mails, sizeof two_mails);
	steps[last].reply = answer;
	steps[last].reply_len = strlen(two_mails[last].reply);
	steps[last + 1] = (ScriptStep)HANG_UP;
	Scene scene =
		set_scene(steps, G_N_ELEMENTS(steps), 0, (SourceOptions){.cursor = CURSOR_AT_5});

	if (source_next(scene.source, 500, &scene.batch, &scene.error)) {
		assert_nothing_wrong(&scene.batch);
	} else {
		(*io_n_errors)++;
		ck_assert(g_str_has_prefix(scene.error->message, "source list: "));
		ck_assert(scene.error->domain == BOT_ERROR);
	}
	strike(&scene);
}

START_TEST(imap_source_hands_out_no_wrong_mail_whatever_byte_stands_in_an_answer)
{
	/* No digits: a server that names another UID or size lies, and nobody could tell. */
	static const char bytes[] = {'\0', '\r', '"', ')', '{', '\xff'};
	const char *answer = two_mails[G_N_ELEMENTS(two_mails) - 1].reply;
	guint n_errors = 0;

	for (size_t at = 0; answer[at]; at++) {
		/* Inside the literals any byte is mail. */
		if (strncmp(answer + at, "x)\n", 3) == 0)
			at += 3;
		else if (strncmp(answer + at, "old", 3) == 0)
			at += 3;
		else if (strncmp(answer + at, "L1 O", 4) == 0)
			at += 4;
		for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++)
			assert_survives_byte(at, bytes[i], &n_errors);
	}
	ck_assert_uint_gt(n_errors, 500);
}
END_TEST

START_TEST(imap_source_cuts_batches_at_the_number_asked_for)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "8"),
		ON("UID FETCH 6:7 (UID R",
		   IMAP_LISTED("6", "6", "1") IMAP_LISTED("7", "7", "1") IMAP_DONE),
		ON("UID FETCH 6 (UID B", IMAP_BODY("6", "6", "1", "a") IMAP_DONE),
		ON("UID FETCH 7:7 (UID R", IMAP_LISTED("7", "7", "1") IMAP_DONE),
		ON("UID FETCH 7 (UID B", IMAP_BODY("7", "7", "1", "b") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 1);
	ck_assert_int_eq(scene.batch.behind, 1);
	ck_assert_uint_eq(scene.batch.mails->len, 1);
	ack(&scene);
	/* There is more, so there is nothing to wait for. */
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 1);

	assert_mail(&scene, 0, "3/7", "b");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_leaps_over_uids_that_nobody_has)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("9", "3", "900000"),
		ON("UID FETCH 6:65541 (UID R", IMAP_DONE),
		ON("UID SEARCH UID 65542:81925", "* SEARCH\r\n" IMAP_DONE),
		ON("UID SEARCH UID 81926:114693", "* SEARCH 90001 90000\r\n" IMAP_DONE),
		ON("UID FETCH 90000:155535 (UID R", IMAP_LISTED("8", "90000", "1") IMAP_DONE),
		ON("UID FETCH 90000 (UID B", IMAP_BODY("8", "90000", "1", "a") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	assert_mail(&scene, 0, "3/90000", "a");
	ck_assert_int_eq(scene.batch.behind, 1);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_passes_over_mails_expunged_meanwhile)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("8", "3", "9"),
		ON("UID FETCH 6:8 (UID R", IMAP_LISTED("6", "6", "1") IMAP_LISTED("7", "7", "1")
						   IMAP_LISTED("8", "8", "1") IMAP_DONE),
		ON("UID FETCH 6:8 (UID B",
		   "* 6 EXPUNGE\r\n* 6 FETCH (UID 7 BODY[] NIL)\r\n" IMAP_BODY("7", "8", "1", "a")
			   IMAP_DONE),
		ON("UID FETCH 6:6 (UID R", IMAP_DONE),
		ON("UID FETCH 7:7 (UID R", IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 1);
	assert_mail(&scene, 0, "3/8", "a");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_keeps_in_mind_what_the_server_withholds)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("8", "3", "9"),
		ON("UID FETCH 6:8 (UID R", IMAP_LISTED("6", "6", "1") IMAP_LISTED("7", "7", "1")
						   IMAP_LISTED("8", "8", "1") IMAP_DONE),
		/* The whole set is refused: then each by itself. */
		ON("UID FETCH 6:8 (UID B", "$T NO some are broken\r\n"),
		ON("UID FETCH 6 (UID B", IMAP_BODY("6", "6", "1", "a") IMAP_DONE),
		ON("UID FETCH 7 (UID B", "$T NO [SERVERBUG] broken\r\n"),
		ON("UID FETCH 8 (UID B", IMAP_DONE),
		ON("UID FETCH 8:8 (UID R", IMAP_LISTED("8", "8", "1") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 1);
	assert_mail(&scene, 0, "3/6", "a");
	ck_assert_ptr_nonnull(strstr(scene.batch.anomaly,
				     "UID 7: the server will not hand it out: [SERVERBUG] broken; "
				     "it is asked for again for an hour"));
	ck_assert_ptr_nonnull(
		strstr(scene.batch.anomaly, "UID 8: the server lists it but does not hand it out"));
	ck_assert(g_str_has_prefix(scene.batch.cursor,
				   "uidvalidity=3 uid=8 start=" START " horizon=4 withheld=7@"));
	ck_assert_ptr_nonnull(strstr(scene.batch.cursor, ",8@"));
	strike(&scene);
}
END_TEST

START_TEST(imap_source_asks_again_for_what_was_withheld_and_gives_it_up_after_an_hour)
{
	g_autofree char *cursor =
		g_strdup_printf("uidvalidity=3 uid=8 start=" START
				" horizon=4 withheld=5@1,6@1,7@%" G_GINT64_FORMAT ",8@1",
				g_get_real_time());
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("8", "3", "9"),
		ON("UID FETCH 5:5 (UID R", IMAP_DONE),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "1") IMAP_DONE),
		ON("UID FETCH 7:7 (UID R", IMAP_LISTED("7", "7", "1") IMAP_DONE),
		ON("UID FETCH 8:8 (UID R", IMAP_LISTED("8", "8", "1") IMAP_DONE),
		ON("UID FETCH 6:8 (UID B", IMAP_BODY("6", "6", "1", "a") "$T NO some\r\n"),
		ON("UID FETCH 7 (UID B", "$T NO not now\r\n"),
		ON("UID FETCH 8 (UID B", "$T NO never\r\n"),
	};
	Scene scene = SCENE(steps, .cursor = cursor);

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	assert_mail(&scene, 0, "3/6", "a");
	ck_assert_str_eq(refusal(&scene, 1, "3/8"), "the server will not hand it out: never");
	ck_assert_ptr_nonnull(strstr(scene.batch.cursor, " withheld=7@"));
	ck_assert_ptr_null(strchr(strstr(scene.batch.cursor, "withheld"), ','));
	ack(&scene);
	/* Not at once again. */
	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 0);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_gives_up_no_mail_when_the_server_withholds_all)
{
	static const ScriptStep greeting[] = {IMAP_LOGIN("IDLE"), IMAP_EXAMINE("33", "3", "34")};
	ScriptStep steps[G_N_ELEMENTS(greeting) + 2 * 32 + 4];
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) cursor =
		g_string_new("uidvalidity=3 uid=32 start=" START " horizon=4 withheld=");
	size_t n = G_N_ELEMENTS(greeting);

	memcpy(steps, greeting, sizeof greeting);
	for (int uid = 1; uid <= 32; uid++) {
		g_string_append_printf(cursor, "%s%d@1", uid == 1 ? "" : ",", uid);
		char *on = g_strdup_printf("UID FETCH %d:%d (UID R", uid, uid);
		char *answer = g_strdup_printf("* %d FETCH (UID %d RFC822.SIZE 1 INTERNALDATE "
					       "\"10-Jan-2024 12:00:00 +0000\")\r\n$T OK\r\n",
					       uid, uid);
		g_ptr_array_add(texts, on);
		g_ptr_array_add(texts, answer);
		steps[n++] = (ScriptStep)ON(on, answer);
	}
	steps[n++] = (ScriptStep)ON("UID FETCH 1:32 (UID B", "$T NO all\r\n");
	for (int uid = 1; uid <= 32; uid++)
		steps[n++] = (ScriptStep)ON("(UID B", "$T NO each\r\n");
	steps[n++] =
		(ScriptStep)ON("UID FETCH 33:33 (UID R", IMAP_LISTED("33", "33", "1") IMAP_DONE);
	steps[n++] = (ScriptStep)ON("UID FETCH 33 (UID B", "$T NO this, too\r\n");
	Scene scene = set_scene(steps, n, 0, (SourceOptions){.cursor = cursor->str});

	ck_assert(!source_next(scene.source, 500, &scene.batch, &scene.error));

	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	ck_assert_ptr_nonnull(
		strstr(scene.error->message,
		       "the server withholds UID 33 and 32 mails before it: the server "
		       "will not hand it out: this, too"));
	strike(&scene);
}
END_TEST

#define AT_ONCE(uid) "UID FETCH " uid ":" uid " (UID RFC822.SIZE INTERNALDATE BODY.PEEK[])"
#define WHOLE(seq, uid, body)                                                                      \
	"* " seq " FETCH (UID " uid " RFC822.SIZE 1 INTERNALDATE \"10-Jan-2024 12:00:00 +0000\""   \
	" BODY[] {1}\r\n" body ")\r\n"
/* Four mails, of which the first two are listed and fetched one after the other. */
#define BEGINNING_OF_FOUR                                                                          \
	IMAP_LOGIN("IDLE"), IMAP_EXAMINE("9", "3", "10"),                                          \
		ON("UID FETCH 6:9 (UID R",                                                         \
		   IMAP_LISTED("1", "6", "1") IMAP_LISTED("2", "7", "1")                           \
			   IMAP_LISTED("3", "8", "1") IMAP_LISTED("4", "9", "1") IMAP_DONE),       \
		ON("UID FETCH 6:7 (UID B",                                                         \
		   IMAP_BODY("1", "6", "1", "a") IMAP_BODY("2", "7", "1", "b") IMAP_DONE)

START_TEST(imap_source_asks_ahead_for_small_mails)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		ON(AT_ONCE("8"), ""),
		ON(AT_ONCE("9"), WHOLE("3", "8", "c") "$P OK done\r\n* 10 EXISTS\r\n" WHOLE(
					 "4", "9", "d") IMAP_DONE),
		ON("UID FETCH 10:* (UID)", "* 5 FETCH (UID 10)\r\n" IMAP_DONE),
		ON(AT_ONCE("10"), WHOLE("5", "10", "e") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	assert_mail(&scene, 0, "3/6", "a");
	assert_mail(&scene, 1, "3/7", "b");
	ack(&scene);
	next_of(&scene, 2);
	assert_mail(&scene, 0, "3/8", "c");
	assert_mail(&scene, 1, "3/9", "d");
	ack(&scene);
	next_of(&scene, 2);
	assert_mail(&scene, 0, "3/10", "e");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_reads_again_what_was_not_acknowledged_whatever_was_asked_ahead)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		ON(AT_ONCE("8"), ""),
		ON(AT_ONCE("9"),
		   WHOLE("3", "8", "c") "$P OK done\r\n" WHOLE("4", "9", "d") IMAP_DONE),
		ON("UID FETCH 6:9 (UID R",
		   IMAP_LISTED("1", "6", "1") IMAP_LISTED("2", "7", "1") IMAP_LISTED("3", "8", "1")
			   IMAP_LISTED("4", "9", "1") IMAP_DONE),
		ON("UID FETCH 6:7 (UID B",
		   IMAP_BODY("1", "6", "1", "a") IMAP_BODY("2", "7", "1", "b") IMAP_DONE),
		ON(AT_ONCE("8"), ""),
		ON(AT_ONCE("9"),
		   WHOLE("3", "8", "c") "$P OK done\r\n" WHOLE("4", "9", "d") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	next_of(&scene, 2);

	assert_mail(&scene, 0, "3/6", "a");
	assert_mail(&scene, 1, "3/7", "b");
	ack(&scene);
	next_of(&scene, 2);
	assert_mail(&scene, 1, "3/9", "d");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_lists_first_where_a_server_refuses_both_at_once)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		ON(AT_ONCE("8"), WHOLE("3", "8", "c") IMAP_DONE),
		ON(AT_ONCE("9"), "$T NO too much\r\n"),
		ON("UID FETCH 8:9 (UID R",
		   IMAP_LISTED("3", "8", "1") IMAP_LISTED("4", "9", "1") IMAP_DONE),
		ON("UID FETCH 8:9 (UID B",
		   IMAP_BODY("3", "8", "1", "c") IMAP_BODY("4", "9", "1", "d") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	ack(&scene);
	next_of(&scene, 2);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	assert_mail(&scene, 0, "3/8", "c");
	assert_mail(&scene, 1, "3/9", "d");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_misses_a_mail_that_was_left_out_at_once)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		/* Nothing of 8, and all is well. */
		ON(AT_ONCE("8"), IMAP_DONE),
		ON(AT_ONCE("9"), WHOLE("4", "9", "d") IMAP_DONE),
		ON("UID FETCH 8:9 (UID R",
		   IMAP_LISTED("3", "8", "1") IMAP_LISTED("4", "9", "1") IMAP_DONE),
		ON("UID FETCH 8:9 (UID B", IMAP_BODY("4", "9", "1", "d") IMAP_DONE),
		ON("UID FETCH 8:8 (UID R", IMAP_LISTED("3", "8", "1") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	ack(&scene);
	next_of(&scene, 2);

	assert_mail(&scene, 0, "3/9", "d");
	ck_assert_ptr_nonnull(strstr(scene.batch.cursor, "uid=9 "));
	ck_assert_ptr_nonnull(strstr(scene.batch.cursor, "withheld=8@"));
	strike(&scene);
}
END_TEST

START_TEST(imap_source_misses_the_last_mail_that_was_left_out_at_once)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		ON(AT_ONCE("8"), WHOLE("3", "8", "c") IMAP_DONE),
		ON(AT_ONCE("9"), IMAP_DONE),
		ON(AT_ONCE("9"), IMAP_DONE),
		ON("UID FETCH 9:9 (UID R", IMAP_LISTED("4", "9", "1") IMAP_DONE),
		ON("UID FETCH 9 (UID B", IMAP_BODY("4", "9", "1", "d") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	ack(&scene);
	next_of(&scene, 2);
	assert_mail(&scene, 0, "3/8", "c");
	ack(&scene);
	next_of(&scene, 2);

	assert_mail(&scene, 0, "3/9", "d");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_asks_again_for_what_did_not_come_at_once)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		/* One without its bytes, one that was not listed so large. */
		ON(AT_ONCE("8"), IMAP_LISTED("3", "8", "1") IMAP_DONE),
		ON(AT_ONCE("9"), WHOLE("4", "9", "d") IMAP_DONE),
		ON("UID FETCH 8 (UID B", IMAP_BODY("3", "8", "1", "c") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	ack(&scene);
	next_of(&scene, 2);

	assert_mail(&scene, 0, "3/8", "c");
	assert_mail(&scene, 1, "3/9", "d");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_connects_again_when_the_connection_breaks_under_what_was_asked_ahead)
{
	static const ScriptStep steps[] = {
		BEGINNING_OF_FOUR,
		{.expect = AT_ONCE("8"), .reply = "* 3 FETCH (UID 8 RFC", .then = STEP_CLOSE},
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("9", "3", "10"),
		ON(AT_ONCE("8"), WHOLE("3", "8", "c") IMAP_DONE),
		ON(AT_ONCE("9"), WHOLE("4", "9", "d") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 2);
	ack(&scene);
	source_batch_clear(&scene.batch);
	ck_assert(!source_next(scene.source, 2, &scene.batch, &scene.error));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	g_clear_error(&scene.error);
	next_of(&scene, 2);

	assert_mail(&scene, 0, "3/8", "c");
	assert_mail(&scene, 1, "3/9", "d");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_hears_of_mail_that_comes_while_it_fetches)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("6", "3", "7"),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "1") IMAP_DONE),
		ON("UID FETCH 6 (UID B", IMAP_BODY("6", "6", "1", "a") "* 7 EXISTS\r\n" IMAP_DONE),
		ON("UID FETCH 7:* (UID)", "* 7 FETCH (UID 7)\r\n" IMAP_DONE),
		ON("UID FETCH 7:7 (UID R", IMAP_LISTED("7", "7", "1") IMAP_DONE),
		ON("UID FETCH 7 (UID B", IMAP_BODY("7", "7", "1", "b") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	next_of(&scene, 500);
	ack(&scene);
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);

	assert_mail(&scene, 0, "3/7", "b");
	strike(&scene);
}
END_TEST

START_TEST(imap_source_takes_no_old_mail_for_a_new_one_that_has_gone_again)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("5", "3", "6"),
		ON("IDLE", "+ idling\r\n* 6 EXISTS\r\n* 6 EXPUNGE\r\n"),
		ON("DONE", "$P OK done\r\n"),
		ON("UID FETCH 6:* (UID)", "* 5 FETCH (UID 5)\r\n" IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 0);
	ck_assert_ptr_null(scene.batch.cursor);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_opens_anew_a_mailbox_that_became_another_while_it_waits)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("5", "3", "6"),
		ON("IDLE", "+ idling\r\n* OK [UIDVALIDITY 4] other\r\n* 1 EXISTS\r\n"),
		ON("DONE", "$P OK done\r\n"),
		IMAP_EXAMINE("1", "4", "2"),
		ON("UID SEARCH SINCE 9-Jan-2024 UID 1:1", "* SEARCH 1\r\n" IMAP_DONE),
		ON("UID FETCH 1:1 (UID R", IMAP_LISTED("1", "1", "1") IMAP_DONE),
		ON("UID FETCH 1 (UID B", IMAP_BODY("1", "1", "1", "n") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);

	assert_mail(&scene, 0, "4/1", "n");
	ck_assert_ptr_nonnull(strstr(scene.batch.anomaly, "UIDVALIDITY changed from 3 to 4"));
	strike(&scene);
}
END_TEST

/* The second batch of a mail comes over a new connection after @answer broke the first. */
static void assert_fails_then_recovers(const char *answer, BotError code)
{
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("6", "3", "7"),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "4") IMAP_DONE),
		ON("UID FETCH 6 (UID B", answer),
		HANG_UP,
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("6", "3", "7"),
		ON("UID FETCH 6:6 (UID R", IMAP_LISTED("6", "6", "4") IMAP_DONE),
		ON("UID FETCH 6 (UID B", IMAP_BODY("6", "6", "4", "good") IMAP_DONE),
	};
	Scene scene = SCENE(steps, .cursor = CURSOR_AT_5);

	bool fine = source_next(scene.source, 500, &scene.batch, &scene.error);
	ck_assert_msg(!fine, "%s", answer);
	ck_assert_msg(g_error_matches(scene.error, BOT_ERROR, (int)code), "%s: %s", answer,
		      scene.error->message);
	ck_assert(g_str_has_prefix(scene.error->message, "source list: "));
	g_clear_error(&scene.error);
	ck_assert(source_wait(scene.source, 60000, &scene.error));
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 1);
	assert_mail(&scene, 0, "3/6", "good");
	strike(&scene);
}

START_TEST(imap_source_connects_again_after_the_connection_broke)
{
	/* In the middle of a literal, of a line, and between responses. */
	assert_fails_then_recovers("* 6 FETCH (UID 6 BODY[] {4}\r\ngo", BOT_ERROR_TRANSIENT);
	assert_fails_then_recovers("* 6 FETCH (UID 6 BO", BOT_ERROR_TRANSIENT);
	assert_fails_then_recovers(IMAP_BODY("6", "6", "4", "good"), BOT_ERROR_TRANSIENT);
	assert_fails_then_recovers("* BYE restarting\r\n", BOT_ERROR_TRANSIENT);
	assert_fails_then_recovers("* 6 FETCH (UID 6 BODY[] {4}\r\n* BYE x\r\n", BOT_ERROR_PEER);
}
END_TEST

START_TEST(imap_source_drops_the_connection_when_a_literal_is_not_as_long_as_announced)
{
	/* Longer; the rest looks like an end that we could be waiting for. */
	assert_fails_then_recovers(IMAP_BODY("6", "6", "2", "good"), BOT_ERROR_PEER);
	assert_fails_then_recovers(
		"* 6 FETCH (UID 6 BODY[] {2}\r\nhi)\r\nA001 OK done\r\n more)\r\n$T OK\r\n",
		BOT_ERROR_PEER);
	/* Shorter: the end of the list is taken for mail, and what follows is no list. */
	assert_fails_then_recovers(IMAP_BODY("6", "6", "9", "good") "$T OK done\r\n",
				   BOT_ERROR_PEER);
}
END_TEST

START_TEST(imap_source_connects_again_when_it_is_not_understood)
{
	assert_fails_then_recovers("$T BAD what\r\n", BOT_ERROR_PEER);
}
END_TEST

static void assert_open_fails(const ScriptStep *steps, size_t n_steps, const char *rest,
			      BotError code, const char *words)
{
	ScriptedServer *server = scripted_server_start(steps, n_steps, 0);
	g_autofree char *url = scripted_server_url(server, "imap", rest);
	SourceOptions options = {.name = "list",
				 .url = url,
				 .user = "bot",
				 .password = "pass",
				 .clear_text = true,
				 .stop_fd = -1};
	g_autoptr(GError) error = NULL;

	Source *source = source_open(&options, &error);
	g_autofree char *failure = scripted_server_finish(server, NULL);

	ck_assert_ptr_null(source);
	ck_assert_msg(failure == NULL || n_steps == 0, "%s", failure);
	ck_assert_msg(g_error_matches(error, BOT_ERROR, (int)code), "%s", error->message);
	ck_assert_msg(strstr(error->message, words) != NULL, "%s", error->message);
}

START_TEST(imap_source_says_which_mailbox_is_not_there)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		ON("EXAMINE \"a \\\"b\\\\ gro&AN8- &-\"", "$T NO [NONEXISTENT] no such box\r\n"),
		ON("LIST", "$T NO not here\r\n"),
	};
	static const ScriptStep near[] = {
		IMAP_LOGIN("IDLE"),
		ON("EXAMINE \"lists/gauge\"", "$T NO no such box\r\n"),
		ON("LIST", "* LIST (\\HasNoChildren) \"/\" INBOX\r\n"
			   "* LIST () NIL {12}\r\nlists/gauges\r\n$T OK done\r\n"),
	};
	static const ScriptStep far[] = {
		IMAP_LOGIN("IDLE"),
		ON("EXAMINE \"gauge\"", "$T NO no such box\r\n"),
		ON("LIST",
		   "* LIST (\\Noselect) \"/\" gauges\r\n* LIST () \"/\" \"gro&AN8-\"\r\n"
		   "* LIST () \"/\" \"a\001b\"\r\n* LIST broken\r\n* LIST () \"/\" INBOX\r\n"
		   "$T OK done\r\n"),
	};
	static const ScriptStep busy[] = {
		IMAP_LOGIN("IDLE"),
		ON("EXAMINE \"x\"", "$T NO [UNAVAILABLE] come back\r\n"),
	};
	static const ScriptStep bare[] = {
		IMAP_LOGIN("IDLE"),
		ON("EXAMINE \"x\"", "* 1 EXISTS\r\n* OK [UIDVALIDITY 3] ok\r\n$T OK done\r\n"),
	};

	assert_open_fails(steps, G_N_ELEMENTS(steps), "a%20%22b%5C%20gro%C3%9F%20%26",
			  BOT_ERROR_CONFIG, "no such box");
	assert_open_fails(near, G_N_ELEMENTS(near), "lists/gauge", BOT_ERROR_CONFIG,
			  "no such box; did you mean lists/gauges?");
	assert_open_fails(far, G_N_ELEMENTS(far), "gauge", BOT_ERROR_CONFIG,
			  "no such box; there are: gro\u00df, INBOX");
	assert_open_fails(busy, G_N_ELEMENTS(busy), "x", BOT_ERROR_TRANSIENT, "come back");
	assert_open_fails(bare, G_N_ELEMENTS(bare), "x", BOT_ERROR_PEER, "UIDNEXT");
}
END_TEST

START_TEST(imap_source_refuses_mailbox_names_that_would_be_commands)
{
	assert_open_fails(NULL, 0, "a%0D%0Ab", BOT_ERROR_CONFIG, "the url must be");
	assert_open_fails(NULL, 0, "a%00b", BOT_ERROR_CONFIG, "the url must be");
	assert_open_fails(NULL, 0, "a%FF", BOT_ERROR_CONFIG, "the url must be");
	assert_open_fails(NULL, 0, "a%zz", BOT_ERROR_CONFIG, "the url must be");
}
END_TEST

CHECK_MAIN("imap_source", imap_source_hands_out_what_is_above_the_cursor,
	   imap_source_reads_answers_in_pieces_of_any_size,
	   imap_source_hands_out_a_batch_again_until_it_is_acknowledged,
	   imap_source_starts_at_first_contact_by_internaldate,
	   imap_source_starting_now_moves_to_the_end_and_takes_what_comes_whatever_its_date,
	   imap_source_keeps_the_start_of_an_empty_mailbox,
	   imap_source_scans_again_when_uidvalidity_changes,
	   imap_source_notices_that_uidnext_went_back,
	   imap_source_reads_the_slices_of_a_public_inbox_in_order,
	   imap_source_stays_in_a_full_slice_until_there_is_mail_in_the_next,
	   imap_source_does_not_fetch_what_is_known_or_too_large,
	   imap_source_drains_a_literal_that_is_larger_than_its_listed_size,
	   imap_source_holds_no_more_than_32_mib_in_a_batch,
	   imap_source_counts_quoted_mails_against_the_32_mib_too,
	   imap_source_does_not_ask_for_ever_for_a_mail_that_is_hidden_among_other_bytes,
	   imap_source_takes_any_byte_in_a_mail,
	   imap_source_hands_out_no_wrong_mail_whatever_byte_stands_in_an_answer,
	   imap_source_cuts_batches_at_the_number_asked_for,
	   imap_source_leaps_over_uids_that_nobody_has,
	   imap_source_passes_over_mails_expunged_meanwhile,
	   imap_source_keeps_in_mind_what_the_server_withholds,
	   imap_source_asks_again_for_what_was_withheld_and_gives_it_up_after_an_hour,
	   imap_source_gives_up_no_mail_when_the_server_withholds_all,
	   imap_source_asks_ahead_for_small_mails,
	   imap_source_reads_again_what_was_not_acknowledged_whatever_was_asked_ahead,
	   imap_source_lists_first_where_a_server_refuses_both_at_once,
	   imap_source_misses_a_mail_that_was_left_out_at_once,
	   imap_source_misses_the_last_mail_that_was_left_out_at_once,
	   imap_source_asks_again_for_what_did_not_come_at_once,
	   imap_source_connects_again_when_the_connection_breaks_under_what_was_asked_ahead,
	   imap_source_hears_of_mail_that_comes_while_it_fetches,
	   imap_source_takes_no_old_mail_for_a_new_one_that_has_gone_again,
	   imap_source_opens_anew_a_mailbox_that_became_another_while_it_waits,
	   imap_source_connects_again_after_the_connection_broke,
	   imap_source_drops_the_connection_when_a_literal_is_not_as_long_as_announced,
	   imap_source_connects_again_when_it_is_not_understood,
	   imap_source_says_which_mailbox_is_not_there,
	   imap_source_refuses_mailbox_names_that_would_be_commands)

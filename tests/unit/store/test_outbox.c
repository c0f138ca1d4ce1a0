/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/store/fixture.h"

static OutgoingMail *make_mail(const char *purpose, OutgoingState state)
{
	OutgoingMail *mail = g_new0(OutgoingMail, 1);

	mail->purpose = g_strdup(purpose);
	mail->message_id = g_strdup_printf("%s@bot.example.org", purpose);
	mail->subject = g_strdup("Re: lib: foo");
	mail->bytes = g_bytes_new("Subject: x\n\ny\n", 14);
	mail->envelope_from = mailbox_new("lorebot", "bot@example.org", NULL);
	mail->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	g_ptr_array_add(mail->recipients, mailbox_new("Ann", "ann@example.org", NULL));
	g_ptr_array_add(mail->recipients, mailbox_new(NULL, "lab@lists.example.org", NULL));
	mail->state = state;
	mail->hold_reason = state == OUTGOING_HELD ? g_strdup("list lab holds") : NULL;
	return mail;
}

static int64_t add_mail(Db *db, const char *purpose, OutgoingState state)
{
	g_autoptr(OutgoingMail) mail = make_mail(purpose, state);
	int64_t row = 0;
	bool is_new = false;

	OK(db_begin(db, error));
	OK(outbox_insert(db, mail, &row, &is_new, error));
	OK(db_commit(db, error));
	return row;
}

static OutgoingState state_of(Db *db, int64_t row)
{
	g_autoptr(OutgoingMail) mail = outbox_get(db, row, NULL);
	ck_assert_ptr_nonnull(mail);
	return mail->state;
}

static int64_t add_sending(Db *db, const char *purpose)
{
	int64_t row = add_mail(db, purpose, OUTGOING_QUEUED);
	g_autoptr(OutgoingMail) claimed = outbox_claim(db, NULL);

	ck_assert_int_eq(claimed->row, row);
	OK(outbox_begin_attempt(db, row, error));
	return row;
}

static int64_t add_unknown(Db *db, const char *purpose)
{
	int64_t row = add_sending(db, purpose);

	OK(outbox_settle(db, row, OUTGOING_UNKNOWN, "reply lost", NULL, 0, 0, error));
	return row;
}

START_TEST(a_purpose_gives_one_mail_however_often_it_is_inserted)
{
	FIXTURE(f);
	g_autoptr(OutgoingMail) again = make_mail("job:1:report", OUTGOING_QUEUED);
	int64_t row = 0;
	bool is_new = true;
	int64_t first = add_mail(f.db, "job:1:report", OUTGOING_QUEUED);

	g_free(again->message_id);
	again->message_id = g_strdup("another@bot.example.org");
	OK(db_begin(f.db, error));
	OK(outbox_insert(f.db, again, &row, &is_new, error));
	OK(db_commit(f.db, error));

	ck_assert(!is_new);
	ck_assert_int_eq(row, first);
}
END_TEST

START_TEST(a_mail_comes_back_as_it_was_inserted)
{
	FIXTURE(f);
	int64_t row = add_mail(f.db, "p", OUTGOING_HELD);

	g_autoptr(OutgoingMail) mail = outbox_get(f.db, row, NULL);
	g_autoptr(OutgoingMail) same = outbox_find_message(f.db, "p@bot.example.org", NULL);

	ck_assert_str_eq(mail->purpose, "p");
	ck_assert_str_eq(mail->hold_reason, "list lab holds");
	ck_assert_uint_eq(mail->recipients->len, 2);
	ck_assert_str_eq(((Mailbox *)mail->recipients->pdata[0])->addr, "ann@example.org");
	ck_assert_str_eq(mail->envelope_from->addr, "bot@example.org");
	ck_assert_uint_eq(g_bytes_get_size(mail->bytes), 14);
	ck_assert_int_eq(same->row, row);
	ck_assert_ptr_null(outbox_find_message(f.db, "stranger@x", NULL));
}
END_TEST

START_TEST(only_what_is_queued_and_due_is_claimed)
{
	FIXTURE(f);
	int64_t row = add_sending(f.db, "p");
	add_mail(f.db, "held", OUTGOING_HELD);

	OK(outbox_settle(f.db, row, OUTGOING_QUEUED, "451 later", NULL, 0, NOW_US + HOUR_US,
			 error));

	ck_assert_ptr_null(outbox_claim(f.db, NULL));
	clock_set(f.clock, NOW_US + HOUR_US);
	g_autoptr(OutgoingMail) due = outbox_claim(f.db, NULL);
	ck_assert_int_eq(due->row, row);
	ck_assert_uint_eq(due->attempts, 1);
	ck_assert_str_eq(due->last_reply, "451 later");
}
END_TEST

START_TEST(an_attempt_is_on_record_before_it_begins)
{
	FIXTURE(f);
	g_autoptr(GError) again = NULL;

	int64_t row = add_sending(f.db, "p");

	g_autoptr(OutgoingMail) mail = outbox_get(f.db, row, NULL);
	ck_assert_int_eq(mail->state, OUTGOING_SENDING);
	ck_assert_uint_eq(mail->attempts, 1);
	ck_assert_int_eq(mail->attempted_us, NOW_US);
	ck_assert(!outbox_begin_attempt(f.db, row, &again));
	ck_assert(g_error_matches(again, BOT_ERROR, BOT_ERROR_CONFLICT));
}
END_TEST

START_TEST(a_settled_mail_has_its_events_in_order)
{
	FIXTURE(f);
	int64_t row = add_sending(f.db, "p");
	g_autoptr(Mailbox) ann = mailbox_new(NULL, "ann@example.org", NULL);
	char text[] = "550 no such user";
	RecipientReply reply = {ann, 550, text};

	OK(outbox_settle(f.db, row, OUTGOING_SENT, "250 ok", &reply, 1, 0, error));

	g_autofree char *events = event_names(f.db, "outgoing", row);
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_SENT);
	ck_assert_str_eq(events, "outgoing.queued outgoing.sending outgoing.sent");
	ck_assert_int_eq(outbox_count_since(f.db, NOW_US), 1);
	ck_assert_int_eq(outbox_count_since(f.db, NOW_US + 1), 0);
}
END_TEST

START_TEST(a_mail_that_was_not_sending_cannot_become_sent)
{
	FIXTURE(f);
	int64_t row = add_mail(f.db, "p", OUTGOING_HELD);
	g_autoptr(GError) failed = NULL;

	ck_assert(!outbox_settle(f.db, row, OUTGOING_SENT, "250", NULL, 0, 0, &failed));
	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CONFLICT));
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_HELD);
}
END_TEST

static bool confirm(Db *db, const char *message_id)
{
	bool ours = false;

	OK(db_begin(db, error));
	OK(outbox_confirm(db, message_id, &ours, error));
	OK(db_commit(db, error));
	return ours;
}

START_TEST(own_mail_seen_again_is_confirmed_whatever_we_thought)
{
	FIXTURE(f);
	int64_t sending = add_sending(f.db, "a");
	int64_t unknown = add_unknown(f.db, "b");
	int64_t retried = add_sending(f.db, "c");
	int64_t queued = add_mail(f.db, "d", OUTGOING_QUEUED);
	OK(outbox_settle(f.db, retried, OUTGOING_QUEUED, "lost", NULL, 0, 0, error));

	ck_assert(confirm(f.db, "a@bot.example.org"));
	ck_assert(confirm(f.db, "b@bot.example.org"));
	ck_assert(confirm(f.db, "c@bot.example.org"));
	ck_assert(confirm(f.db, "d@bot.example.org"));
	ck_assert(!confirm(f.db, "stranger@x"));

	ck_assert_int_eq(state_of(f.db, sending), OUTGOING_CONFIRMED);
	ck_assert_int_eq(state_of(f.db, unknown), OUTGOING_CONFIRMED);
	ck_assert_int_eq(state_of(f.db, retried), OUTGOING_CONFIRMED);
	ck_assert_int_eq(state_of(f.db, queued), OUTGOING_QUEUED); /* never tried: not from us */
}
END_TEST

START_TEST(a_confirmation_that_overtakes_the_servers_answer_stays)
{
	FIXTURE(f);
	int64_t row = add_sending(f.db, "a");

	confirm(f.db, "a@bot.example.org");
	OK(outbox_settle(f.db, row, OUTGOING_UNKNOWN, "timeout", NULL, 0, 0, error));

	ck_assert_int_eq(state_of(f.db, row), OUTGOING_CONFIRMED);
}
END_TEST

/* The server takes the mail, but Ann is told to come back in an hour. */
static int64_t add_put_off(Db *db)
{
	int64_t row = add_sending(db, "p");
	g_autoptr(OutgoingMail) mail = outbox_get(db, row, NULL);
	g_autofree char *come_back = g_strdup("4.2.0 come back");
	RecipientReply replies[] = {{mail->recipients->pdata[0], 450, come_back},
				    {mail->recipients->pdata[1], 250, NULL}};

	OK(outbox_settle(db, row, OUTGOING_SENT, "250 queued", replies, 2, NOW_US + HOUR_US,
			 error));
	return row;
}

START_TEST(only_who_was_put_off_is_asked_again)
{
	FIXTURE(f);
	int64_t row = add_put_off(f.db);

	ck_assert_ptr_null(outbox_claim(f.db, NULL));
	confirm(f.db, "p@bot.example.org");
	clock_set(f.clock, NOW_US + HOUR_US);
	g_autoptr(OutgoingMail) due = outbox_claim(f.db, NULL);

	ck_assert_int_eq(due->row, row);
	ck_assert_uint_eq(due->recipients->len, 1);
	ck_assert_str_eq(((Mailbox *)due->recipients->pdata[0])->addr, "ann@example.org");
	OK(outbox_begin_attempt(f.db, row, error));
	RecipientReply taken = {due->recipients->pdata[0], 250, NULL};
	OK(outbox_settle(f.db, row, OUTGOING_SENT, "250 queued", &taken, 1, 0, error));
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_CONFIRMED);
	clock_set(f.clock, NOW_US + 48 * HOUR_US);
	ck_assert_ptr_null(outbox_claim(f.db, NULL));
}
END_TEST

START_TEST(who_was_put_off_stays_so_while_the_server_cannot_be_reached)
{
	FIXTURE(f);
	int64_t row = add_put_off(f.db);

	clock_set(f.clock, NOW_US + HOUR_US);
	g_autoptr(OutgoingMail) due = outbox_claim(f.db, NULL);
	RecipientReply not_asked = {due->recipients->pdata[0], 0, NULL};
	OK(outbox_begin_attempt(f.db, row, error));
	OK(outbox_settle(f.db, row, OUTGOING_QUEUED, "no connection", &not_asked, 1,
			 NOW_US + 2 * HOUR_US, error));
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_SENT);
	clock_set(f.clock, NOW_US + 2 * HOUR_US);

	g_autoptr(OutgoingMail) again = outbox_claim(f.db, NULL);
	ck_assert_uint_eq(again->recipients->len, 1);
}
END_TEST

START_TEST(a_process_that_dies_while_it_asks_again_does_not_double_a_mail)
{
	FIXTURE(f);
	int64_t row = add_put_off(f.db);

	clock_set(f.clock, NOW_US + HOUR_US);
	outgoing_free(outbox_claim(f.db, NULL));
	OK(outbox_begin_attempt(f.db, row, error));
	clock_set(f.clock, NOW_US + 24 * HOUR_US);
	OK(db_release_dead(f.db, error));
	OK(outbox_recover(f.db, error));

	ck_assert_ptr_null(outbox_claim(f.db, NULL));
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_SENT);
}
END_TEST

/* Of a mail to list lab, when these sources confirm. */
static void settle_unknown(Db *db, int64_t row, const char *source, const char *other)
{
	g_autoptr(GArray) doors = g_array_new(FALSE, FALSE, sizeof(UnknownDoor));
	UnknownRule rule = {doors, HOUR_US};
	const char *names[] = {source, other};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		UnknownDoor door = {names[i], "lab"};
		if (names[i] != NULL)
			g_array_append_val(doors, door);
	}
	OK(outbox_settle_unknown(db, row, &rule, error));
}

/* A mail of @list, dated @date_us, comes by @source, which is behind by @behind afterwards. */
static void show_behind(const Fixture *f, const char *source, const char *list, int64_t date_us,
			int64_t behind)
{
	g_autofree char *id = g_strdup_printf("%s-%s-%" G_GINT64_FORMAT, source, list, date_us);
	g_autoptr(GBytes) bytes = g_bytes_new_static("A: b\n\nc\n", 8);
	IncomingOutcome outcome;
	Incoming incoming = {.source = source,
			     .locator = id,
			     .bytes = bytes,
			     .message_id = id,
			     .date_us = date_us,
			     .arrived_us = clock_now_us(f->clock)};
	MessageFacts facts = {.kind = "other", .list = list, .subject = "x"};

	attach(f->db, source);
	OK(cursor_connected(f->db, source, error));
	OK(db_begin(f->db, error));
	OK(messages_record(f->db, &incoming, &outcome, error));
	OK(cursor_advance(f->db, source, NULL, behind, date_us, error));
	OK(db_commit(f->db, error));
	g_autoptr(StoredMessage) message = messages_find(f->db, id, NULL);
	OK(db_begin(f->db, error));
	OK(messages_understood(f->db, message->row, &facts, error));
	OK(db_commit(f->db, error));
}

static void show(const Fixture *f, const char *source, const char *list, int64_t date_us)
{
	show_behind(f, source, list, date_us, 0);
}

START_TEST(an_unknown_mail_waits_until_the_source_has_later_mail)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show(&f, "archive", "lab", NOW_US + HOUR_US);
	settle_unknown(f.db, row, "archive", NULL);
	OutgoingState early = state_of(f.db, row);
	show(&f, "archive", "lab", NOW_US + HOUR_US + 1);
	settle_unknown(f.db, row, "archive", NULL);

	ck_assert_int_eq(early, OUTGOING_UNKNOWN);
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_QUEUED);
}
END_TEST

START_TEST(later_mail_of_another_list_vouches_for_nothing)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	show(&f, "archive", "lab", NOW_US - HOUR_US);
	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show(&f, "archive", "other", NOW_US + 2 * HOUR_US);
	settle_unknown(f.db, row, "archive", NULL);

	ck_assert_int_eq(state_of(f.db, row), OUTGOING_UNKNOWN);
}
END_TEST

START_TEST(a_source_without_the_list_neither_vouches_nor_is_waited_for)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show(&f, "elsewhere", "other", NOW_US + 2 * HOUR_US);
	show(&f, "archive", "lab", NOW_US);
	settle_unknown(f.db, row, "elsewhere", "archive");
	OutgoingState early = state_of(f.db, row);
	show(&f, "archive", "lab", NOW_US + 2 * HOUR_US);
	settle_unknown(f.db, row, "elsewhere", "archive");

	ck_assert_int_eq(early, OUTGOING_UNKNOWN);
	ck_assert_int_eq(state_of(f.db, row), OUTGOING_QUEUED);
}
END_TEST

START_TEST(all_sources_with_the_list_must_have_later_mail)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show(&f, "fast", "lab", NOW_US + 2 * HOUR_US);
	show(&f, "slow", "lab", NOW_US);
	settle_unknown(f.db, row, "fast", "slow");

	ck_assert_int_eq(state_of(f.db, row), OUTGOING_UNKNOWN);
}
END_TEST

START_TEST(a_source_that_is_behind_vouches_for_nothing)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show_behind(&f, "archive", "lab", NOW_US + 2 * HOUR_US, 1);
	settle_unknown(f.db, row, "archive", NULL);

	ck_assert_int_eq(state_of(f.db, row), OUTGOING_UNKNOWN);
}
END_TEST

START_TEST(a_date_from_the_future_vouches_for_nothing)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	show(&f, "archive", "lab", NOW_US + 1000 * DAY_US);
	settle_unknown(f.db, row, "archive", NULL);

	ck_assert_int_eq(state_of(f.db, row), OUTGOING_UNKNOWN);
}
END_TEST

START_TEST(an_unknown_mail_that_a_source_has_is_confirmed)
{
	FIXTURE(f);
	int64_t row = add_unknown(f.db, "a");

	record_bytes(f.db, "archive", "1", "a@bot.example.org", "A: b\n\nc\n");
	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show(&f, "archive", "lab", NOW_US + 2 * HOUR_US);
	settle_unknown(f.db, row, "archive", NULL);

	ck_assert_int_eq(state_of(f.db, row), OUTGOING_CONFIRMED);
}
END_TEST

START_TEST(an_unknown_mail_that_nobody_can_confirm_is_held)
{
	FIXTURE(f);
	int64_t alone = add_unknown(f.db, "a");
	int64_t elsewhere = add_unknown(f.db, "b");

	settle_unknown(f.db, alone, NULL, NULL);
	settle_unknown(f.db, elsewhere, "archive", NULL);
	OutgoingState early = state_of(f.db, elsewhere);
	clock_set(f.clock, NOW_US + 3 * HOUR_US);
	show(&f, "archive", "other", NOW_US + 2 * HOUR_US);
	settle_unknown(f.db, elsewhere, "archive", NULL);

	g_autoptr(OutgoingMail) mail = outbox_get(f.db, elsewhere, NULL);
	ck_assert_int_eq(state_of(f.db, alone), OUTGOING_HELD);
	ck_assert_int_eq(early, OUTGOING_UNKNOWN);
	ck_assert_int_eq(mail->state, OUTGOING_HELD);
	ck_assert_ptr_nonnull(strstr(mail->hold_reason, "no source that confirms has shown mail"));
}
END_TEST

START_TEST(the_operator_approves_or_rejects_what_is_held)
{
	FIXTURE(f);
	int64_t yes = add_mail(f.db, "a", OUTGOING_HELD);
	int64_t no = add_mail(f.db, "b", OUTGOING_HELD);
	g_autoptr(GError) failed = NULL;

	OK(outbox_decide(f.db, yes, true, "bo", error));
	OK(outbox_decide(f.db, no, false, "bo", error));

	ck_assert_int_eq(state_of(f.db, yes), OUTGOING_QUEUED);
	ck_assert_int_eq(state_of(f.db, no), OUTGOING_REJECTED);
	ck_assert(!outbox_decide(f.db, no, true, "bo", &failed));
	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CONFLICT));
}
END_TEST

START_TEST(the_operator_stops_a_queued_mail_but_none_that_is_on_its_way)
{
	FIXTURE(f);
	int64_t queued = add_mail(f.db, "a", OUTGOING_QUEUED);
	int64_t sending = add_mail(f.db, "b", OUTGOING_QUEUED);
	g_autoptr(GError) late = NULL;

	OK(outbox_begin_attempt(f.db, sending, error));
	OK(outbox_decide(f.db, queued, false, "bo", error));

	ck_assert_int_eq(state_of(f.db, queued), OUTGOING_REJECTED);
	ck_assert(!outbox_decide(f.db, sending, false, "bo", &late));
	ck_assert(g_error_matches(late, BOT_ERROR, BOT_ERROR_CONFLICT));
	ck_assert_int_eq(state_of(f.db, sending), OUTGOING_SENDING);
}
END_TEST

CHECK_MAIN("outbox", a_purpose_gives_one_mail_however_often_it_is_inserted,
	   a_mail_comes_back_as_it_was_inserted, only_what_is_queued_and_due_is_claimed,
	   an_attempt_is_on_record_before_it_begins, a_settled_mail_has_its_events_in_order,
	   a_mail_that_was_not_sending_cannot_become_sent,
	   own_mail_seen_again_is_confirmed_whatever_we_thought,
	   a_confirmation_that_overtakes_the_servers_answer_stays,
	   only_who_was_put_off_is_asked_again,
	   who_was_put_off_stays_so_while_the_server_cannot_be_reached,
	   a_process_that_dies_while_it_asks_again_does_not_double_a_mail,
	   an_unknown_mail_waits_until_the_source_has_later_mail,
	   later_mail_of_another_list_vouches_for_nothing,
	   a_source_without_the_list_neither_vouches_nor_is_waited_for,
	   all_sources_with_the_list_must_have_later_mail,
	   a_source_that_is_behind_vouches_for_nothing, a_date_from_the_future_vouches_for_nothing,
	   an_unknown_mail_that_a_source_has_is_confirmed,
	   an_unknown_mail_that_nobody_can_confirm_is_held,
	   the_operator_stops_a_queued_mail_but_none_that_is_on_its_way,
	   the_operator_approves_or_rejects_what_is_held)

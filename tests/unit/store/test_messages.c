/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/store/fixture.h"

START_TEST(a_message_is_stored_once_and_each_door_is_a_sighting)
{
	FIXTURE(f);

	ck_assert_int_eq(record_bytes(f.db, "lab", "1", "a@x", "Subject: a\n\nbody\n"),
			 INCOMING_NEW);
	ck_assert_int_eq(record_bytes(f.db, "lab", "1", "a@x", "Subject: a\n\nbody\n"),
			 INCOMING_KNOWN);
	ck_assert_int_eq(
		record_bytes(f.db, "copy", "9", "a@x", "Received: y\r\nSubject: a\r\n\r\nbody\r\n"),
		INCOMING_SIGHTED);

	g_autoptr(StoredMessage) message = messages_find(f.db, "a@x", NULL);
	g_auto(GStrv) sources = messages_sources(f.db, message->row, NULL);
	g_autofree char *joined = g_strjoinv(" ", sources);
	g_autofree char *events = event_names(f.db, "message", message->row);
	ck_assert_str_eq(message->state, "new");
	ck_assert_str_eq(joined, "copy lab");
	ck_assert_str_eq(events, ""); /* other headers and line ends are no alteration */
}
END_TEST

START_TEST(a_copy_that_says_something_else_is_an_event_and_the_first_stays)
{
	FIXTURE(f);

	record_bytes(f.db, "lab", "1", "a@x", "Subject: a\n\nbody\n");
	record_bytes(f.db, "copy", "1", "a@x", "Subject: a\n\nother body\n");

	g_autoptr(StoredMessage) message = messages_find(f.db, "a@x", NULL);
	g_autoptr(GBytes) raw = messages_raw(f.db, message->row, NULL);
	g_autofree char *events = event_names(f.db, "message", message->row);
	ck_assert_str_eq(events, "message.altered");
	ck_assert_uint_eq(g_bytes_get_size(raw), strlen("Subject: a\n\nbody\n"));
}
END_TEST

#define ANN "From: Ann Author <ann@example.org>\n"
#define FOOTER "______________\nlab mailing list\n"

/* The copy that is read, and how many sightings and events there are, after @n arrivals in an
 * order. */
static void arrive(Db *db, const char *const *copies, const unsigned *order, unsigned n,
		   const char *want)
{
	static unsigned n_mails;
	g_autofree char *id = g_strdup_printf("m%u@example.org", n_mails++);

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *source = g_strdup_printf("door%u", order[i]);
		record_bytes(db, source, id, id, copies[order[i]]);
	}
	g_autoptr(StoredMessage) message = messages_find(db, id, NULL);
	g_autoptr(GBytes) raw = messages_raw(db, message->row, NULL);
	g_auto(GStrv) sources = messages_sources(db, message->row, NULL);
	gsize len = 0;
	const char *text = g_bytes_get_data(raw, &len);
	ck_assert_uint_eq(g_strv_length(sources), n);
	ck_assert_msg(len == strlen(want) && memcmp(text, want, len) == 0, "%.*s", (int)len, text);
}

static void permute(Db *db, const char *const *copies, unsigned *order, unsigned at, unsigned n,
		    const char *want)
{
	if (at == n)
		arrive(db, copies, order, n, want);
	for (unsigned i = at; i < n; i++) {
		unsigned moved = order[at];
		order[at] = order[i];
		order[i] = moved;
		permute(db, copies, order, at + 1, n, want);
		order[i] = order[at];
		order[at] = moved;
	}
}

START_TEST(the_best_copy_is_read_whatever_order_they_come_in)
{
	static const char *const copies[] = {
		ANN "Subject: a\n\nbody\n",
		ANN "Subject: [lab] a\n\nbody\n",
		ANN "Subject: a\n\nbody\n" FOOTER,
		"From: Ann via lab <lab@example.com>\nReply-To: ann@example.org\n"
		"Subject: [lab] a\n\nbody\n" FOOTER,
	};
	FIXTURE(f);

	/* All of them, and those that are left when the best ones are missing. */
	for (unsigned best = 0; best < 2; best++) {
		unsigned order[G_N_ELEMENTS(copies)];
		unsigned n = G_N_ELEMENTS(copies) - best;
		for (unsigned i = 0; i < n; i++)
			order[i] = i + best;
		permute(f.db, copies, order, 0, n, best == 0 ? copies[0] : copies[2]);
	}
}
END_TEST

START_TEST(a_refused_mail_is_counted_and_no_message)
{
	FIXTURE(f);
	Incoming incoming = {.source = "lab",
			     .locator = "7",
			     .refused = "17000000 bytes, more than the 16777216 allowed",
			     .arrived_us = NOW_US};
	IncomingOutcome outcome = INCOMING_NEW;
	attach(f.db, "lab");

	OK(db_begin(f.db, error));
	OK(messages_record(f.db, &incoming, &outcome, error));
	OK(db_commit(f.db, error));

	StoreCounts counts = {0};
	OK(store_counts(f.db, &counts, error));
	g_autofree char *events = event_names(f.db, "source", 1);
	ck_assert_int_eq(outcome, INCOMING_REFUSED);
	ck_assert_int_eq(counts.refused, 1);
	ck_assert_int_eq(counts.messages, 0);
	ck_assert_str_eq(events, "source.attached message.refused");
	ck_assert(messages_locator_known(f.db, "lab", "7"));
	store_counts_clear(&counts);
}
END_TEST

START_TEST(observe_holds_only_while_every_door_is_an_observing_one)
{
	FIXTURE(f);
	g_autoptr(GBytes) bytes = g_bytes_new_static("A: b\n\nc\n", 8);
	IncomingOutcome outcome;
	Incoming incoming = {.source = "archive",
			     .locator = "1",
			     .bytes = bytes,
			     .message_id = "a@x",
			     .arrived_us = NOW_US,
			     .observe = true};

	OK(db_begin(f.db, error));
	OK(messages_record(f.db, &incoming, &outcome, error));
	OK(db_commit(f.db, error));
	g_autoptr(StoredMessage) before = messages_find(f.db, "a@x", NULL);
	record_bytes(f.db, "lab", "1", "a@x", "A: b\n\nc\n");
	g_autoptr(StoredMessage) after = messages_find(f.db, "a@x", NULL);

	ck_assert(before->observe);
	ck_assert(!after->observe);
}
END_TEST

START_TEST(raw_bytes_come_back_as_they_were)
{
	FIXTURE(f);
	static const char odd[] = "A: b\n\nnul \0 and \xff\xfe\r\n";
	g_autoptr(GBytes) bytes = g_bytes_new_static(odd, sizeof(odd));
	IncomingOutcome outcome;
	Incoming incoming = {.source = "lab", .locator = "1", .bytes = bytes, .message_id = "a@x"};

	OK(db_begin(f.db, error));
	OK(messages_record(f.db, &incoming, &outcome, error));
	OK(db_commit(f.db, error));

	g_autoptr(GBytes) back = messages_raw(f.db, 1, NULL);
	ck_assert(g_bytes_equal(bytes, back));
}
END_TEST

START_TEST(messages_are_claimed_oldest_first_and_only_once)
{
	FIXTURE(f);
	add_message(f.db, "a@x");
	add_message(f.db, "b@x");
	add_message(f.db, "c@x");

	g_autoptr(GPtrArray) two = messages_claim(f.db, 2, NULL);
	g_autoptr(GPtrArray) rest = messages_claim(f.db, 2, NULL);
	g_autoptr(GPtrArray) none = messages_claim(f.db, 2, NULL);

	ck_assert_uint_eq(two->len, 2);
	ck_assert_str_eq(((StoredMessage *)two->pdata[0])->message_id, "a@x");
	ck_assert_str_eq(((StoredMessage *)two->pdata[1])->message_id, "b@x");
	ck_assert_uint_eq(rest->len, 1);
	ck_assert_uint_eq(none->len, 0);
}
END_TEST

START_TEST(an_understood_message_has_its_facts_and_is_not_claimed_again)
{
	FIXTURE(f);
	PatchSpec spec = {"a@x", "[PATCH v2 1/3] lib: foo", "root@x", NULL, 0};

	g_autoptr(PatchMail) mail = add_patch(f.db, &spec);

	g_autoptr(GPtrArray) none = messages_claim(f.db, 9, NULL);
	g_autoptr(StoredMessage) message = messages_get(f.db, mail->message_row, NULL);
	g_autoptr(GPtrArray) ancestors = messages_ancestors(f.db, mail->message_row, NULL);
	ck_assert_uint_eq(none->len, 0);
	ck_assert_str_eq(message->state, "understood");
	ck_assert_str_eq(message->kind, "patch");
	ck_assert_str_eq(message->from_name, "Ann Author");
	ck_assert_str_eq(message->list, "lab");
	ck_assert_str_eq(ancestors->pdata[0], "root@x");
}
END_TEST

START_TEST(a_message_of_another_process_cannot_be_understood)
{
	FIXTURE(f);
	int64_t row = add_message(f.db, "a@x");
	MessageFacts facts = {.kind = "other"};
	g_autoptr(GError) failed = NULL;

	db_set_owner(f.db, "first");
	g_autoptr(GPtrArray) claimed = messages_claim(f.db, 1, NULL);
	db_set_owner(f.db, "second");
	ck_assert_uint_eq(claimed->len, 1);
	OK(db_begin(f.db, error));
	bool done = messages_understood(f.db, row, &facts, &failed);
	db_rollback(f.db);

	ck_assert(!done);
	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CONFLICT));
}
END_TEST

START_TEST(an_unreadable_message_keeps_the_reason_and_its_bytes)
{
	FIXTURE(f);
	int64_t row = add_message(f.db, "a@x");

	OK(db_begin(f.db, error));
	OK(messages_refused(f.db, row, "no header at all", error));
	OK(db_commit(f.db, error));

	g_autoptr(StoredMessage) message = messages_get(f.db, row, NULL);
	g_autoptr(GBytes) raw = messages_raw(f.db, row, NULL);
	g_autofree char *events = event_names(f.db, "message", row);
	ck_assert_str_eq(message->state, "refused");
	ck_assert_ptr_nonnull(raw);
	ck_assert_str_eq(events, "message.refused");
}
END_TEST

static gint compare_ids(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *related_ids(Db *db, int64_t row)
{
	g_autoptr(GPtrArray) mails = NULL;
	g_autoptr(GPtrArray) ids = g_ptr_array_new();

	OK((mails = related_to(db, row, error)) != NULL);
	for (guint i = 0; i < mails->len; i++)
		g_ptr_array_add(ids, ((PatchMail *)mails->pdata[i])->message_id);
	g_ptr_array_sort(ids, compare_ids);
	g_ptr_array_add(ids, NULL);
	return g_strjoinv(" ", (GStrv)ids->pdata);
}

START_TEST(related_mails_are_those_of_the_thread_both_ways)
{
	FIXTURE(f);
	PatchSpec specs[] = {
		{"c@x", "[PATCH 0/2] a", "lost@x", NULL, 0},
		{"p1@x", "[PATCH 1/2] b", "c@x", NULL, 0},
		{"p2@x", "[PATCH 2/2] c", "c@x", NULL, 0},
		{"v2@x", "[PATCH v2] d", "lost@x", NULL, 0},
		{"far@x", "[PATCH] e", NULL, NULL, 0},
	};
	int64_t row = 0;

	for (guint i = 0; i < G_N_ELEMENTS(specs); i++) {
		g_autoptr(PatchMail) mail = add_patch(f.db, &specs[i]);
		if (i == 1)
			row = mail->message_row;
	}

	g_autofree char *ids = related_ids(f.db, row);
	ck_assert_str_eq(ids, "c@x p1@x p2@x v2@x");
}
END_TEST

START_TEST(related_mails_are_those_of_the_poster_close_in_time_too)
{
	FIXTURE(f);
	PatchSpec specs[] = {
		{"p1@x", "[PATCH 1/2] a", NULL, NULL, 0},
		{"p2@x", "[PATCH 2/2] b", NULL, "ANN@example.org", NOW_US + 13 * DAY_US},
		{"late@x", "[PATCH 2/2] b", NULL, NULL, NOW_US + 15 * DAY_US},
		{"other@x", "[PATCH 2/2] b", NULL, "bo@example.org", 0},
		{"three@x", "[PATCH 2/3] b", NULL, NULL, 0},
		{"v2@x", "[PATCH v2 2/2] b", NULL, NULL, 0},
	};

	for (guint i = 0; i < G_N_ELEMENTS(specs); i++)
		patch_mail_free(add_patch(f.db, &specs[i]));

	g_autofree char *ids = related_ids(f.db, 1);
	ck_assert_str_eq(ids, "p1@x p2@x");
}
END_TEST

START_TEST(a_related_mail_comes_back_as_it_was_saved)
{
	FIXTURE(f);
	PatchSpec spec = {"a@x", "Re: [RFC PATCH net-next RESEND v3 2/7] net: foo", "b@x", NULL, 0};
	g_autoptr(PatchMail) in = add_patch(f.db, &spec);

	g_autoptr(GPtrArray) mails = related_to(f.db, in->message_row, NULL);
	const PatchMail *out = mails->pdata[0];

	ck_assert_uint_eq(mails->len, 1);
	ck_assert_str_eq(out->message_id, in->message_id);
	ck_assert(mailbox_equal(out->from, in->from));
	ck_assert_int_eq(out->date_us, NOW_US - HOUR_US); /* that of the message */
	ck_assert_uint_eq(out->prefix->revision, 3);
	ck_assert_uint_eq(out->prefix->number, 2);
	ck_assert_uint_eq(out->prefix->total, 7);
	ck_assert_int_eq(out->prefix->rfc, in->prefix->rfc);
	ck_assert_int_eq(out->prefix->resend, in->prefix->resend);
	ck_assert(g_strv_equal((const char *const *)out->prefix->tags,
			       (const char *const *)in->prefix->tags));
	ck_assert_str_eq(out->prefix->title, in->prefix->title);
	ck_assert(out->prefix->is_reply);
	ck_assert(out->answers);
	ck_assert_str_eq(out->references->pdata[0], "b@x");
}
END_TEST

START_TEST(a_related_mail_that_only_has_references_answers_nothing)
{
	FIXTURE(f);
	PatchSpec spec = {"a@x", "[PATCH 1/2] foo", NULL, NULL, 0};
	g_autoptr(PatchMail) in = add_patch(f.db, &spec);

	g_autoptr(GPtrArray) mails = related_to(f.db, in->message_row, NULL);
	const PatchMail *out = mails->pdata[0];

	ck_assert(!out->answers);
}
END_TEST

START_TEST(a_thread_without_end_is_bounded_and_holds_the_mail_itself)
{
	FIXTURE(f);
	int64_t last = 0;

	OK(db_begin(f.db, error));
	for (int i = 0; i < 2100; i++) {
		g_autofree char *id = g_strdup_printf("%d@x", i);
		g_autoptr(GBytes) bytes = g_bytes_new(id, strlen(id));
		PatchSpec spec = {id, "[PATCH 1/2] a", "root@x", NULL, 0};
		g_autoptr(PatchMail) mail = make_patch(&spec);
		IncomingOutcome outcome;
		Incoming incoming = {
			.source = "lab", .locator = id, .bytes = bytes, .message_id = id};
		OK(messages_record(f.db, &incoming, &outcome, error));
		g_autoptr(StoredMessage) message = messages_find(f.db, id, NULL);
		MessageFacts facts = {.kind = "patch",
				      .subject = "",
				      .references = mail->references,
				      .patch_mail = mail};
		OK(messages_understood(f.db, message->row, &facts, error));
		last = message->row;
	}
	OK(db_commit(f.db, error));

	g_autoptr(GPtrArray) mails = related_to(f.db, last, NULL);
	bool own = false;
	for (guint i = 0; i < mails->len; i++)
		own |= ((PatchMail *)mails->pdata[i])->message_row == last;
	ck_assert_uint_eq(mails->len, 2000);
	ck_assert(own);
}
END_TEST

CHECK_MAIN("messages", a_message_is_stored_once_and_each_door_is_a_sighting,
	   a_copy_that_says_something_else_is_an_event_and_the_first_stays,
	   the_best_copy_is_read_whatever_order_they_come_in,
	   a_refused_mail_is_counted_and_no_message,
	   observe_holds_only_while_every_door_is_an_observing_one,
	   raw_bytes_come_back_as_they_were, messages_are_claimed_oldest_first_and_only_once,
	   an_understood_message_has_its_facts_and_is_not_claimed_again,
	   a_message_of_another_process_cannot_be_understood,
	   an_unreadable_message_keeps_the_reason_and_its_bytes,
	   related_mails_are_those_of_the_thread_both_ways,
	   related_mails_are_those_of_the_poster_close_in_time_too,
	   a_related_mail_comes_back_as_it_was_saved,
	   a_related_mail_that_only_has_references_answers_nothing,
	   a_thread_without_end_is_bounded_and_holds_the_mail_itself)

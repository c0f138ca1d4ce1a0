/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../check_main.h"
#include "sample_facts.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/report/compose.h"
#include "mailparse/message.h"

#include <string.h>

/* ---- golden mails: tests/golden/report/NAME.json is what is stored, NAME.eml what it says ---- */

static ReportFacts *golden_regression(void)
{
	return sample_report();
}

/* Nothing is published: a reader makes the commit of the mail. */
static void unpublish(ReportFacts *facts)
{
	g_clear_pointer(&facts->branch_url, g_free);
	g_ptr_array_set_size(facts->fetches, 0);
	sample_fetch(facts,
		     "https://git.example.org/wc.git 1111111111111111111111111111111111111111");
	sample_made(facts, facts->commits->len - 1,
		    facts->patch_link == NULL ? facts->answered.message_id : facts->patch_link,
		    facts->patch_link != NULL);
}

static ReportFacts *golden_unconfirmed_change(void)
{
	ReportFacts *facts = sample_report();
	ReportMetric *words = g_ptr_array_index(facts->metrics, 0);

	g_ptr_array_set_size(facts->metrics, 1);
	words->confirmed = false;
	words->direction = DIRECTION_NONE;
	words->first.verdict = VERDICT_CHANGE;
	facts->asked = true;
	facts->n_families = 1;
	unpublish(facts);
	g_clear_pointer(&facts->closes, g_free);
	return facts;
}

static ReportFacts *golden_unclear(void)
{
	ReportFacts *facts = sample_report();
	ReportMetric *words = g_ptr_array_index(facts->metrics, 0);

	g_ptr_array_set_size(facts->metrics, 1);
	words->confirmed = false;
	words->first = sample_comparison(VERDICT_UNCLEAR, -1.9, -4.4, 0.7, 0.08);
	words->first.smallest_effect = 4.8;
	words->first.n_plan = 19;
	facts->asked = true;
	facts->target = REPORT_TARGET_PATCH;
	g_clear_pointer(&facts->patch_link, g_free);
	unpublish(facts);
	return facts;
}

/* The tip of a branch that a person asked about. */
static ReportFacts *golden_asked_branch(void)
{
	ReportFacts *facts = sample_report();
	ReportMetric *words = g_ptr_array_index(facts->metrics, 0);

	g_ptr_array_set_size(facts->metrics, 1);
	words->confirmed = false;
	facts->asked = true;
	facts->is_shipped = false;
	facts->target = REPORT_TARGET_BRANCH;
	facts->answered.body = g_strdup("Could you please run wordcount on my branch?\n");
	g_clear_pointer(&facts->patch_link, g_free);
	g_clear_pointer(&facts->patch_subject, g_free);
	g_free(facts->base_reason);
	facts->base_reason = g_strdup("where the branch left https://git.example.org/wc.git");
	g_free(facts->branch_url);
	facts->branch_url = g_strdup("https://git.example.org/ann/wc.git hash");
	g_ptr_array_set_size(facts->fetches, 0);
	sample_fetch(facts,
		     "https://git.example.org/wc.git 1111111111111111111111111111111111111111");
	sample_fetch(facts, facts->branch_url);
	return facts;
}

static ReportFacts *golden_no_change(void)
{
	ReportFacts *facts = sample_report();
	ReportMetric *words = g_ptr_array_index(facts->metrics, 0);

	g_ptr_array_set_size(facts->metrics, 1);
	words->confirmed = false;
	words->first = sample_comparison(VERDICT_NO_CHANGE, -0.2, -0.9, 0.5, 0.31);
	facts->asked = true;
	g_clear_pointer(&facts->headline, g_free);
	g_clear_pointer(&facts->table, g_free);
	return facts;
}

static ReportFacts *golden_resolved(void)
{
	return sample_retest();
}

/* What was run is not just the patch above: the tag must not be picked up by itself. */
static ReportFacts *golden_resolved_elsewhere(void)
{
	ReportFacts *facts = sample_retest();

	facts->tested_exactly = false;
	facts->target = REPORT_TARGET_PATCH;
	facts->n_named = 0;
	g_clear_pointer(&facts->branch_url, g_free);
	g_ptr_array_set_size(facts->fetches, 1);
	sample_made(facts, 2, "https://lists.example.org/lab/reply-7@example.org/", false);
	return facts;
}

static ReportFacts *golden_partly(void)
{
	ReportFacts *facts = sample_retest();
	ReportMetric *fix = g_ptr_array_index(facts->metrics, 1);

	facts->retest = RETEST_PARTLY;
	fix->first = sample_comparison(VERDICT_REGRESSION, -11.0, -12.2, -9.9, 7.4e-07);
	return facts;
}

static ReportFacts *golden_not_reproduced(void)
{
	ReportFacts *facts = sample_retest();
	ReportMetric *bad = g_ptr_array_index(facts->metrics, 0);

	facts->retest = RETEST_NOT_REPRODUCED;
	bad->first = sample_comparison(VERDICT_NO_CHANGE, -0.3, -1.2, 0.6, 0.3);
	return facts;
}

static ReportFacts *golden_retest_unclear(void)
{
	ReportFacts *facts = sample_retest();
	ReportMetric *fix = g_ptr_array_index(facts->metrics, 1);

	facts->retest = RETEST_UNCLEAR;
	fix->first = sample_comparison(VERDICT_UNCLEAR, -1.4, -6.9, 4.5, 0.51);
	fix->first.n_plan = 21;
	return facts;
}

static const struct {
	const char *name;
	ReportFacts *(*make)(void);
} goldens[] = {
	{"regression", golden_regression},
	{"unconfirmed-change", golden_unconfirmed_change},
	{"unclear", golden_unclear},
	{"asked-branch", golden_asked_branch},
	{"no-change", golden_no_change},
	{"resolved", golden_resolved},
	{"resolved-elsewhere", golden_resolved_elsewhere},
	{"partly", golden_partly},
	{"not-reproduced", golden_not_reproduced},
	{"retest-unclear", golden_retest_unclear},
};

static char *golden_path(const char *name, const char *ext)
{
	const char *data = g_getenv("LOREBOT_TEST_DATA");
	g_autofree char *file = g_strconcat(name, ext, NULL);

	return g_build_filename(data, "golden", "report", file, NULL);
}

/* LOREBOT_GOLDEN_UPDATE=1 writes the files anew; look at the difference before it is committed. */
static void assert_golden(const char *name, const char *ext, const char *text)
{
	g_autofree char *path = golden_path(name, ext);
	g_autofree char *wanted = NULL;

	if (g_getenv("LOREBOT_GOLDEN_UPDATE") != NULL)
		ck_assert(g_file_set_contents(path, text, -1, NULL));
	ck_assert_msg(g_file_get_contents(path, &wanted, NULL, NULL), "cannot read %s", path);
	ck_assert_msg(strcmp(text, wanted) == 0, "%s differs from:\n%s", path, text);
}

static char *text_of(const OutgoingMail *mail)
{
	gsize len = 0;
	const char *bytes = g_bytes_get_data(mail->bytes, &len);

	return g_strndup(bytes, len);
}

static OutgoingMail *compose(const ReportFacts *facts)
{
	g_autoptr(GError) error = NULL;
	OutgoingMail *mail = compose_mail(facts, "job:1:report", &error);

	ck_assert_msg(mail != NULL, "%s", error != NULL ? error->message : "");
	return mail;
}

static char *compose_text(const ReportFacts *facts)
{
	g_autoptr(OutgoingMail) mail = compose(facts);

	return text_of(mail);
}

static char *compose_error(const ReportFacts *facts)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(OutgoingMail) mail = compose_mail(facts, "job:1:report", &error);

	ck_assert_ptr_null(mail);
	ck_assert_ptr_nonnull(error);
	return g_strdup(error->message);
}

START_TEST(stored_facts_and_mail_are_as_the_golden_files)
{
	for (gsize i = 0; i < G_N_ELEMENTS(goldens); i++) {
		g_autoptr(ReportFacts) facts = goldens[i].make();
		autojson *json = report_facts_to_json(facts);
		g_autoptr(GError) error = NULL;

		g_autoptr(OutgoingMail) mail = compose_from_json(json, "job:1:report", &error);

		ck_assert_msg(mail != NULL, "%s", error != NULL ? error->message : "");
		char *dump = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
		g_autofree char *text = text_of(mail);
		assert_golden(goldens[i].name, ".json", dump);
		assert_golden(goldens[i].name, ".eml", text);
		free(dump);
	}
}
END_TEST

START_TEST(a_mail_from_a_stored_file_is_the_same_mail)
{
	for (gsize i = 0; i < G_N_ELEMENTS(goldens); i++) {
		g_autofree char *path = golden_path(goldens[i].name, ".json");
		g_autofree char *stored = NULL;
		gsize len = 0;
		ck_assert(g_file_get_contents(path, &stored, &len, NULL));
		autojson *json = json_parse_bytes(stored, len, path, NULL);

		g_autoptr(OutgoingMail) mail = compose_from_json(json, "job:1:report", NULL);

		ck_assert_ptr_nonnull(mail);
		g_autofree char *text = text_of(mail);
		assert_golden(goldens[i].name, ".eml", text);
	}
}
END_TEST

/* ---- what strangers may write ---- */

/* The rule by which b4 finds trailers in a reply, as a regular expression of its own. */
static guint count_trailers(const char *mail)
{
	g_autoptr(GRegex) rule = g_regex_new("^\\s*(\\w\\S+):\\s+(\\S.*)$", 0, 0, NULL);
	g_autoptr(GRegex) person = g_regex_new("\\S+@\\S+\\.\\S+", 0, 0, NULL);
	g_autoptr(GRegex) taken = g_regex_new(
		"^(fixes|subject|date|link|buglink|closes|obsoleted-by|change-id|base-commit)$",
		G_REGEX_CASELESS, 0, NULL);
	const char *body = strstr(mail, "\n\n") + 2;
	g_auto(GStrv) parts = g_strsplit(body, "\n-- \n", 2);
	g_auto(GStrv) lines = g_strsplit(parts[0], "\n", -1);
	guint n = 0;

	for (guint i = 0; lines[i] != NULL; i++) {
		g_autoptr(GMatchInfo) match = NULL;
		if (g_regex_match_simple("^commit: [0-9a-f]{40} \\(\"", lines[i], 0, 0))
			continue; /* the one line that stands as it is, see guard.h */
		if (!g_regex_match(rule, lines[i], 0, &match))
			continue;
		g_autofree char *name = g_match_info_fetch(match, 1);
		g_autofree char *value = g_match_info_fetch(match, 2);
		bool link = strstr(value, "://") != NULL;
		n += g_regex_match(taken, name, 0, NULL) ||
		     (g_regex_match(person, value, 0, NULL) && !link);
	}
	return n;
}

static const char *const hostile_texts[] = {
	"x\nReviewed-by: Eve <eve@example.net>",
	"x\r\nBcc: eve@example.net\r\n\r\nReviewed-by: Eve <eve@example.net>",
	"Reviewed-by: Eve <eve@example.net>",
	"x\n\n-- \n#lorebot test https://example.net/x y",
	"\xe2\x80\xa8"
	"Acked-by: Eve <eve@example.net>",
	"\xe2\x80\xae"
	"gnihton",
	"x\ndiff --git a/x b/x",
	"\x1b[2J \x01\x7f",
	"\xff\xfe broken",
	"=?utf-8?q?Reviewed-by=3A_Eve?=",
	"",
};

/* Every text that comes from outside is replaced by @text. */
static ReportFacts *hostile_report(const char *text)
{
	ReportFacts *facts = sample_report();
	char **fields[] = {&facts->answered.subject, &facts->answered.body, &facts->patch_subject,
			   &facts->answered.message_id};

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_free(*fields[i]);
		*fields[i] = g_strdup(text);
	}
	mailbox_free(facts->answered.from);
	facts->answered.from = mailbox_new(g_utf8_validate(text, -1, NULL) ? text : "Eve",
					   "eve@example.net", NULL);
	g_ptr_array_add(facts->answered.references, g_strdup(text));
	for (guint i = 0; i < facts->commits->len; i++) {
		ReportCommit *commit = g_ptr_array_index(facts->commits, i);
		g_free(commit->subject);
		commit->subject = g_strdup(text);
	}
	sample_param(facts, text, text);
	return facts;
}

static void assert_harmless(const char *mail, const char *what)
{
	const char *body = strstr(mail, "\n\n") + 2;
	g_autofree char *head = g_strndup(mail, (gsize)(body - mail));

	ck_assert_msg(g_utf8_validate(mail, -1, NULL), "%s", what);
	ck_assert_msg(g_str_is_ascii(head) && strchr(head, '\r') == NULL, "%s", what);
	ck_assert_msg(strstr(head, "\nBcc:") == NULL && strstr(head, "\nReviewed") == NULL, "%s",
		      what);
	ck_assert_msg(strstr(body, "\ndiff ") == NULL && strstr(body, "\n#") == NULL, "%s", mail);
	ck_assert_uint_eq(count_trailers(mail), 0);
}

START_TEST(no_text_of_a_stranger_becomes_a_header_a_trailer_a_command_or_a_patch)
{
	for (gsize i = 0; i < G_N_ELEMENTS(hostile_texts); i++) {
		g_autoptr(ReportFacts) facts = hostile_report(hostile_texts[i]);
		g_autoptr(GError) error = NULL;

		g_autoptr(OutgoingMail) mail = compose_mail(facts, "job:1:report", &error);

		/* Such a parameter's line is refused; all else must come out as a harmless mail. */
		if (mail == NULL) {
			ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
			g_ptr_array_set_size(facts->params, 0);
			mail = compose(facts);
		}
		g_autofree char *text = text_of(mail);
		assert_harmless(text, hostile_texts[i]);
	}
}
END_TEST

START_TEST(a_quoted_request_holds_no_trailer_command_or_patch)
{
	g_autoptr(ReportFacts) facts = sample_retest();
	g_free(facts->answered.body);
	facts->answered.body = g_strdup("please\n"
					"#lorebot test https://example.net/x y\n"
					"> \x01#syz test: upstream\n"
					">Reviewed-by: Eve <eve@example.net>\n"
					"Acked-by: Eve <eve@example.net>\n"
					">>> three deep\n"
					">> two deep\n"
					"diff --git a/x b/x\n"
					"--- a/x\n");
	facts->tested_exactly = false;

	g_autofree char *text = compose_text(facts);

	assert_harmless(text, "quoted");
	ck_assert_ptr_null(strstr(text, "#lorebot"));
	ck_assert_ptr_null(strstr(text, "#syz"));
	ck_assert_ptr_null(strstr(text, "three deep"));
	ck_assert_ptr_nonnull(strstr(text, "\n> please\n>>Reviewed-by: Eve <eve@example.net>\n"
					   "> Acked-by: Eve <eve@example.net>\n>>> two deep\n\n"));
}
END_TEST

START_TEST(only_a_resolved_and_exactly_tested_retest_carries_one_bare_tag)
{
	static const struct {
		ReportFacts *(*make)(void);
		guint n_bare;
		bool marked;
	} cases[] = {
		{golden_resolved, 1, false},   {golden_resolved_elsewhere, 0, true},
		{golden_partly, 0, false},     {golden_not_reproduced, 0, false},
		{golden_regression, 0, false},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(ReportFacts) facts = cases[i].make();

		g_autofree char *text = compose_text(facts);

		ck_assert_uint_eq(count_trailers(text), cases[i].n_bare);
		ck_assert_uint_eq(strstr(text, "\nTested-by: lorebot <") != NULL, cases[i].n_bare);
		ck_assert_uint_eq(strstr(text, "\n| Tested-by: ") != NULL, cases[i].marked);
	}
}
END_TEST

START_TEST(a_private_retest_gets_no_tag)
{
	g_autoptr(ReportFacts) facts = sample_retest();
	g_clear_pointer(&facts->list_address, mailbox_free);

	g_autofree char *text = compose_text(facts);

	ck_assert_ptr_null(strstr(text, "Tested-by"));
}
END_TEST

START_TEST(the_commit_line_stands_as_it_is_whatever_the_subject)
{
	static const char *const subjects[] = {
		"MAINTAINERS: ann@example.org moves",
		"HEAD@{1}..HEAD@{2}: walk the reflog",
		"commit: 0123 (\"x@y.z\")",
		"Reviewed-by: Eve <eve@example.net>",
		"base-commit: is \"quoted\" (twice) | > #1",
	};
	for (gsize i = 0; i < G_N_ELEMENTS(subjects); i++) {
		g_autoptr(ReportFacts) facts = sample_report();
		ReportCommit *head = g_ptr_array_index(facts->commits, 1);
		g_free(facts->patch_subject);
		facts->patch_subject = g_strconcat("[PATCH] ", subjects[i], NULL);
		g_free(head->subject);
		head->subject = g_strdup(subjects[i]);

		g_autofree char *text = compose_text(facts);

		g_autofree char *line =
			g_strdup_printf("\ncommit: %s (\"[PATCH] %s\")\n", head->sha, subjects[i]);
		ck_assert_msg(strstr(text, line) != NULL, "%s", text);
		ck_assert_uint_eq(count_trailers(text), 0);
	}
}
END_TEST

START_TEST(names_and_subjects_are_bounded_and_show_what_they_hold)
{
	g_autofree char *longest = g_strnfill(60 * 1000, 'x');
	g_autofree char *text_of_all =
		g_strconcat("a\n\x1b[31m\xe2\x80\xae\xd8\x9c\xe2\x80\x8b ", longest, NULL);
	g_autoptr(ReportFacts) facts = hostile_report(text_of_all);
	facts->asked = true;
	g_ptr_array_set_size(facts->params, 0);
	const ReportCommit *head = g_ptr_array_index(facts->commits, 1);
	const TableCommit commits[] = {{head->sha, head->subject}, {head->sha, head->subject}};
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	g_free(facts->table);
	facts->table = table_print(NULL, commits, 2, rows);

	g_autofree char *mail = compose_text(facts);

	g_auto(GStrv) lines = g_strsplit(mail, "\n", -1);
	for (guint i = 0; lines[i] != NULL; i++)
		ck_assert_msg(strlen(lines[i]) <= 400, "%s", lines[i]);
	static const char *const unseen[] = {"\x1b", "\xe2\x80\xae", "\xd8\x9c", "\xe2\x80\x8b"};
	for (gsize i = 0; i < G_N_ELEMENTS(unseen); i++)
		ck_assert_ptr_null(strstr(mail, unseen[i]));
}
END_TEST

START_TEST(an_address_is_never_changed_by_folding)
{
	static const char *const addrs[] = {
		"\"a, b  c\"@example.org",
		"\"  x   y  \"@example.org",
		"\"a very long local part with   three blanks that will not fit\"@example.org",
	};
	for (gsize i = 0; i < 2 * G_N_ELEMENTS(addrs); i++) {
		const char *name =
			i % 2 == 0 ? "" : "Ann  Author, of a Name that Folds Once or More";
		g_autoptr(ReportFacts) facts = sample_report();
		mailbox_free(facts->answered.from);
		facts->answered.from = sample_mailbox(name, addrs[i / 2]);
		ck_assert_ptr_nonnull(facts->answered.from);

		g_autoptr(OutgoingMail) mail = compose(facts);

		gsize len = 0;
		const guint8 *bytes = g_bytes_get_data(mail->bytes, &len);
		g_autoptr(Message) back = message_parse(bytes, len, NULL);
		const Mailbox *to = g_ptr_array_index(back->to, 0);
		const Mailbox *envelope = g_ptr_array_index(mail->recipients, 0);
		ck_assert_str_eq(to->addr, addrs[i / 2]);
		ck_assert_str_eq(envelope->addr, addrs[i / 2]);
		ck_assert_uint_eq(back->to->len, 1);
	}
}
END_TEST

START_TEST(ids_are_carried_byte_for_byte_whatever_they_hold)
{
	static const char *const ids[] = {
		"a(b@example.org",   "(x)y@example.org", "a\"b\\;,@example.org",
		"a<b:c@[192.0.2.1]", "no-at-sign",       "x@y@z",
		"a b@example.org",
	};
	g_autofree char *longest = g_strnfill(995, 'x');
	for (gsize i = 0; i <= G_N_ELEMENTS(ids); i++) {
		g_autoptr(ReportFacts) facts = sample_report();
		g_autofree char *id = g_strdup(i < G_N_ELEMENTS(ids) ? ids[i] : longest);
		bool carried = strchr(id, ' ') == NULL;
		g_free(facts->answered.message_id);
		facts->answered.message_id = g_strdup(id);
		g_ptr_array_add(facts->answered.references, g_strdup(id));
		g_ptr_array_add(facts->answered.references, g_strdup("later@example.org"));

		g_autofree char *text = compose_text(facts);

		g_autofree char *parent = g_strdup_printf("In-Reply-To: <%s>\n", id);
		g_autofree char *folded = g_strdup_printf("In-Reply-To:\n <%s>\n", id);
		g_autofree char *last = g_strdup_printf("<later@example.org>\n <%s>\n", id);
		g_autofree char *near = g_strdup_printf("<later@example.org> <%s>\n", id);
		ck_assert_uint_eq(strstr(text, parent) != NULL || strstr(text, folded) != NULL,
				  carried);
		ck_assert_uint_eq(strstr(text, last) != NULL || strstr(text, near) != NULL,
				  carried);
	}
}
END_TEST

START_TEST(references_that_are_long_keep_the_first_and_the_last)
{
	g_autoptr(ReportFacts) facts = sample_report();
	g_autofree char *word = g_strnfill(900, 'x');
	for (int i = 0; i < 39; i++)
		g_ptr_array_add(facts->answered.references, g_strdup_printf("%d%s@x.org", i, word));

	g_autofree char *text = compose_text(facts);

	ck_assert_uint_le(strstr(text, "\n\n") - text, 20 * 1024);
	ck_assert_ptr_nonnull(strstr(text, "References: <20260130-wc-0@example.org>\n"));
	ck_assert_ptr_nonnull(strstr(text, "@x.org>\n <20260130-wc-1@example.org>\nAuto"));
	ck_assert_ptr_nonnull(strstr(text, "<38xxx"));
	ck_assert_ptr_null(strstr(text, "<2xxx"));
}
END_TEST

START_TEST(a_line_that_tools_act_on_is_an_error_not_a_mail)
{
	g_autoptr(ReportFacts) facts = sample_report();
	sample_param(facts, "Reviewed-by", "Eve <eve@example.net>");

	g_autofree char *why = compose_error(facts);

	ck_assert_ptr_nonnull(strstr(why, "Reviewed-by"));
}
END_TEST

/* ---- people and threads ---- */

START_TEST(each_address_stands_once_and_never_our_own)
{
	g_autoptr(ReportFacts) facts = sample_report();
	facts->patch_author = sample_mailbox("Pat Author", "pat@example.org");
	g_ptr_array_add(facts->answered.cc, sample_mailbox("A. A.", "Ann@example.org"));
	g_ptr_array_add(facts->answered.cc, sample_mailbox("us", "lorebot+7@bots.example.org"));
	g_ptr_array_add(facts->answered.cc, sample_mailbox("", "pat@example.org"));

	g_autoptr(OutgoingMail) mail = compose(facts);

	static const char *const wanted[] = {"ann@example.org", "pat@example.org",
					     "lab@lists.example.org", "max@example.org"};
	ck_assert_uint_eq(mail->recipients->len, G_N_ELEMENTS(wanted));
	for (guint i = 0; i < mail->recipients->len; i++) {
		const Mailbox *recipient = g_ptr_array_index(mail->recipients, i);
		ck_assert_str_eq(recipient->addr, wanted[i]);
	}
	ck_assert_str_eq(mail->envelope_from->addr, "lorebot@bots.example.org");
	ck_assert_int_eq(mail->state, OUTGOING_HELD);
}
END_TEST

START_TEST(a_mail_to_nobody_is_an_error)
{
	g_autoptr(ReportFacts) facts = sample_report();
	g_clear_pointer(&facts->answered.from, mailbox_free);

	g_autofree char *why = compose_error(facts);

	ck_assert_ptr_nonnull(strstr(why, "nobody to write to"));
}
END_TEST

START_TEST(a_crowd_is_cut_to_a_hundred_and_keeps_the_list)
{
	g_autoptr(ReportFacts) facts = sample_report();
	for (int i = 0; i < 500; i++) {
		g_autofree char *addr = g_strdup_printf("p%d@example.net", i);
		g_ptr_array_insert(facts->answered.to, 0, sample_mailbox("", addr));
	}

	g_autoptr(OutgoingMail) mail = compose(facts);

	const Mailbox *second = g_ptr_array_index(mail->recipients, 1);
	ck_assert_uint_eq(mail->recipients->len, 100);
	ck_assert_str_eq(second->addr, "lab@lists.example.org");
}
END_TEST

START_TEST(references_keep_the_root_and_the_nearest_mails)
{
	g_autoptr(ReportFacts) facts = sample_report();
	for (int i = 0; i < 200; i++)
		g_ptr_array_add(facts->answered.references, g_strdup_printf("r%d@example.org", i));

	g_autofree char *text = compose_text(facts);

	ck_assert_ptr_nonnull(strstr(text, "References: <20260130-wc-0@example.org>"));
	ck_assert_ptr_null(strstr(text, "<r100@example.org>"));
	ck_assert_ptr_nonnull(strstr(text, "<r199@example.org>\n <20260130-wc-1@example.org>\n"));
}
END_TEST

START_TEST(no_header_line_is_longer_than_a_line_may_be)
{
	g_autoptr(ReportFacts) facts = sample_report();
	g_autofree char *word = g_strnfill(5000, 'x');
	g_free(facts->answered.subject);
	facts->answered.subject = g_strdup(word);
	mailbox_free(facts->answered.from);
	facts->answered.from = sample_mailbox(word, "ann@example.org");
	g_ptr_array_add(facts->answered.references, g_strconcat(word, "@example.org", NULL));

	g_autofree char *text = compose_text(facts);

	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; *lines[i] != '\0'; i++)
		ck_assert_uint_le(strlen(lines[i]), 998);
}
END_TEST

START_TEST(names_and_subjects_beyond_ascii_are_encoded_and_come_back)
{
	g_autoptr(ReportFacts) facts = sample_report();
	g_free(facts->answered.subject);
	facts->answered.subject =
		g_strdup("[PATCH] wc: z\xc3\xa4hle W\xc3\xb6rter in \xe4\xb8\xad\xe6\x96\x87 "
			 "\xe4\xb8\xad\xe6\x96\x87 \xe4\xb8\xad\xe6\x96\x87");
	mailbox_free(facts->answered.from);
	facts->answered.from =
		sample_mailbox("Zo\xc3\xab \xc3\x85ngstr\xc3\xb6m", "ann@example.org");

	g_autoptr(OutgoingMail) mail = compose(facts);

	gsize len = 0;
	const guint8 *bytes = g_bytes_get_data(mail->bytes, &len);
	g_autoptr(Message) back = message_parse(bytes, len, NULL);
	const Mailbox *to = g_ptr_array_index(back->to, 0);
	ck_assert_str_eq(back->subject, mail->subject);
	ck_assert_str_eq(to->name, "Zo\xc3\xab \xc3\x85ngstr\xc3\xb6m");
	ck_assert_str_eq(back->message_id, mail->message_id);
	ck_assert_str_eq(back->auto_submitted, "auto-replied");
}
END_TEST

/* ---- size ---- */

static char *big_table(unsigned n_rows)
{
	GString *table = g_string_new(sample_table);

	for (unsigned i = 0; i < n_rows; i++)
		g_string_append_printf(
			table, "    904132            +0.0%%     904140        row.%u\n", i);
	return g_string_free(table, FALSE);
}

START_TEST(a_mail_over_the_limit_loses_the_last_rows_and_says_how_many)
{
	g_autoptr(ReportFacts) facts = sample_report();
	g_free(facts->table);
	facts->table = big_table(3000);

	g_autoptr(OutgoingMail) mail = compose(facts);
	g_autofree char *text = text_of(mail);

	unsigned left_out = 0;
	const char *note = strstr(text, " more rows are left out");
	ck_assert_uint_le(strlen(text), COMPOSE_MAX_BYTES);
	ck_assert_uint_ge(strlen(text), COMPOSE_MAX_BYTES - 400);
	ck_assert_ptr_nonnull(note);
	while (note[-1] != '(')
		note--;
	ck_assert_int_eq(sscanf(note, "%u", &left_out), 1);
	g_autofree char *last = g_strdup_printf("  row.%u\n(%u more", 2999 - left_out, left_out);
	ck_assert_ptr_nonnull(strstr(text, last));
}
END_TEST

START_TEST(a_mail_too_long_without_its_table_is_an_error)
{
	g_autoptr(ReportFacts) facts = sample_report();
	g_free(facts->job_yaml);
	facts->job_yaml = g_strnfill(100 * 1000, 'y');

	g_autofree char *why = compose_error(facts);

	ck_assert_ptr_nonnull(strstr(why, "90 kB"));
}
END_TEST

/* ---- stored facts that are not what they must be ---- */

START_TEST(stored_facts_without_any_one_name_are_an_error_or_the_same_mail)
{
	g_autoptr(ReportFacts) facts = sample_retest();
	autojson *whole = report_facts_to_json(facts);
	const char *key;
	json_t *value;

	json_object_foreach(whole, key, value)
	{
		autojson *part = json_deep_copy(whole);
		g_autoptr(GError) error = NULL;
		json_object_del(part, key);

		g_autoptr(OutgoingMail) mail = compose_from_json(part, "job:1:report", &error);

		if (mail == NULL)
			ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	}
}
END_TEST

START_TEST(stored_facts_with_any_one_value_turned_into_another_kind_do_not_crash)
{
	g_autoptr(ReportFacts) facts = sample_report();
	autojson *whole = report_facts_to_json(facts);
	const char *key;
	json_t *value;

	json_object_foreach(whole, key, value)
	{
		json_t *others[] = {json_null(),  json_integer(7), json_string("x"),
				    json_array(), json_object(),   json_pack("[n]")};
		for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
			autojson *part = json_deep_copy(whole);
			g_autoptr(GError) error = NULL;
			json_object_set_new(part, key, others[i]);

			g_autoptr(OutgoingMail) mail = compose_from_json(part, "p", &error);

			ck_assert((mail == NULL) == (error != NULL));
		}
	}
}
END_TEST

/* ---- Message-IDs ---- */

START_TEST(the_same_key_and_time_give_the_same_id)
{
	g_autofree char *a = compose_message_id("job:1:report", SAMPLE_DATE_US, "lorebot", "x.org");
	g_autofree char *b = compose_message_id("job:1:report", SAMPLE_DATE_US, "lorebot", "x.org");
	g_autofree char *c = compose_message_id("job:2:report", SAMPLE_DATE_US, "lorebot", "x.org");

	ck_assert_str_eq(a, b);
	ck_assert_str_ne(a, c);
	ck_assert(g_regex_match_simple("^202601311200\\.[0-9a-f]{8}-lorebot@x\\.org$", a, 0, 0));
}
END_TEST

START_TEST(a_name_that_fits_no_id_is_made_to_fit)
{
	g_autofree char *id = compose_message_id("k", SAMPLE_DATE_US, "Lab Bot>\n", "x.org");

	ck_assert_ptr_nonnull(strstr(id, "-lab-bot--@x.org"));
}
END_TEST

CHECK_MAIN("compose", stored_facts_and_mail_are_as_the_golden_files,
	   a_mail_from_a_stored_file_is_the_same_mail,
	   no_text_of_a_stranger_becomes_a_header_a_trailer_a_command_or_a_patch,
	   a_quoted_request_holds_no_trailer_command_or_patch,
	   only_a_resolved_and_exactly_tested_retest_carries_one_bare_tag,
	   a_private_retest_gets_no_tag, the_commit_line_stands_as_it_is_whatever_the_subject,
	   names_and_subjects_are_bounded_and_show_what_they_hold,
	   an_address_is_never_changed_by_folding, ids_are_carried_byte_for_byte_whatever_they_hold,
	   references_that_are_long_keep_the_first_and_the_last,
	   a_line_that_tools_act_on_is_an_error_not_a_mail,
	   each_address_stands_once_and_never_our_own, a_mail_to_nobody_is_an_error,
	   a_crowd_is_cut_to_a_hundred_and_keeps_the_list,
	   references_keep_the_root_and_the_nearest_mails,
	   no_header_line_is_longer_than_a_line_may_be,
	   names_and_subjects_beyond_ascii_are_encoded_and_come_back,
	   a_mail_over_the_limit_loses_the_last_rows_and_says_how_many,
	   a_mail_too_long_without_its_table_is_an_error,
	   stored_facts_without_any_one_name_are_an_error_or_the_same_mail,
	   stored_facts_with_any_one_value_turned_into_another_kind_do_not_crash,
	   the_same_key_and_time_give_the_same_id, a_name_that_fits_no_id_is_made_to_fit)

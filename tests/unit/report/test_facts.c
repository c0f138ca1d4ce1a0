/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../check_main.h"
#include "sample_facts.h"

#include "bot/base/json.h"

#include <string.h>

static const char *text_at(const json_t *facts, const char *object, const char *key)
{
	return json_string_value(json_object_get(json_object_get(facts, object), key));
}

static const json_t *metric_at(const json_t *facts, size_t i)
{
	return json_array_get(json_object_get(facts, "metrics"), i);
}

START_TEST(numbers_stand_as_they_are_and_as_they_are_printed)
{
	g_autoptr(ReportFacts) facts = sample_report();

	autojson *json = report_facts_to_json(facts);

	const json_t *first = json_object_get(metric_at(json, 0), "first");
	ck_assert_double_eq(json_real_value(json_object_get(first, "shift")), -52.93);
	ck_assert_str_eq(json_string_value(json_object_get(first, "size")), "52.9%");
	ck_assert_str_eq(json_string_value(json_object_get(first, "change")), "-52.9%");
	ck_assert_str_eq(json_string_value(json_object_get(first, "interval")), "-54.1% to -51.2%");
	ck_assert_str_eq(json_string_value(json_object_get(first, "p_text")), "7.4e-07");
}
END_TEST

START_TEST(a_base_of_zero_is_told_in_the_unit_not_in_percent)
{
	g_autoptr(ReportFacts) facts = sample_report();
	ReportMetric *metric = g_ptr_array_index(facts->metrics, 0);
	metric->first.has_percent = false;
	metric->first.shift = 1234.5;

	autojson *json = report_facts_to_json(facts);

	ck_assert_str_eq(text_at(metric_at(json, 0), "first", "change"), "+1234 words/s");
}
END_TEST

START_TEST(what_is_no_number_is_null)
{
	g_autoptr(ReportFacts) facts = sample_report();
	ReportMetric *metric = g_ptr_array_index(facts->metrics, 0);
	metric->first.smallest_effect = NAN;
	metric->first.has_interval = false;
	metric->first.shift = INFINITY;

	autojson *json = report_facts_to_json(facts);

	const json_t *first = json_object_get(metric_at(json, 0), "first");
	static const char *const keys[] = {"smallest_effect",
					   "smallest_effect_text",
					   "interval",
					   "low",
					   "high",
					   "shift",
					   "change",
					   "size"};
	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
		ck_assert_msg(json_is_null(json_object_get(first, keys[i])), "%s", keys[i]);
}
END_TEST

START_TEST(empty_facts_have_every_name_with_null_or_an_empty_list)
{
	g_autoptr(ReportFacts) whole = sample_report();
	g_autoptr(ReportFacts) empty = report_facts_new();
	autojson *all = report_facts_to_json(whole);
	const char *key;
	json_t *value;

	autojson *json = report_facts_to_json(empty);

	json_object_foreach(all, key, value)
	{
		ck_assert_msg(json_object_get(json, key) != NULL, "%s", key);
	}
}
END_TEST

START_TEST(the_headline_and_the_others_are_told_apart)
{
	g_autoptr(ReportFacts) facts = sample_report();

	autojson *json = report_facts_to_json(facts);

	ck_assert_str_eq(text_at(json, "about", "key"), "wordcount.words_per_sec");
	ck_assert_uint_eq(json_array_size(json_object_get(json, "others_changed")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "others_unchanged")), 1);
	ck_assert(json_is_true(json_object_get(json_object_get(json, "about"), "is_regression")));
}
END_TEST

START_TEST(a_retest_without_headline_is_about_its_first_metric)
{
	g_autoptr(ReportFacts) facts = sample_retest();
	g_clear_pointer(&facts->headline, g_free);

	autojson *json = report_facts_to_json(facts);

	ck_assert_str_eq(json_string_value(json_object_get(json, "headline")),
			 "wordcount.words_per_sec");
	ck_assert_uint_eq(json_array_size(json_object_get(json, "fixes")), 1);
}
END_TEST

START_TEST(dates_are_shown_as_the_writers_clock_showed_them)
{
	static const struct {
		int64_t us;
		int offset;
		const char *wanted;
	} rows[] = {
		{SAMPLE_DATE_US, 0, "Sat, 31 Jan 2026 12:00:00 +0000"},
		{SAMPLE_DATE_US, -330, "Sat, 31 Jan 2026 06:30:00 -0530"},
		{SAMPLE_DATE_US, 800, "Sun, 1 Feb 2026 01:20:00 +1320"},
		{SAMPLE_DATE_US, 99999999, "Sat, 31 Jan 2026 12:00:00 +0000"},
		{0, 0, NULL},
		{-1, 0, NULL},
		{INT64_MAX, 0, NULL},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(ReportFacts) facts = sample_report();
		facts->answered.date_us = rows[i].us;
		facts->answered.date_offset_min = rows[i].offset;

		autojson *json = report_facts_to_json(facts);

		ck_assert_pstr_eq(text_at(json, "answered", "date"), rows[i].wanted);
	}
}
END_TEST

START_TEST(people_are_greeted_by_what_they_go_by)
{
	static const struct {
		const char *name;
		const char *wanted;
	} rows[] = {
		{"Ann Author", "Ann"},
		{"Author, Ann", "Author, Ann"},
		{"ann", "ann"},
		{"", "a.author"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(ReportFacts) facts = sample_report();
		mailbox_free(facts->answered.from);
		facts->answered.from = mailbox_new(rows[i].name, "a.author@example.org", NULL);

		autojson *json = report_facts_to_json(facts);

		ck_assert_str_eq(text_at(json, "answered", "hello"), rows[i].wanted);
	}
}
END_TEST

START_TEST(words_to_paste_are_quoted_for_a_shell)
{
	g_autoptr(ReportFacts) facts = sample_report();
	const char *id = "x;rm${IFS}-rf'$HOME'@example.org";
	sample_made(facts, 1, id, false);
	sample_fetch(facts, "https://example.org/$(id) `id`");
	sample_param(facts, "bad-name", "1");
	sample_param(facts, "opt", "$(id) `id`");

	autojson *json = report_facts_to_json(facts);

	const json_t *reproduce = json_object_get(json, "reproduce");
	const json_t *environment = json_object_get(reproduce, "environment");
	const json_t *fetch = json_array_get(json_object_get(reproduce, "fetches"), 1);
	const json_t *made = json_array_get(json_object_get(reproduce, "commits"), 1);
	const json_t *mail = json_array_get(json_object_get(made, "patches"), 0);
	const char *patch = json_string_value(json_object_get(mail, "mail"));
	g_autofree char *back = g_shell_unquote(patch, NULL);
	ck_assert_int_eq(*patch, '\'');
	ck_assert_str_eq(back, id);
	ck_assert_str_eq(json_string_value(fetch), "'https://example.org/$(id)' '`id`'");
	ck_assert_uint_eq(json_array_size(environment), 3);
	ck_assert_str_eq(json_string_value(json_array_get(environment, 2)), "opt='$(id) `id`'");
}
END_TEST

START_TEST(a_commit_has_the_mails_subject_only_when_that_mail_is_its_patch)
{
	static const struct {
		const char *patch_subject;
		const char *wanted;
	} rows[] = {
		{"[PATCH 1/2] wc: use a smaller hash", "[PATCH 1/2] wc: use a smaller hash"},
		{"[PATCH 0/2] faster word counts", "wc: use a smaller hash"},
		{"Re: [PATCH 1/2] wc: use a smaller hash", "wc: use a smaller hash"},
		{NULL, "wc: use a smaller hash"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(ReportFacts) facts = sample_report();
		g_free(facts->patch_subject);
		facts->patch_subject = g_strdup(rows[i].patch_subject);

		autojson *json = report_facts_to_json(facts);

		ck_assert_str_eq(json_string_value(json_object_get(json, "head_title")),
				 rows[i].wanted);
	}
}
END_TEST

CHECK_MAIN("facts", numbers_stand_as_they_are_and_as_they_are_printed,
	   a_base_of_zero_is_told_in_the_unit_not_in_percent, what_is_no_number_is_null,
	   empty_facts_have_every_name_with_null_or_an_empty_list,
	   the_headline_and_the_others_are_told_apart,
	   a_retest_without_headline_is_about_its_first_metric,
	   dates_are_shown_as_the_writers_clock_showed_them, people_are_greeted_by_what_they_go_by,
	   words_to_paste_are_quoted_for_a_shell,
	   a_commit_has_the_mails_subject_only_when_that_mail_is_its_patch)

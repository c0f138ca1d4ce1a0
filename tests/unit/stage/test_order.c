/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/backlog.h"
#include "tests/unit/stage/scene.h"

#define MINUTE_US (HOUR_US / 60)

static void arrive_patch(Scene *scene, const char *source, int64_t arrived_us)
{
	g_autofree char *text = scene_patch("p@example.org", "", "gauge: one", NULL);
	scene_arrive(scene, source, text, arrived_us);
}

/* ---- an observed door and a live one ---- */

START_TEST(what_only_an_observed_door_has_shown_waits)
{
	SCENE(s);

	arrive_patch(&s, "archive", NOW_US - HOUR_US);
	scene_think(&s);

	IS(scene_jobs(&s), "");
	IS(scene_series_state(&s, "p@example.org"),
	   "complete: it was seen only at a source that is observed");
}
END_TEST

START_TEST(what_a_live_door_shows_later_is_tested_as_if_it_had_been_first)
{
	SCENE(observed_first);
	SCENE(live_first);

	arrive_patch(&observed_first, "archive", NOW_US - HOUR_US);
	scene_think(&observed_first);
	arrive_patch(&observed_first, "lab", NOW_US);
	scene_think(&observed_first);
	arrive_patch(&live_first, "lab", NOW_US);
	arrive_patch(&live_first, "archive", NOW_US - HOUR_US);
	scene_think(&live_first);

	g_autoptr(StoredSeries) one = scene_series(&observed_first, "p@example.org");
	g_autoptr(StoredSeries) other = scene_series(&live_first, "p@example.org");
	IS(scene_jobs(&observed_first), "series of p@example.org for nobody");
	IS(scene_jobs(&live_first), "series of p@example.org for nobody");
	ck_assert_int_eq(one->arrived_us, other->arrived_us);
	ck_assert_int_le(one->arrived_us, NOW_US - HOUR_US);
}
END_TEST

START_TEST(an_archives_old_mail_is_too_old_for_a_door_that_shows_it_late)
{
	SCENE(s);

	arrive_patch(&s, "archive", NOW_US - 8 * DAY_US);
	scene_think(&s);
	arrive_patch(&s, "lab", NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "");
	SAYS(scene_series_state(&s, "p@example.org"), "declined: it is 8.0 days old");
}
END_TEST

START_TEST(a_door_counts_from_when_it_was_opened)
{
	SCENE(observed_first);
	SCENE(live_first);
	g_autofree char *text = scene_patch("p@example.org", "", "gauge: one", NULL);
	Scene *both[] = {&observed_first, &live_first};

	for (size_t i = 0; i < G_N_ELEMENTS(both); i++) {
		g_autofree char *conf = g_build_filename(both[i]->dir, "lorebot.conf", NULL);
		g_autofree char *more = g_strconcat(
			scene_config, "[source \"fresh\"]\n\turl = maildir:fresh\n", NULL);
		scene_write(both[i], "lorebot.conf", more);
		config_free(both[i]->config);
		OK((both[i]->config = config_load(conf, error)) != NULL);
		both[i]->context.config = both[i]->config;
		scene_attach(both[i], "fresh", NOW_US - MINUTE_US);
	}
	scene_arrive(&observed_first, "archive", text, NOW_US - HOUR_US);
	scene_think(&observed_first);
	scene_arrive(&observed_first, "fresh", text, NOW_US);
	scene_think(&observed_first);
	scene_arrive(&live_first, "fresh", text, NOW_US);
	scene_arrive(&live_first, "archive", text, NOW_US - HOUR_US);
	scene_think(&live_first);

	IS(scene_jobs(&observed_first), "");
	IS(scene_jobs(&live_first), "");
	SAYS(scene_series_state(&observed_first, "p@example.org"), "observed");
	SAYS(scene_series_state(&live_first, "p@example.org"), "observed");
}
END_TEST

START_TEST(another_mail_under_the_same_id_brings_nothing_to_life)
{
	SCENE(s);
	g_autofree char *forged =
		scene_mail("p@example.org", "buy my pills", NULL, "They are cheap.");

	arrive_patch(&s, "archive", NOW_US - HOUR_US);
	scene_think(&s);
	scene_arrive(&s, "lab", forged, NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "");
	SAYS(scene_series_state(&s, "p@example.org"), "observed");
}
END_TEST

START_TEST(a_dropped_backlog_does_not_come_back_by_a_late_door)
{
	SCENE(s);

	arrive_patch(&s, "archive", NOW_US - HOUR_US);
	scene_think(&s);
	OK(backlog_open(s.db, "source lab was away", error));
	g_autoptr(Backlog) backlog = backlog_get(s.db, NULL);
	OK(backlog_close(s.db, false, "bo", error));
	arrive_patch(&s, "lab", NOW_US);
	scene_think(&s);

	ck_assert_int_eq(backlog->n_series, 0); /* it would not have been run */
	IS(scene_jobs(&s), "");
	SAYS(scene_series_state(&s, "p@example.org"), "declined: backlog dropped by bo");
}
END_TEST

START_TEST(a_request_waits_for_a_live_door_too)
{
	SCENE(s);
	g_autofree char *text = scene_mail("r@example.org", "please",
					   "In-Reply-To: <p@example.org>\n", "#lorebot test");

	arrive_patch(&s, "lab", NOW_US);
	scene_arrive(&s, "archive", text, NOW_US);
	scene_think(&s);
	g_autofree char *before = scene_request_state(&s, "r@example.org");
	scene_arrive(&s, "copy", text, NOW_US);
	scene_think(&s);

	ck_assert_str_eq(before, "new: it was seen only at a source that is observed");
	IS(scene_request_state(&s, "r@example.org"), "planned");
}
END_TEST

START_TEST(a_better_copy_is_understood_anew)
{
	SCENE(s);
	g_autofree char *plain = scene_patch("p@example.org", "", "gauge: one", NULL);
	g_auto(GStrv) parts = g_strsplit(plain, "Subject: ", 2);
	g_autofree char *tagged = g_strjoinv("Subject: [tag] ", parts);

	scene_arrive(&s, "lab", tagged, NOW_US);
	scene_run(&s, "understand");
	scene_arrive(&s, "copy", plain, NOW_US);
	scene_run(&s, "understand");

	g_autoptr(StoredMessage) message = messages_find(s.db, "p@example.org", NULL);
	ck_assert_str_eq(message->subject, "[PATCH] gauge: one");
	IS(scene_series_state(&s, "p@example.org"), "complete");
}
END_TEST

/* ---- a list in Bcc ---- */

static char *patch_in_bcc(bool by_list)
{
	g_autofree char *text = scene_patch("p@example.org", "", "gauge: one",
					    by_list ? "List-Id: <lab.lists.example.org>\n" : NULL);
	g_auto(GStrv) parts = g_strsplit(text, "To: lab@lists.example.org\n", 2);
	return g_strjoinv("To: lorebot@example.org\n", parts);
}

START_TEST(a_list_in_bcc_is_known_by_the_door_that_only_it_can_use)
{
	SCENE(direct_first);
	SCENE(list_first);
	g_autofree char *direct = patch_in_bcc(false);
	g_autofree char *by_list = patch_in_bcc(true);

	scene_arrive(&direct_first, "copy", direct, NOW_US);
	scene_think(&direct_first);
	SAYS(scene_series_state(&direct_first, "p@example.org"), "seen on no configured list");
	scene_arrive(&direct_first, "lore", by_list, NOW_US);
	scene_think(&direct_first);
	scene_arrive(&list_first, "lore", by_list, NOW_US);
	scene_think(&list_first);
	SAYS(scene_series_state(&list_first, "p@example.org"), "observed");
	scene_arrive(&list_first, "copy", direct, NOW_US);
	scene_think(&list_first);

	IS(scene_jobs(&direct_first), "series of p@example.org for nobody");
	IS(scene_jobs(&list_first), "series of p@example.org for nobody");
}
END_TEST

START_TEST(a_forged_list_id_makes_no_list_mail)
{
	SCENE(s);
	g_autofree char *forged = patch_in_bcc(true);

	scene_arrive(&s, "lab", forged, NOW_US);
	scene_arrive(&s, "archive", forged, NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "");
	SAYS(scene_series_state(&s, "p@example.org"), "seen on no configured list");
}
END_TEST

/* ---- requests that come before what they ask for ---- */

static char *ask_by_link(void)
{
	return scene_mail("r@example.org", "a wish", NULL,
			  "#lorebot test https://lists.example.org/lab/p@example.org/");
}

START_TEST(a_patch_at_an_observed_door_may_be_asked_for_by_link_in_any_order)
{
	SCENE(patch_first);
	SCENE(request_first);
	g_autofree char *request = ask_by_link();

	arrive_patch(&patch_first, "archive", NOW_US - HOUR_US);
	scene_think(&patch_first);
	scene_arrive(&patch_first, "lab", request, NOW_US);
	scene_think(&patch_first);
	scene_arrive(&request_first, "lab", request, NOW_US);
	scene_think(&request_first);
	SAYS(scene_request_state(&request_first, "r@example.org"), "declined: the patch");
	arrive_patch(&request_first, "archive", NOW_US - HOUR_US);
	scene_think(&request_first);

	IS(scene_jobs(&patch_first), "series of p@example.org for r@example.org");
	IS(scene_jobs(&request_first), "series of p@example.org for r@example.org");
}
END_TEST

START_TEST(an_observed_request_for_a_live_patch_is_not_acted_upon)
{
	SCENE(s);
	g_autofree char *request = ask_by_link();

	scene_arrive(&s, "archive", request, NOW_US);
	scene_think(&s);
	IS(scene_jobs(&s), "");
	arrive_patch(&s, "lab", NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "series of p@example.org for nobody");
}
END_TEST

START_TEST(a_request_finds_the_series_behind_a_mail_that_comes_last)
{
	SCENE(s);
	g_autofree char *request = scene_mail(
		"r@example.org", "Re: gauge",
		"In-Reply-To: <m@example.org>\nReferences: <p@example.org> <m@example.org>\n",
		"#lorebot test");
	g_autofree char *between = scene_mail("m@example.org", "Re: [PATCH] gauge: one",
					      "In-Reply-To: <p@example.org>\n", "Nice.");

	arrive_patch(&s, "archive", NOW_US);
	scene_arrive(&s, "lab", request, NOW_US);
	scene_think(&s);
	SAYS(scene_request_state(&s, "r@example.org"), "declined: the patch");
	scene_arrive(&s, "lab", between, NOW_US);
	scene_think(&s);

	IS(scene_request_state(&s, "r@example.org"), "planned");
}
END_TEST

CHECK_MAIN("order", what_only_an_observed_door_has_shown_waits,
	   what_a_live_door_shows_later_is_tested_as_if_it_had_been_first,
	   an_archives_old_mail_is_too_old_for_a_door_that_shows_it_late,
	   a_door_counts_from_when_it_was_opened,
	   another_mail_under_the_same_id_brings_nothing_to_life,
	   a_dropped_backlog_does_not_come_back_by_a_late_door, a_request_waits_for_a_live_door_too,
	   a_better_copy_is_understood_anew,
	   a_list_in_bcc_is_known_by_the_door_that_only_it_can_use,
	   a_forged_list_id_makes_no_list_mail,
	   a_patch_at_an_observed_door_may_be_asked_for_by_link_in_any_order,
	   an_observed_request_for_a_live_patch_is_not_acted_upon,
	   a_request_finds_the_series_behind_a_mail_that_comes_last)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/stage/scene.h"

static void post(Scene *scene)
{
	g_autofree char *text = scene_patch("p@example.org", "", "gauge: one", NULL);
	scene_arrive(scene, "lab", text, NOW_US);
}

/* "test this" in answer to @parent. */
static void ask(Scene *scene, const char *id, const char *parent)
{
	g_autofree char *more = g_strdup_printf("In-Reply-To: <%s>\n", parent);
	g_autofree char *text = scene_mail(id, "Re: [PATCH] gauge: one", more, "#lorebot test");
	scene_arrive(scene, "lab", text, NOW_US);
}

static void ask_for_branch(Scene *scene, const char *id)
{
	g_autofree char *more = g_strdup("References: <w@example.org>\n");
	g_autofree char *text = scene_mail(id, "a wish", more,
					   "#lorebot test https://git.example.org/main.git wish");
	scene_arrive(scene, "lab", text, NOW_US);
}

/* The newest job comes to its end; with @state a mail was written about it. */
static void finish(Scene *scene, const OutgoingState *state)
{
	g_autoptr(GPtrArray) jobs = jobs_list(scene->db, true, NULL);
	Job *job = jobs->pdata[jobs->len - 1];

	job->state = JOB_DONE;
	OK(db_begin(scene->db, error));
	OK(jobs_advance(scene->db, job, error));
	if (state != NULL) {
		g_autoptr(OutgoingMail) mail = g_new0(OutgoingMail, 1);
		int64_t row = 0;
		bool is_new = false;
		mail->purpose = g_strdup_printf("job:%s:report", job->key);
		mail->job_row = job->row;
		mail->message_id = g_strdup("report@example.org");
		mail->bytes = g_bytes_new("Subject: x\n\ny\n", 14);
		mail->envelope_from = mailbox_new("lorebot", "lorebot@example.org", NULL);
		mail->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
		g_ptr_array_add(mail->recipients, mailbox_new(NULL, "ann@example.org", NULL));
		mail->state = *state;
		OK(outbox_insert(scene->db, mail, &row, &is_new, error));
	}
	OK(db_commit(scene->db, error));
}

static void finish_with_mail(Scene *scene, OutgoingState state)
{
	finish(scene, &state);
}

START_TEST(an_unasked_job_becomes_that_of_who_asks_before_it_is_over)
{
	SCENE(s);

	post(&s);
	scene_think(&s);
	IS(scene_jobs(&s), "series of p@example.org for nobody");
	ask(&s, "r@example.org", "p@example.org");
	scene_think(&s);

	g_autoptr(GPtrArray) jobs = jobs_list(s.db, true, NULL);
	const Job *job = jobs->pdata[0];
	IS(scene_jobs(&s), "series of p@example.org for r@example.org");
	IS(scene_request_state(&s, "r@example.org"), "planned");
	ck_assert_uint_eq(job->n_families, 1);
}
END_TEST

START_TEST(what_was_asked_for_is_not_tested_unasked_as_well)
{
	SCENE(s);
	g_autofree char *text = scene_patch("p@example.org", "", "gauge: one", NULL);

	scene_arrive(&s, "archive", text, NOW_US);
	ask(&s, "r@example.org", "p@example.org");
	scene_think(&s);
	IS(scene_jobs(&s), "series of p@example.org for r@example.org");
	scene_arrive(&s, "lab", text, NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "series of p@example.org for r@example.org");
	IS(scene_series_state(&s, "p@example.org"), "planned");
}
END_TEST

START_TEST(a_posting_with_a_command_in_it_is_one_job)
{
	SCENE(s);
	g_autofree char *patch = scene_patch("p@example.org", "", "gauge: one", NULL);
	g_auto(GStrv) parts = g_strsplit(patch, "---\n speed", 2);
	g_autofree char *asks = g_strjoinv("---\n#lorebot test\n\n speed", parts);

	scene_arrive(&s, "lab", asks, NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "series of p@example.org for p@example.org");
}
END_TEST

START_TEST(the_second_who_asks_has_an_answer_coming)
{
	SCENE(s);

	post(&s);
	ask(&s, "r1@example.org", "p@example.org");
	scene_think(&s);
	ask(&s, "r2@example.org", "p@example.org");
	scene_think(&s);

	IS(scene_jobs(&s), "series of p@example.org for r1@example.org");
	SAYS(scene_request_state(&s, "r2@example.org"), "one answer is enough");
}
END_TEST

START_TEST(who_asks_after_the_mail_is_told_where_it_is)
{
	static const OutgoingState there[] = {OUTGOING_SENT, OUTGOING_HELD, OUTGOING_UNKNOWN,
					      OUTGOING_DRY_RUN};

	for (size_t i = 0; i < G_N_ELEMENTS(there); i++) {
		SCENE(s);

		post(&s);
		scene_think(&s);
		finish_with_mail(&s, there[i]);
		ask(&s, "r@example.org", "p@example.org");
		scene_think(&s);

		IS(scene_jobs(&s), "series of p@example.org for nobody");
		SAYS(scene_request_state(&s, "r@example.org"), "see our mail report@example.org");
	}
}
END_TEST

START_TEST(what_was_quiet_or_rejected_is_done_once_more_and_only_once)
{
	for (int rejected = 0; rejected <= 1; rejected++) {
		SCENE(s);

		post(&s);
		scene_think(&s);
		if (rejected)
			finish_with_mail(&s, OUTGOING_REJECTED);
		else
			finish(&s, NULL);
		ask(&s, "r1@example.org", "p@example.org");
		scene_think(&s);
		ask(&s, "r2@example.org", "p@example.org");
		scene_think(&s);

		IS(scene_jobs(&s), "series of p@example.org for nobody\n"
				   "series of p@example.org for r1@example.org");
		SAYS(scene_request_state(&s, "r2@example.org"), "one answer is enough");
	}
}
END_TEST

START_TEST(who_answers_the_report_wants_new_numbers)
{
	SCENE(s);

	post(&s);
	scene_think(&s);
	finish_with_mail(&s, OUTGOING_SENT);
	g_autofree char *text = scene_mail("r@example.org", "Re: [PATCH] gauge: one",
					   "In-Reply-To: <report@example.org>\n"
					   "References: <p@example.org> <report@example.org>\n",
					   "#lorebot test");
	scene_arrive(&s, "lab", text, NOW_US);
	scene_think(&s);

	IS(scene_jobs(&s), "series of p@example.org for nobody\n"
			   "series of p@example.org for r@example.org");
}
END_TEST

START_TEST(a_branch_is_tested_anew_when_it_is_asked_for_again_but_one_at_a_time)
{
	SCENE(s);

	ask_for_branch(&s, "r1@example.org");
	scene_think(&s);
	finish_with_mail(&s, OUTGOING_SENT);
	ask_for_branch(&s, "r2@example.org");
	ask_for_branch(&s, "r3@example.org");
	scene_think(&s);

	IS(scene_jobs(&s), "series of - for r1@example.org\nseries of - for r2@example.org");
	SAYS(scene_request_state(&s, "r3@example.org"), "one answer is enough");
}
END_TEST

CHECK_MAIN("purpose", an_unasked_job_becomes_that_of_who_asks_before_it_is_over,
	   what_was_asked_for_is_not_tested_unasked_as_well,
	   a_posting_with_a_command_in_it_is_one_job, the_second_who_asks_has_an_answer_coming,
	   who_asks_after_the_mail_is_told_where_it_is,
	   what_was_quiet_or_rejected_is_done_once_more_and_only_once,
	   who_answers_the_report_wants_new_numbers,
	   a_branch_is_tested_anew_when_it_is_asked_for_again_but_one_at_a_time)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/request.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define DIFF "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
#define TO_US "From: Ann <ann@example.org>\nTo: bot+x1@lab.example.org\nIn-Reply-To: <r@lab>\n"
#define TO_BO "From: Ann <ann@example.org>\nTo: Bo <bo@example.org>\nIn-Reply-To: <r@lab>\n"
#define REPORT "Subject: Re: foo is slow\n"

static const char *const own[] = {"bot@lab.example.org", NULL};

static Message *parse(const char *text)
{
	Message *message = message_parse((const guint8 *)text, strlen(text), NULL);

	ck_assert_ptr_nonnull(message);
	return message;
}

static Request *read_in(const char *headers, const char *body, const RequestContext *context)
{
	g_autofree char *text = g_strconcat(headers, "\n", body, NULL);
	g_autoptr(Message) message = parse(text);
	g_autoptr(Patch) patch = patch_from_message(message, NULL);

	return request_from_message(message, patch, context);
}

static Request *read_mail(const char *headers, const char *body)
{
	const RequestContext context = {.own = own};

	return read_in(headers, body, &context);
}

START_TEST(a_natural_request_counts_only_when_it_addresses_us)
{
	const char *body = "Could you please test the patch below?\n\n" DIFF;
	const RequestContext ours = {.own = own, .parent_is_ours = true};
	const RequestContext any = {.any = true};

	g_autoptr(Request) to_us = read_mail(TO_US REPORT, body);
	g_autoptr(Request) to_bo = read_mail(TO_BO REPORT, body);
	g_autoptr(Request) below_ours = read_in(TO_BO REPORT, body, &ours);
	g_autoptr(Request) stand_in = read_in(TO_BO REPORT, body, &any);

	ck_assert(to_us->act && to_us->runnable);
	ck_assert_int_eq(to_us->kind, REQUEST_TEST);
	ck_assert_int_eq(to_us->patch_location, REQUEST_PATCH_INLINE);
	ck_assert(!to_bo->act);
	ck_assert(below_ours->act);
	ck_assert(stand_in->act);
}
END_TEST

START_TEST(a_formal_command_needs_no_addressee)
{
	g_autoptr(Request) request = read_mail(TO_BO REPORT, "#lorebot test\n\n" DIFF);

	ck_assert(request->act && request->runnable);
	ck_assert_str_eq(request->command, "#lorebot test");
	ck_assert_int_eq(request->patch_location, REQUEST_PATCH_INLINE);
}
END_TEST

static bool is_possible(const char *headers, const char *body, const RequestContext *context)
{
	g_autofree char *text = g_strconcat(headers, "\n", body, NULL);
	g_autoptr(Message) message = parse(text);

	return request_is_possible(message, context);
}

START_TEST(only_what_addresses_us_or_holds_a_command_can_ask)
{
	const RequestContext to_own = {.own = own};
	const RequestContext below_ours = {.own = own, .parent_is_ours = true};
	const char *talk = "Please test #123 of lorebot.\n#include <a.h>\n";

	ck_assert(!is_possible(TO_BO REPORT, talk, &to_own));
	ck_assert(is_possible(TO_BO REPORT, talk, &below_ours));
	ck_assert(is_possible(TO_US REPORT, talk, &to_own));
	ck_assert(is_possible(TO_BO REPORT, "Hi\n#lorebot test\n", &to_own));
	ck_assert(is_possible(TO_BO REPORT, "Hi\n # LoreBot retest", &to_own));
	ck_assert(is_possible(TO_BO "Subject: #lorebot test\n", "Hi\n", &to_own));
}
END_TEST

START_TEST(a_bare_command_means_the_patch_at_hand_or_the_same_again)
{
	g_autoptr(Request) again = read_mail(TO_US REPORT, "#lorebot test\n");
	g_autoptr(Request) parent =
		read_mail(TO_US "Subject: Re: [PATCH] foo\n", "#lorebot test\n");
	g_autoptr(Request) cover = read_mail(TO_US "Subject: [PATCH 0/2] foo\n", "#lorebot test\n");
	g_autoptr(Request) cancel = read_mail(TO_US REPORT, "#lorebot cancel\n");

	ck_assert_int_eq(again->kind, REQUEST_RETEST);
	ck_assert(again->act);
	ck_assert_int_eq(parent->kind, REQUEST_TEST);
	ck_assert_int_eq(parent->patch_location, REQUEST_PATCH_PARENT);
	ck_assert_int_eq(cover->patch_location, REQUEST_PATCH_CHILDREN);
	ck_assert_int_eq(cancel->kind, REQUEST_CANCEL);
	ck_assert(!cancel->act);
}
END_TEST

START_TEST(an_unusable_command_is_told_and_not_obeyed)
{
	g_autoptr(Request) request = read_mail(TO_US REPORT, "#lorebot test v6.9\n");

	ck_assert_int_eq(request->kind, REQUEST_TEST);
	ck_assert(!request->act);
	ck_assert_ptr_nonnull(strstr(request->why, "unusable"));
}
END_TEST

START_TEST(a_hash_in_the_branchs_place_is_a_commit_too)
{
	g_autoptr(Request) request =
		read_mail(TO_US REPORT, "#lorebot test git://git.example.org/x.git 0123456789ab\n");

	ck_assert_str_eq(request->branch, "0123456789ab");
	ck_assert_uint_eq(request->commits->len, 1);
}
END_TEST

START_TEST(a_subject_that_answers_repeats_no_command)
{
	const char *command = "Subject: #lorebot test git://git.example.org/x.git next\n";
	const char *answer = "Subject: Re: #lorebot test git://git.example.org/x.git next\n";
	g_autofree char *first = g_strconcat("From: Ann <ann@example.org>\n", command, NULL);
	g_autofree char *second = g_strconcat(TO_US, answer, NULL);

	g_autoptr(Request) asked = read_mail(first, "Thanks\n");
	g_autoptr(Request) repeated = read_mail(second, "Thanks\n");

	ck_assert(asked->act);
	ck_assert(!repeated->act);
}
END_TEST

START_TEST(a_subject_that_mailers_keep_repeats_no_command)
{
#define KEPT "Subject: #lorebot test git://git.example.org/x.git next\n"
#define FRESH "From: Ann <ann@example.org>\nTo: bot@lab.example.org\n" KEPT
	g_autoptr(Message) same = parse("From: Bo <bo@example.org>\n" KEPT "\nx\n");
	g_autoptr(Message) other = parse("From: Bo <bo@example.org>\nSubject: foo is slow\n\nx\n");
	const RequestContext below_same = {.own = own, .parent = same};
	const RequestContext below_other = {.own = own, .parent = other};

	g_autoptr(Request) fresh = read_mail(FRESH, "Thanks\n");
	g_autoptr(Request) threaded = read_mail(TO_US KEPT, "Thanks\n");
	g_autoptr(Request) by_references = read_mail(FRESH "References: <r@lab>\n", "Thanks\n");
	g_autoptr(Request) quoting = read_mail(FRESH, "Thanks\n\n> Done.\n");
	g_autoptr(Request) top_posting =
		read_mail(FRESH, "Thanks\n\nFrom: Bo\nSent: Monday\nTo: Ann\n\nDone.\n");
	g_autoptr(Request) forward =
		read_mail("From: Ann <ann@example.org>\nTo: bot@lab.example.org\n"
			  "Subject: Fwd: #lorebot test git://git.example.org/x.git next\n",
			  "FYI\n");
	g_autoptr(Request) kept = read_in(TO_US KEPT, "Thanks\n", &below_same);
	g_autoptr(Request) chosen = read_in(TO_US KEPT, "Thanks\n", &below_other);
	g_autoptr(Request) signed_only = read_mail(FRESH, "Thanks\n-- \nAnn\nLab\n");

	ck_assert(fresh->act && chosen->act && signed_only->act);
	ck_assert(!threaded->act);
	ck_assert(!by_references->act);
	ck_assert(!quoting->act);
	ck_assert(!top_posting->act);
	ck_assert(!forward->act && !kept->act);
#undef FRESH
#undef KEPT
}
END_TEST

START_TEST(automatic_mail_robots_and_our_own_mail_never_ask)
{
	static const char *const headers[] = {
		"From: Ann <ann@example.org>\nAuto-Submitted: auto-replied\n",
		"From: Ann <ann@example.org>\nReturn-Path: <>\n",
		"From: bot+tag@lab.example.org\n",
		"From: kernel test robot <someone@ci.example.org>\n",
		"From: syzbot <syzbot+12@bots.example.org>\n",
		"From: bugzilla-daemon@example.org\n",
	};
	const RequestContext context = {.own = own, .any = true};

	for (gsize i = 0; i < G_N_ELEMENTS(headers); i++) {
		g_autofree char *head =
			g_strconcat(headers[i], "To: bot@lab.example.org\nSubject: x\n", NULL);
		g_autoptr(Request) request =
			read_in(head, "#lorebot test\n\nPlease test.\n", &context);
		ck_assert_msg(request->kind == REQUEST_NONE && !request->act, "%s", headers[i]);
	}
}
END_TEST

START_TEST(what_a_person_typed_into_a_bug_tracker_counts)
{
	const RequestContext context = {.any = true};

	g_autoptr(Request) request = read_in(
		"From: bugzilla-daemon@example.org\nSubject: [Bug 7] foo\nIn-Reply-To: <b@x>\n",
		"--- Comment #3 from Ann (ann@example.org) ---\nCan you try this patch, "
		"please?\n\n" DIFF,
		&context);

	ck_assert(request->act);
}
END_TEST

START_TEST(the_target_stands_near_the_request_or_in_its_footnote)
{
	g_autoptr(Request) branch =
		read_mail(TO_US REPORT, "Can you please test the following branch?\n\n"
					" git://git.example.org/ann/x.git topic\n\nThanks\n");
	g_autoptr(Request) link =
		read_mail(TO_US REPORT,
			  "Could you please try the patch at [2]? It works here.\n\nBye\n\nAnn\n\n"
			  "[1] https://lore.kernel.org/all/one@example.org/\n"
			  "[2] https://lore.kernel.org/all/two@example.org/\n");
	g_autoptr(Request) commits = read_mail(
		TO_US REPORT, "Could you please run this on branch\n"
			      "https://github.com/ann/x\n\n  2731bef96539 (\"foo: one\")\n"
			      "  87f9aa515fd0 (\"foo: two\")\n\nto see if it helps?\n");

	ck_assert_str_eq(branch->repo, "git://git.example.org/ann/x.git");
	ck_assert_str_eq(branch->branch, "topic");
	ck_assert(branch->runnable);
	ck_assert_uint_eq(g_strv_length(link->links), 1);
	ck_assert_str_eq(link->links[0], "https://lore.kernel.org/all/two@example.org/");
	ck_assert_int_eq(link->patch_location, REQUEST_PATCH_LINK);
	ck_assert_uint_eq(commits->commits->len, 2);
	ck_assert_str_eq(((RequestCommit *)commits->commits->pdata[1])->subject, "foo: two");
}
END_TEST

START_TEST(a_request_without_a_target_is_one_question)
{
	g_autoptr(Request) patch = read_mail(
		TO_US REPORT, "I just sent a patch to the list, can you try that patch?\n");
	g_autoptr(Request) change =
		read_mail(TO_US REPORT, "Can you try disabling the stripe option?\n");

	ck_assert(patch->act && !patch->runnable);
	ck_assert(change->act && !change->runnable);
	ck_assert_str_eq(change->modifiers[0], "disabling the stripe option");
}
END_TEST

START_TEST(a_revert_is_wanted_even_beside_a_diff)
{
	g_autoptr(Request) request =
		read_mail(TO_US REPORT, "Can you try reverting 0123456789ab? Or else:\n\n" DIFF);

	ck_assert(request->act);
	ck_assert_int_eq(request->patch_location, REQUEST_PATCH_NONE);
	ck_assert_str_eq(request->modifiers[0], "revert 0123456789ab");
}
END_TEST

START_TEST(under_somebodys_patch_the_author_is_asked_not_we)
{
	const char *headers = TO_US "Subject: Re: [PATCH] foo: faster\n";
	g_autoptr(Message) report = parse("From: kernel test robot <r@ci.example.org>\nSubject: "
					  "Re: [PATCH] foo: faster\n\nx\n");
	const RequestContext below_robot = {.own = own, .parent = report};

	g_autoptr(Request) test = read_mail(headers, "Please test this on big endian too.\n");
	g_autoptr(Request) question = read_mail(headers, "Does this work instead?\n\n" DIFF);
	g_autoptr(Request) robot =
		read_mail(headers, "Can we ask the test robot to test this patch?\n");
	g_autoptr(Request) answer = read_in(headers, "This should fix it:\n\n" DIFF, &below_robot);

	ck_assert(!test->act);
	ck_assert(!question->act);
	ck_assert(robot->act);
	ck_assert_int_eq(robot->patch_location, REQUEST_PATCH_PARENT);
	ck_assert(answer->act);
}
END_TEST

START_TEST(a_posted_patch_asks_nobody_in_particular)
{
	const RequestContext context = {.any = true};

	g_autoptr(Request) posted = read_in(
		"From: Ann <ann@example.org>\nTo: lab@lists.example.org\nSubject: [PATCH] foo\n",
		"Please test the patch below.\n---\n" DIFF, &context);

	ck_assert(!posted->act);
}
END_TEST

START_TEST(information_and_withdrawal_are_no_tests)
{
	g_autoptr(Request) info = read_mail(TO_US REPORT, "Can I get the .config used?\n");
	g_autoptr(Request) cancel = read_mail(TO_US REPORT, "Please ignore this patch.\n");
	g_autoptr(Request) thanks = read_mail(TO_US REPORT, "Awesome, thanks!\n");

	ck_assert_int_eq(info->kind, REQUEST_INFO);
	ck_assert_int_eq(cancel->kind, REQUEST_CANCEL);
	ck_assert_int_eq(thanks->kind, REQUEST_NONE);
	ck_assert(!info->act && !cancel->act && !thanks->act);
}
END_TEST

START_TEST(a_person_named_who_is_not_in_to_is_somebody_else)
{
	const char *body = "Cy, could you please test the patch below?\n\n" DIFF;

	g_autoptr(Request) request = read_mail(TO_US REPORT, body);

	ck_assert(!request->act);
}
END_TEST

/* Bodies that ask for a test of the diff below them. */
static void assert_acts(const char *headers, const RequestContext *context,
			const char *const *bodies, bool act)
{
	for (gsize i = 0; bodies[i]; i++) {
		g_autofree char *body = g_strconcat(bodies[i], "\n\n" DIFF, NULL);
		g_autoptr(Request) request = read_in(headers, body, context);
		ck_assert_msg(request->act == act, "%s: %s", bodies[i], request->why);
	}
}

START_TEST(only_who_speaks_to_us_asks_us)
{
	static const char *const ours[] = {
		"Could you please test the patch below?",
		"Hi all,\n\ncould you please test the patch below?",
		"Hi bot,\n\ncould you please test the patch below?",
		"Hi Cy,\n\ncould you please test the patch below?",
		"Hi Bo,\n\nyes.\n\n@lorebot please test the patch below.",
		"Kernel test robot, please test the patch below.",
		"Hi Bo,\n\ncan you please run the patch below through the test robot?",
		"Bo> It fails.\n\nCould you please test the patch below?",
		"On 6 May 2024, Bo wrote:\n\n\tIt fails.\n\nCould you test the patch below?",
		NULL,
	};
	static const char *const others[] = {
		"Hi Bo,\n\ncould you please test the patch below?",
		"Bo,\n\ncould you please test the patch below?",
		"Thanks, Bo.\n\nCould you please test the patch below?",
		"Bo: could you try the patch below?",
		"@Bo please test the patch below.",
		"@bo can you test the patch below?",
		"Could you please test the patch below, Bo?",
		"Bo, could you please run this test on branch https://github.com/ann/x?",
		"Bo, the robot found this, could you please test the patch below?",
		"Could Bo please test the patch below?",
		"Could somebody at the lab please test the patch below?",
		"Can anyone test the patch below?",
		"I asked the robot to test the patch below.",
		"Bo> please test the patch below.",
		"AB> please test the patch below.",
		": please test the patch below.",
		"On 6 May 2024, Bo wrote:\n\n    Please test the patch below.",
		"Yes, that is right.\n\n-----Original Message-----\nPlease test the patch below.",
		"Begin forwarded message:\n\nPlease test the patch below.",
		"You can write:\n\n\tPlease test the patch below.",
		"```\nPlease test the patch below.\n```",
		"Ann\n-- \nPlease test the patch below.",
		NULL,
	};
	const char *headers = "From: Ann <ann@example.org>\nTo: Cy Smith <bot@lab.example.org>\n"
			      "Cc: Bo Reviewer <bo@example.org>\nIn-Reply-To: <r@lab>\n" REPORT;
	const RequestContext context = {.own = own, .parent_is_ours = true};

	assert_acts(headers, &context, ours, true);
	assert_acts(headers, &context, others, false);
}
END_TEST

START_TEST(below_us_in_cc_somebody_else_is_asked)
{
	static const char *const ours[] = {"lorebot, could you please test the patch below?",
					   "Can the test robot please try the patch below?", NULL};
	static const char *const others[] = {"Could you please test the patch below?", NULL};
	const char *headers = "From: Ann <ann@example.org>\nTo: Bo <bo@example.org>\n"
			      "Cc: bot@lab.example.org\nIn-Reply-To: <r@lab>\n" REPORT;
	const RequestContext context = {.own = own};

	assert_acts(headers, &context, ours, true);
	assert_acts(headers, &context, others, false);
}
END_TEST

START_TEST(a_mail_of_nothing_but_requests_is_read_in_time)
{
	g_autoptr(GString) body = g_string_new("Hi Bo,\n\n");

	for (guint i = 0; i < 4000; i++)
		g_string_append(body, "Please test.\n\n");
	g_autoptr(Request) request = read_mail(TO_US REPORT, body->str);

	ck_assert(!request->act);
}
END_TEST

START_TEST(who_answers_for_the_robot_may_be_greeted)
{
	static const char *const ours[] = {"Hi Oliver,\n\ncould you please test the patch below?",
					   "Oliver, please test the patch below.", NULL};
	static const char *const others[] = {"Hi Bo,\n\ncould you please test the patch below?",
					     NULL};
	const char *headers =
		"From: Ann <ann@example.org>\nTo: Bo <bo@example.org>, kernel test "
		"robot <oliver.example@ci.example.org>\nIn-Reply-To: <r@lab>\n" REPORT;
	g_autoptr(Message) report =
		parse("From: kernel test robot <oliver.example@ci.example.org>\nSubject: x\n\nx\n");
	const RequestContext stand_in = {.any = true, .parent = report};
	static const char *const address[] = {"oliver.example@ci.example.org", NULL};
	const RequestContext robot = {.own = address};

	assert_acts(headers, &stand_in, ours, true);
	assert_acts(headers, &stand_in, others, false);
	assert_acts(headers, &robot, ours, true);
	assert_acts(headers, &robot, others, false);
}
END_TEST

START_TEST(standing_in_for_a_reporter_we_are_whom_the_mail_names)
{
	static const char *const ours[] = {"Hi Teddy,\n\ncould you please test the patch below?",
					   "Bo, could you please test the patch below?", NULL};
	static const char *const others[] = {"Cy, could you please test the patch below?", NULL};
	const RequestContext context = {.any = true};

	assert_acts(TO_BO REPORT, &context, ours, true);
	assert_acts(TO_BO REPORT, &context, others, false);
}
END_TEST

START_TEST(a_pull_request_asks_to_be_pulled)
{
	const RequestContext any = {.any = true};
	const char *body = "Please pull, and let me know if conflicts happen.\n\n"
			   "are available in the Git repository at:\n\n"
			   "  https://git.example.org/a.git tags/b\n\n"
			   "for you to fetch changes up to 0123456789ab:\n";

	g_autoptr(Request) pull = read_in(TO_BO "Subject: [GIT PULL] foo\n", body, &any);
	g_autoptr(Request) retry =
		read_in(TO_US REPORT,
			"Please pull and retry:\n\nThe following changes since x\n\n"
			"are available in the Git repository at:\n\n"
			"  https://git.example.org/a.git tags/b\n\n"
			"for you to fetch changes up to 0123456789ab:\n",
			&any);

	ck_assert(!pull->act);
	ck_assert(retry->act);
	ck_assert_str_eq(retry->branch, "tags/b");
}
END_TEST

START_TEST(wishes_are_kept_beside_the_target)
{
	const char *body = "Could you please test the patch below with CONFIG_KASAN=y?\n"
			   "Please boot with mitigations=off too.  I ran it 10 times.\n\n" DIFF;

	g_autoptr(Request) request = read_mail(TO_US REPORT, body);
	g_autofree char *wishes = g_strjoinv(" ", request->modifiers);

	ck_assert(request->act && request->runnable);
	ck_assert_int_eq(request->patch_location, REQUEST_PATCH_INLINE);
	ck_assert_str_eq(wishes, "config=CONFIG_KASAN=y boot=mitigations=off");
}
END_TEST

START_TEST(the_job_of_a_report_is_what_again_means)
{
	const char *report = "From: kernel test robot <bot@lab.example.org>\nSubject: slow\n\n"
			     "commit: 0123456789ab (\"x\")\ntestcase: gauge\n";
	const char *body = "Could you please run this again?\n";
	g_autofree char *quoting = g_strconcat(body,
					       "\n> commit: 0123456789ab (\"x\")\n"
					       "> testcase: gauge\n",
					       NULL);
	g_autoptr(Message) parent = parse(report);
	const RequestContext below = {.any = true, .parent = parent};
	const RequestContext alone = {.any = true};

	g_autoptr(Request) answering = read_in(TO_US REPORT, body, &below);
	g_autoptr(Request) quoted = read_in(TO_US REPORT, quoting, &alone);
	g_autoptr(Request) bare = read_in(TO_US REPORT, body, &alone);

	ck_assert(answering->act && answering->runnable && quoted->runnable);
	ck_assert_int_eq(answering->kind, REQUEST_RETEST);
	ck_assert_str_eq(answering->job->testcase, "gauge");
	ck_assert_str_eq(quoted->job->commit, "0123456789ab");
	ck_assert(bare->act && !bare->runnable);
	ck_assert_ptr_null(bare->job);
}
END_TEST

CHECK_MAIN("request", a_pull_request_asks_to_be_pulled, wishes_are_kept_beside_the_target,
	   the_job_of_a_report_is_what_again_means,
	   a_natural_request_counts_only_when_it_addresses_us, a_formal_command_needs_no_addressee,
	   only_what_addresses_us_or_holds_a_command_can_ask,
	   a_bare_command_means_the_patch_at_hand_or_the_same_again,
	   an_unusable_command_is_told_and_not_obeyed, a_hash_in_the_branchs_place_is_a_commit_too,
	   a_subject_that_answers_repeats_no_command,
	   a_subject_that_mailers_keep_repeats_no_command,
	   automatic_mail_robots_and_our_own_mail_never_ask,
	   what_a_person_typed_into_a_bug_tracker_counts,
	   the_target_stands_near_the_request_or_in_its_footnote,
	   a_request_without_a_target_is_one_question, a_revert_is_wanted_even_beside_a_diff,
	   under_somebodys_patch_the_author_is_asked_not_we,
	   a_posted_patch_asks_nobody_in_particular, information_and_withdrawal_are_no_tests,
	   a_person_named_who_is_not_in_to_is_somebody_else, only_who_speaks_to_us_asks_us,
	   below_us_in_cc_somebody_else_is_asked, a_mail_of_nothing_but_requests_is_read_in_time,
	   who_answers_for_the_robot_may_be_greeted,
	   standing_in_for_a_reporter_we_are_whom_the_mail_names)

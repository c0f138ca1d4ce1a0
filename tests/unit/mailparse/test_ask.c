/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/ask.h"
#include "mailparse/asktext.h"

#include "tests/unit/check_main.h"

#include <string.h>

static void assert_kind(const char *const *sentences, AskKind kind)
{
	for (gsize i = 0; sentences[i] != NULL; i++)
		ck_assert_msg(ask_kind(sentences[i]) == kind, "%u for: %s", ask_kind(sentences[i]),
			      sentences[i]);
}

START_TEST(a_request_to_test_is_heard)
{
	static const char *const sentences[] = {
		"Could you please run this test on branch https://github.com/ann/x to see if it "
		"helps?",
		"Is there any chance you could run this through the test robot performance suite?",
		"Ann, can you please test the patch at [1] with other workloads?",
		"Can you try the following patch instead?",
		"Could you please test whether this makes the regression go away?",
		"Can you please apply the patch below and try again?",
		"May I ask you to run again the test but with the attached debug patch on top of "
		"it?",
		"Please try this in your test.",
		"Could you help to check if the combined patch below fixes the problem?",
		"Can we please also ask the kernel test robot to test this patch?",
		"Would you please retest with the patch below?",
		"Could you give the series a spin?",
		"Please rerun the test on the latest tree.",
		"If you get a chance, can you try this debug patch?",
		"No v2 is needed, so you just need to test that.",
		"Can you restore the old limit and re-test?",
		"Could you try reverting 0123456789ab?",
		NULL,
	};

	assert_kind(sentences, ASK_TEST);
}
END_TEST

START_TEST(talk_about_testing_is_no_request)
{
	static const char *const sentences[] = {
		"I will test the patch tomorrow.",
		"Let me give it a try.",
		"I tested this on two boxes.",
		"Did you test this on big endian?",
		"Have you tried the patch?",
		"Please test your patch on top of next.",
		"Please run checkpatch on your patches.",
		"Can you also do a boot test with the driver built in?",
		"Could you please compile test this with W=1?",
		"Could you please resend this against next?",
		"Feel free to test it.",
		"You may want to try the attached script.",
		"Please do not test this series yet.",
		"The test fails.",
		"Tested-by: Ann Author <ann@example.org>",
		"Thanks for testing my branches!",
		"Can you have a look at this error?",
		NULL,
	};

	assert_kind(sentences, ASK_NONE);
}
END_TEST

START_TEST(questions_and_offers_are_told_apart_from_requests)
{
	static const char *const questions[] = {"Does this fix it?", "Does the below help any?",
						"Does attached patch fix the problem for you?",
						"What effect would the following have on it?",
						NULL};
	static const char *const offers[] = {"This should fix it:", "The patch below should help.",
					     "It should be fixed by the following patch.",
					     "Something like this might cure it:", NULL};

	assert_kind(questions, ASK_QUESTION);
	assert_kind(offers, ASK_OFFER);
}
END_TEST

START_TEST(asking_for_information_is_no_test)
{
	static const char *const sentences[] = {
		"Can I get the .config that was used?", "Could you please send the dmesg?",
		"Is it possible to run a bisect?",      "Can you please share the full logs?",
		"What does this metric mean?",          NULL};

	assert_kind(sentences, ASK_INFO);
}
END_TEST

START_TEST(withdrawing_is_heard)
{
	static const char *const sentences[] = {"Please ignore this series.", "Self-NACK.",
						"Series dropped!", NULL};

	assert_kind(sentences, ASK_CANCEL);
}
END_TEST

START_TEST(the_base_and_the_change_are_kept_in_the_writers_words)
{
	g_autofree char *base = ask_base_hint("Please test it on top of 0123456789ab.");
	g_autofree char *tip = ask_base_hint("Could you retry with the tip of Linus's tree?");
	g_autofree char *change = ask_change("Can you try disabling the stripe option?");

	ck_assert_str_eq(base, "0123456789ab.");
	ck_assert_str_eq(tip, "tip of Linus's tree");
	ck_assert_str_eq(change, "disabling the stripe option");
	ck_assert_ptr_null(ask_base_hint("Please test it."));
}
END_TEST

START_TEST(only_the_writers_own_words_are_cut_into_sentences)
{
	g_autoptr(AskText) text = asktext_new(
		"On Monday, Ann wrote:\n> Please test.\n> Really.\n\nHi Ann,\n\nthis is one\n"
		"sentence. This is\nanother, see https://x.org/a.b now?\n\n-- \nBo\nPlease "
		"test.\n",
		NULL);

	ck_assert_uint_eq(text->sentences->len, 3);
	ck_assert_str_eq(g_array_index(text->sentences, Sentence, 0).text, "Hi Ann,");
	ck_assert_str_eq(g_array_index(text->sentences, Sentence, 1).text, "this is one sentence.");
	ck_assert_str_eq(g_array_index(text->sentences, Sentence, 2).text,
			 "This is another, see https://x.org/a.b now?");
}
END_TEST

START_TEST(talk_ends_where_a_patch_begins)
{
	static const char *const ends[] = {
		"diff --git a/f b/f",
		"---8<---",
		"-- >8 --",
		"-- ",
		"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
		"commit 0123456789abcdef0123456789abcdef01234567",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
		g_autofree char *body = g_strconcat("Hello.\n", ends[i], "\nPlease test.\n", NULL);
		g_autoptr(AskText) text = asktext_new(body, NULL);
		ck_assert_msg(text->sentences->len == 1, "%s", ends[i]);
	}
}
END_TEST

START_TEST(refusing_citing_and_planning_is_no_request)
{
	static const char *const sentences[] = {
		"Please do not test the patch.",
		"Please don\u2019t bother testing this patch.",
		"There is no need to test this branch, please.",
		"You need not test this, please see the branch.",
		"Please hold off testing this series.",
		"Please skip running this test.",
		"I asked the robot to test the patch.",
		"Ann was asked whether she could please test the patch.",
		"I will ask the test robot to test this branch.",
		"You can ask the test robot to test your branch.",
		"Once v3 is out, could you please test the patch?",
		"When the next version is posted, please test the patch.",
		"How could you test the patch without the hardware?",
		"Why would you please test this patch?",
		"Could you have tested the patch before?",
		"Could you please test the patch before posting?",
		"Mails like \"please test the patch below\" are for the robot.",
		"Write `please test this branch`.",
		"Could somebody at the lab please test this branch?",
		"Can anyone test the patch?",
		"Should I please test the patch?",
		"We will please test the patch ourselves.",
		NULL,
	};
	static const char *const asks[] = {
		"I could not test it here, could you please test the patch below?",
		"We have not tested that, please test the patch below.",
		"As sent the patch does too much, please test the current patch tested below.",
		"That's not what you're seeing, but could you please try the patch below?",
		"Could anybody ask the test robot to test this branch?",
		"It would be great if you could test the patch below.",
		NULL,
	};

	assert_kind(sentences, ASK_NONE);
	assert_kind(asks, ASK_TEST);
}
END_TEST

START_TEST(a_sample_is_a_sentence_of_its_own)
{
	g_autoptr(AskText) text = asktext_new("You can write:\n\tCould you please test\n\tit?\n"
					      "or so.\n```\nPlease test.\n```\n+ Please test.\n",
					      NULL);
	static const bool samples[] = {false, true, false, true};

	ck_assert_uint_ge(text->sentences->len, 4);
	for (gsize i = 0; i < 4; i++)
		ck_assert(g_array_index(text->sentences, Sentence, i).sample == samples[i]);
	ck_assert_str_eq(g_array_index(text->sentences, Sentence, 1).text,
			 "Could you please test it?");
	ck_assert_str_eq(g_array_index(text->sentences, Sentence, 2).text, "or so.");
}
END_TEST

START_TEST(who_is_named_as_the_tester_counts)
{
	static const char *const named[] = {"Could you run this through the test robot?",
					    "Can the robot test this?", "lkp, please test this.",
					    "Could your bot run it?", NULL};
	static const char *const not_named[] = {
		"The test robot found this.",
		"Please test the patch that the robot complained about.",
		"That is in the robot's report.", "See lkp@example.org.", NULL};

	for (gsize i = 0; named[i]; i++)
		ck_assert_msg(ask_names_robot(named[i]), "%s", named[i]);
	for (gsize i = 0; not_named[i]; i++)
		ck_assert_msg(!ask_names_robot(not_named[i]), "%s", not_named[i]);
}
END_TEST

CHECK_MAIN("ask", a_request_to_test_is_heard, talk_about_testing_is_no_request,
	   questions_and_offers_are_told_apart_from_requests, asking_for_information_is_no_test,
	   withdrawing_is_heard, the_base_and_the_change_are_kept_in_the_writers_words,
	   only_the_writers_own_words_are_cut_into_sentences, talk_ends_where_a_patch_begins,
	   refusing_citing_and_planning_is_no_request, a_sample_is_a_sentence_of_its_own,
	   who_is_named_as_the_tester_counts)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short mails in many people's manner, in answer to a report of ours: which ask us for a test? */
#include "mailparse/request.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define DIFF "\n\ndiff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
#define REPO "https://git.example.org/ann/linux.git"
#define LORE "https://lore.kernel.org/all/20240506.v2@example.org/"

static const char *const asking[] = {
	"Mind giving this one a spin?" DIFF,
	"Would you be able to run the benchmark once more with this applied?" DIFF,
	"Can you check whether the attached change brings the numbers back?" DIFF,
	"I cannot reproduce it here. Please try the diff below and tell me the outcome." DIFF,
	"Thanks for catching that. Could you re-run with the following on top?" DIFF,
	"Please could you test the fixup below?" DIFF,
	"Hmm, can we see what happens with this hunk?" DIFF,
	"Any chance to get this tested on the same machine?" DIFF,
	"Would appreciate it if you could give the below a go." DIFF,
	"It'd be good to know if this patch restores the throughput, could you try?" DIFF,
	"Could you kindly verify that the regression is gone with this?" DIFF,
	"Can you apply this and see if the score recovers?" DIFF,
	"Does the change below help on your box?" DIFF,
	"I think this is what we need. Could you test that?" DIFF,
	"Pls test." DIFF,
	"Please retest with this instead of v1." DIFF,
	"Here is a quick hack, can you let me know how it performs?" DIFF,
	"Let me know if this makes any difference, please." DIFF,
	"Can I ask you to try one more thing?" DIFF,
	"May I bother you with another run, this time with the patch below?" DIFF,
	"So, could your bot evaluate this version?" DIFF,
	"This ought to cure it." DIFF,
	"Does this make the splat go away?" DIFF,
	"If it is not too much trouble, would you run it again with the patch below?" DIFF,
	"Sorry for the mess. The patch below is complete, please have it tested again." DIFF,
	"Can you please validate the patch attached?" DIFF,
	"Hi,\n\nthanks for the report! Could you give the patch below a test run?" DIFF,
	"Would it be possible for you to test the following?" DIFF,
	"I'd be grateful for a test of this patch." DIFF,
	"A test of the patch below would be much appreciated." DIFF,
	"Could you please test branch topic of " REPO "?",
	"Please test my tree:\n\n  " REPO " topic\n\nThanks",
	"Could you run the same job on\n  " REPO " for-next\nplease?",
	"I pushed a fix to\n\n\t" REPO " topic\n\nPlease give it a try.",
	"The fix is in branch topic at " REPO ", can you rerun the test with it?",
	"Could you try " LORE " please?",
	"v2 is at " LORE ". Would you mind testing it?",
	"Please check if the series at " LORE " fixes it.",
	"This was fixed by [1], I hope. Can you confirm with [1] applied?\n\n[1] " LORE,
	"Can you test with commit 1a2b3c4d5e6f (\"foo: do less\") reverted?",
	"Could you please try reverting 1a2b3c4d5e6f and see?",
	"Dear Team,\n\nKindly verify once with the below patch and revert." DIFF,
	"Hum. Could you have a try with this?" DIFF,
	"Could you give it a whirl and say what the score is?" DIFF,
	"Would you mind testing with\n\n  $ git fetch " REPO " topic\n\nplease?",
	"Could you relaunch the same job with it?" DIFF,
	"Please rebuild with the attached diff." DIFF,
	"If you get a chance to throw this at your big box, I'd be curious." DIFF,
	"I would be very grateful if you could confirm these commits:\n\n  - 1a2b3c4d5e6f (\"a: "
	"b\")\n",
	"Can the test be repeated with\n\n A) commit 1a2b3c4d5e6f (\"a: b\")\n",
	"Does this fix it?\n\n" REPO "/log/?h=topic\n",
	"Whether you can test with this repo and branch?\n\nrepo: " REPO "\nbranch: topic\n",
	"Please revert 1a2b3c4d5e6f and measure again.",
	"It would be great to get numbers for\n\n  " REPO " topic\n",
	"Please have your machine run this one instead." DIFF,
	"@kernel test robot pls test.\n" DIFF,
	"It should be good now, repushed to\n\n  " REPO " topic\n\nHave another go?",
	"Does booting with mitigations=off make any difference?",
	"If you revert only the first hunk, do you still see the regression?",
	"Need your help to do the two experiments below:\n 1. boot with nosmt\n 2. mount with "
	"noatime\n",
	"Please pull and retry:\n\nThe following changes since commit 1a2b3c4d5e6f:\n\n  x "
	"(2026)\n\n"
	"are available in the Git repository at:\n\n  " REPO " tags/topic-1\n\n"
	"for you to fetch changes up to 2a2b3c4d5e6f:\n\n  y (2026)\n",
	"I'll send the fix as a series in reply to this mail. Please test it.",
	"Something like this (NOT EVEN COMPILED) should get rid of it." DIFF,
	"Please test with this debug patch, I need the output it gives." DIFF,
	"I'd appreciate it if you test it when the machine is free:\n" LORE,
	"Rerun with the config of yesterday, please.",
	"Can you please help in testing this patch?" DIFF,
	"Could you like to give a try on the new version?\n" LORE,
	"Anyways, is it possible to rerun the test with more runs?",
	"Moreover, it'd be helpful if you can repeat the test on v6.9.",
	"If you have time, please do trigger your benchmarks on the following series:\n" LORE,
	"Sure, here is the diff to test." DIFF,
	"Please find a fixed patch attached." DIFF,
	"Does this regression go away with the following commit?\n\n  1a2b3c4d5e6f (\"a: b\")\n",
	"Can you try to repro it on a machine with a single node?",
	"Does this patch [1] fix it?\n\n[1] " LORE,
	"Does it still trigger with this one?\n" LORE,
	"Does it reproduce on the v6.9-rc3 kernel?",
	"Can you please turn off this config, and retest with the module?",
	"Could you please apply only the first patch again and check if it only happens with "
	"that?" DIFF,
	"Oops, that is odd: mind to test it with KASAN enabled?" DIFF,
	"The check is wrong for the root group, it should return false there.\n"
	"Could you give it a try please, just to confirm?",
	"May I ask the bot to run the parent commit once more?",
	"Is v6.9-rc3 slow too? Please run the job on that tag.",
	"Can you rerun this on the latest mainline?",
	"Please repeat the test on top of v6.9, I believe it is gone there.",
	"Could you run this again? I suspect noise.",
	"Can you please run the test on commit 1a2b3c4d5e6f?",
	"Could you repeat the measurement with more runs?",
	"Could you try booting with mitigations=off?",
	"Could you run the other workloads on this branch too?\n\n" REPO " topic",
	"lorebot, please test this." DIFF,
	"Dear robot,\n\nplease test the patch below." DIFF,
	"Hello,\n\n> 12% regression\n\nouch. Does the patch below fix that for you?" DIFF,
	"Thanks. Something like the following should bring it back." DIFF,
	"Please see if this helps." DIFF,
	"Care to test this patch?" DIFF,
	"Time for another round: please test." DIFF,
	"Could you feed this to the test machine?" DIFF,
	"I would like you to test this patch." DIFF,
	"You could help me by testing the patch below." DIFF,
	"Can this be tested, please?" DIFF,
	"Requesting a test of the patch below, thanks." DIFF,
};

static const char *const not_asking[] = {
	"Hi,\n\nplease check the listed branch when in doubt.\n\ntree: " REPO "\nbranch: topic\n",
	"You can retry the write, but it will fail for good.",
	"Retry the IO, and it goes through.",
	"Can you confirm what line 12 is?\n\n" REPO "/tree/a.c?h=topic\n",
	"Please let me know if " LORE " needs to be improved to make it clear.",
	"It was a pleasure to connect with the key people of the test industry.",
	"Let me know what you think of it.\n\n" REPO " topic\n",
	"You should be able to avoid this by reverting commit 1a2b3c4d5e6f.",
	"Please stop testing this repository.",
	"Did you get a chance to read my last mail?",
	"Does it happen often?",
	"Rerun with the patch: no regression here." DIFF,
	"Retest with this patch passed." DIFF,
	"Retry on EINTR with this patch." DIFF,
	"It'd be nice if you could make the test more robust." DIFF,
	"Can you confirm that this is intended?" DIFF,
	"Please confirm receipt of this patch." DIFF,
	"Would reverting 1a2b3c4d5e6f fix it? No, I tried it.",
	"You can retest it as often as you like, it will fail." DIFF,
	"If you remove the test, you will see no regression any more." DIFF,
	"This patch will not fix it." DIFF,
	"Does the patch help? Yes, it does." DIFF,
	"It will take care of itself." DIFF,
	"Please try it yourself." DIFF,
	"Any way to run this test locally?" DIFF,
	"It is possible to test this patch with QEMU." DIFF,
	"Please let me know whether you still need me." DIFF,
	"Can you try not to send reports for this branch?\n" REPO " topic\n",
	"*Could you please test this?* and I said no." DIFF,
	"Ann said \u201cThis should fix it\u201d and I disagree." DIFF,
	"<ann> Can you rerun this with the patch?" DIFF,
	"Hello there Bo,\n\nplease test the patch below." DIFF,
	"Hi <bo@example.org>,\n\nplease test the patch below." DIFF,
	"dear bo\n\nplease test the patch below." DIFF,
	"[ Adding Bo Reviewer ]\n\nPlease test the patch below." DIFF,
	"Can you test the patch Bo?" DIFF,
	"Please give Bo a chance to run the test." DIFF,
	"Please let me know if there is another way I should do this to make it easier.",
	"Please let me know if I should make any changes or provide more results.",
	"So can you please confirm that your final fix does this?",
	"Please find the log below.",
	"Does this happen on your machine too?",
	"Open the menu, click twice outside, and it crashes.  Can you try that?",
	"I will test this." DIFF,
	"I'll give the patch below a try tomorrow." DIFF,
	"Kindly add the following tag if you fix it:\n\nReported-by: robot <robot@example.org>",
	"If you fix the issue, kindly add following tag\n| Reported-by: robot",
	"Please test this yourself before you send it." DIFF,
	"Bo, please test your patch properly next time.",
	"Did you test this?" DIFF,
	"Was this tested on arm64?" DIFF,
	"Tested on x86 and arm64, works fine." DIFF,
	"Someone should test this." DIFF,
	"Somebody with the hardware needs to test the patch below." DIFF,
	"Please test once v2 is out.",
	"Please test the next version, not this one.",
	"When I have posted v3, please test that.",
	"If Bo agrees, I will ask you to test it." DIFF,
	"No need to test this." DIFF,
	"There's no point testing the patch below." DIFF,
	"Please don't test this patch, it is broken." DIFF,
	"Please do not run this again." DIFF,
	"Please stop testing this branch: " REPO,
	"Testing this would be a waste of time." DIFF,
	"You need not test the patch below." DIFF,
	"This has been tested by Bo already." DIFF,
	"I have tested the patch below for a week." DIFF,
	"We are going to test the branch " REPO " next week.",
	"Bo, could you test the patch below on your machine?" DIFF,
	"@bo: please give the patch below a try." DIFF,
	"Could the s390 folks please test this?" DIFF,
	"Can anybody else try the patch below?" DIFF,
	"Perhaps Bo could try the patch below?" DIFF,
	"I asked Bo to test the patch below." DIFF,
	"Bo asked: \"could you please test the patch below?\"" DIFF,
	"He said please test, but I disagree." DIFF,
	"It would have been nice if you could have tested this before." DIFF,
	"You should have tested the patch before merging it.",
	"How do you test such patches?",
	"What kernel did you test?",
	"Which branch was tested here?",
	"Can you send me the config?",
	"Could you share the full dmesg, please?",
	"Please ignore this patch." DIFF,
	"Please drop this series, v2 was sent.",
	"Dropped, v2 sent.",
	"Ignore this series, please.",
	"Please stop sending me these.",
	"Remove me from this list, please.",
	"Please unsubscribe me.",
	"Please take me off your Cc list.",
	"Nice test!",
	"The test fails here, too.",
	"This test case is wrong." DIFF,
	"Please add a test for this." DIFF,
	"Could you please write a test for the patch below?" DIFF,
	"Please fix the test." DIFF,
	"Could you please resend with a test?" DIFF,
	"Please review the patch below." DIFF,
	"Could you please apply the patch below to your tree?" DIFF,
	"Please pull " REPO " topic",
	"I wonder whether testing the patch below makes sense." DIFF,
	"That is expected: the change trades speed for safety.",
};

static Request *read_body(const char *body)
{
	static const char *const own[] = {"bot@lab.example.org", NULL};
	const RequestContext context = {.own = own, .parent_is_ours = true};
	g_autofree char *text =
		g_strconcat("From: Ann <ann@example.org>\nTo: bot@lab.example.org\n"
			    "Cc: Bo Reviewer <bo@example.org>\nIn-Reply-To: <r@lab>\n"
			    "Subject: Re: foo is slow\n\n",
			    body, NULL);
	g_autoptr(Message) message = message_parse((const guint8 *)text, strlen(text), NULL);
	ck_assert_ptr_nonnull(message);
	g_autoptr(Patch) patch = patch_from_message(message, NULL);

	return request_from_message(message, patch, &context);
}

/* Every one that is read wrong, with the reason, so that a change of the rules is seen whole. */
static void assert_read(const char *const *bodies, gsize n, bool act)
{
	g_autoptr(GString) wrong = g_string_new(NULL);
	guint n_wrong = 0;

	for (gsize i = 0; i < n; i++) {
		g_autoptr(Request) request = read_body(bodies[i]);
		if (request->act == act)
			continue;
		n_wrong++;
		g_string_append_printf(wrong, "%.*s (%s)\n", (int)strcspn(bodies[i], "\n"),
				       bodies[i], request->why);
	}
	ck_assert_msg(n_wrong == 0, "%u of %" G_GSIZE_FORMAT " read wrong:\n%s", n_wrong, n,
		      wrong->str);
}

START_TEST(who_asks_us_is_heard)
{
	assert_read(asking, G_N_ELEMENTS(asking), true);
}
END_TEST

START_TEST(who_does_not_ask_is_left_alone)
{
	assert_read(not_asking, G_N_ELEMENTS(not_asking), false);
}
END_TEST

START_TEST(what_is_no_test_has_its_kind)
{
	static const struct {
		const char *body;
		RequestKind kind;
	} rows[] = {
		{"Could you share the full dmesg, please?", REQUEST_INFO},
		{"Can you send me the config?", REQUEST_INFO},
		{"Which compiler did you use?", REQUEST_INFO},
		{"What base was this tested on?", REQUEST_INFO},
		{"Where can I find the test script?", REQUEST_INFO},
		{"How can I reproduce this?", REQUEST_INFO},
		{"What does this metric mean?", REQUEST_INFO},
		{"Please bisect this.", REQUEST_INFO},
		{"Please drop this series, v2 was sent.", REQUEST_CANCEL},
		{"Dropped, v2 sent.", REQUEST_CANCEL},
		{"Ignore this series, please.", REQUEST_CANCEL},
		{"This patch can be ignored.", REQUEST_CANCEL},
		{"NAK to my own patch, sorry.", REQUEST_CANCEL},
		{"I am withdrawing this patch.", REQUEST_CANCEL},
		{"I'll drop this patch.", REQUEST_CANCEL},
		{"Please stop sending me these.", REQUEST_STOP},
		{"Please stop mailing me.", REQUEST_STOP},
		{"Remove me from this list, please.", REQUEST_STOP},
		{"Please unsubscribe me.", REQUEST_STOP},
		{"unsubscribe", REQUEST_STOP},
		{"Please take me off your Cc list.", REQUEST_STOP},
		{"Don't send me such reports any more.", REQUEST_STOP},
		{"I do not want to get these mails.", REQUEST_STOP},
		{"How do I opt out of these reports?", REQUEST_STOP},
		{"#lorebot stop", REQUEST_STOP},
		{"The regression stops after a reboot.", REQUEST_NONE},
		{"Please remove me from CREDITS.", REQUEST_NONE},
		{"The lock is dropped too early.", REQUEST_NONE},
		{"> Please stop sending me these.\n\nThat was not me.", REQUEST_NONE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Request) request = read_body(rows[i].body);
		ck_assert_msg(request->kind == rows[i].kind && !request->act, "%s: %s (%s)",
			      rows[i].body, request_kind_name(request->kind), request->why);
	}
}
END_TEST

CHECK_MAIN("asking", who_asks_us_is_heard, who_does_not_ask_is_left_alone,
	   what_is_no_test_has_its_kind)

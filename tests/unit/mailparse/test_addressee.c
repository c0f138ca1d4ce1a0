/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/addressee.h"

#include "tests/unit/check_main.h"

typedef struct {
	const char *sentence;
	const char *name; /* NULL: nobody */
} Row;

static void assert_name(const Row *row, char *found)
{
	g_autofree char *name = found;

	ck_assert_msg(g_strcmp0(name, row->name) == 0, "%s: %s", row->sentence, name);
}

START_TEST(the_one_asked_is_found)
{
	static const Row rows[] = {
		{"Ann, could you test it?", "Ann"},
		{"Ann: could you try this?", "Ann"},
		{"Ann - can you try this?", "Ann"},
		{"ann, could you test it?", "ann"},
		{"Ann, if you find the time, please test the branch.", "Ann"},
		{"Ann and Bo, could you test it?", "Ann and Bo"},
		{"Ann Author, please test it.", "Ann Author"},
		{"Ann please test the patch below.", "Ann"},
		{"Maybe Ann could you test it?", "Ann"},
		{"Hi Ann, could you test it?", "Ann"},
		{"Thanks Ann, could you test it?", "Ann"},
		{"@ann please test.", "ann"},
		{"@Bo Reviewer, can you test it?", "Bo Reviewer"},
		{"Could @bo please test?", "bo"},
		{"Could you, Ann, test the patch?", "Ann"},
		{"Could you (Ann) test the patch?", "Ann"},
		{"Could you please test the patch, Ann?", "Ann"},
		{"Could Ann please test the patch?", "Ann"},
		{"hi ann, could you test it?", "ann"},
		{"Ann (or anybody else), could you test it?", "Ann"},
		{"[+Ann] could you test it?", "Ann"},
		{"Any chance Ann could test it?", "Ann"},
		{"Is it possible for Ann to test it?", "Ann"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		assert_name(&rows[i], addressee_asked(rows[i].sentence));
}
END_TEST

START_TEST(words_that_open_a_sentence_are_no_names)
{
	static const char *const sentences[] = {
		"Can you please test it?",
		"Could We please test it?",
		"Thank you both.",
		"Instead, could you please try the changes below?",
		"Hi all, could you test it?",
		"Ok, can you try:",
		"Fixed, please test.",
		"Please test the patch below.",
		"Could you test it, please?",
		"Could you test it on top of v6.9, on ARM?",
		"Could you mail the results to ann@example.org?",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(sentences); i++) {
		const Row row = {sentences[i], NULL};
		assert_name(&row, addressee_asked(row.sentence));
	}
}
END_TEST

START_TEST(a_greeting_names_whom_the_mail_is_for)
{
	static const Row anywhere[] = {
		{"Hi Ann,", "Ann"},
		{"Hello Ann and Bo, thanks for the report.", "Ann and Bo"},
		{"hi, Ann, hi, Bo,", "Ann"},
		{"Thanks, Ann.", "Ann"},
		{"Ann,", "Ann"},
		{"hi ann,", "ann"},
		{"Adding Ann.", "Ann"},
		{"@ann:", "@ann"},
		{"Hi,", NULL},
		{"Hi all,", NULL},
		{"Thanks for the report.", NULL},
		{"Results:", NULL},
		{"Ann, it still fails.", NULL},
	};
	static const Row first[] = {
		{"Ann, it still fails.", "Ann"},
		{"Ann", "Ann"},
		{"Hi", NULL},
		{"Tested", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(anywhere); i++)
		assert_name(&anywhere[i], addressee_greeted(anywhere[i].sentence, false));
	for (gsize i = 0; i < G_N_ELEMENTS(first); i++)
		assert_name(&first[i], addressee_greeted(first[i].sentence, true));
}
END_TEST

START_TEST(third_persons_are_told_from_the_reader)
{
	static const char *const others[] = {
		"Could somebody at the lab please test this branch?",
		"Can anyone test the patch?",
		"If anybody has the hardware, please test the patch.",
		"Could the maintainers please test it?",
		"Would the people at the lab test the patch?",
		"Please test the patch, anyone?",
		"Who could test the patch?",
		"Could one of you please test the patch?",
		"Lab folks, could you please test the patch?",
		"Could your colleagues please test the patch?",
		"Those who have the hardware, please test.",
		NULL,
	};
	static const char *const readers[] = {
		"Could you please test this branch?",
		"Could you or somebody else test this branch?",
		"Could all of you test this?",
		"Please see whether it helps somebody.",
		"The patch below should help.",
		NULL,
	};

	for (gsize i = 0; others[i]; i++)
		ck_assert_msg(addressee_is_third(others[i]), "%s", others[i]);
	for (gsize i = 0; readers[i]; i++)
		ck_assert_msg(!addressee_is_third(readers[i]), "%s", readers[i]);
}
END_TEST

CHECK_MAIN("addressee", the_one_asked_is_found, words_that_open_a_sentence_are_no_names,
	   a_greeting_names_whom_the_mail_is_for, third_persons_are_told_from_the_reader)

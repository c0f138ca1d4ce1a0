/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/command.h"

#include "tests/unit/check_main.h"

#define REPO "git://git.example.org/linux.git"

typedef struct {
	const char *body;
	const char *text; /* NULL: no command */
	RequestKind kind;
	bool usable;
	const char *repo, *branch, *link;
} Row;

static void assert_row(const Row *row, bool any)
{
	g_autoptr(FormalCommand) command = formal_command_find(NULL, row->body, NULL, any);

	ck_assert_msg((command != NULL) == (row->text != NULL), "%s", row->body);
	if (command == NULL)
		return;
	ck_assert_str_eq(command->text, row->text);
	ck_assert_msg(command->kind == row->kind, "kind of %s", row->body);
	ck_assert_msg(command->usable == row->usable, "usable %s", row->body);
	ck_assert_pstr_eq(command->repo, row->repo);
	ck_assert_pstr_eq(command->branch, row->branch);
	ck_assert_pstr_eq(command->link, row->link);
}

START_TEST(every_way_to_write_a_command_is_read)
{
	static const Row rows[] = {
		{"#lorebot test\n", "#lorebot test", REQUEST_TEST, true, NULL, NULL, NULL},
		{"Hi\n\n#lorebot test " REPO " next\nbye\n", "#lorebot test " REPO " next",
		 REQUEST_TEST, true, REPO, "next", NULL},
		{"#lorebot test: " REPO " next", "#lorebot test: " REPO " next", REQUEST_TEST, true,
		 REPO, "next", NULL},
		{"#LoreBot Test: " REPO " next", "#LoreBot Test: " REPO " next", REQUEST_TEST, true,
		 REPO, "next", NULL},
		{" #lorebot test\n", " #lorebot test", REQUEST_TEST, true, NULL, NULL, NULL},
		{"#lorebot test:\n" REPO " next\n", "#lorebot test:\n" REPO " next", REQUEST_TEST,
		 true, REPO, "next", NULL},
		{"#lorebot test " REPO "\nnext\n", "#lorebot test " REPO "\nnext", REQUEST_TEST,
		 true, REPO, "next", NULL},
		{"#lorebot test\n" REPO "\nnext\n", "#lorebot test\n" REPO "\nnext", REQUEST_TEST,
		 true, REPO, "next", NULL},
		{"#lorebot test " REPO "\n\nnext\n", "#lorebot test " REPO, REQUEST_TEST, true,
		 REPO, NULL, NULL},
		{"#lorebot test mainline v6.9\n", "#lorebot test mainline v6.9", REQUEST_TEST, true,
		 "mainline", "v6.9", NULL},
		{"#lorebot test https://lore.kernel.org/all/a@b/\nThanks\n",
		 "#lorebot test https://lore.kernel.org/all/a@b/", REQUEST_TEST, true, NULL, NULL,
		 "https://lore.kernel.org/all/a@b/"},
		{"#lorebot test <20240506.a@example.org>\n",
		 "#lorebot test <20240506.a@example.org>", REQUEST_TEST, true, NULL, NULL,
		 "20240506.a@example.org"},
		{"#lorebot retest\n", "#lorebot retest", REQUEST_RETEST, true, NULL, NULL, NULL},
		{"#lorebot cancel\n", "#lorebot cancel", REQUEST_CANCEL, true, NULL, NULL, NULL},
		{"#lorebot test v6.9\n", "#lorebot test v6.9", REQUEST_TEST, false, NULL, NULL,
		 NULL},
		{"#lorebot test " REPO " --upload-pack=x\n",
		 "#lorebot test " REPO " --upload-pack=x", REQUEST_TEST, false, REPO, NULL, NULL},
		{"diff --git a/f b/f\n@@ -1 +1 @@\n-a\n+b\n#lorebot test\n", "#lorebot test",
		 REQUEST_TEST, true, NULL, NULL, NULL},
		{"#lorebot test\n\t" REPO " next\n", "#lorebot test\n\t" REPO " next", REQUEST_TEST,
		 true, REPO, "next", NULL},
		{"Please run this:\n#lorebot test\n", "#lorebot test", REQUEST_TEST, true, NULL,
		 NULL, NULL},
		{"For example:\n\tx\n\nIt fails.\n#lorebot test\n", "#lorebot test", REQUEST_TEST,
		 true, NULL, NULL, NULL},
		{"```\nlog\n```\n#lorebot test\n", "#lorebot test", REQUEST_TEST, true, NULL, NULL,
		 NULL},
		{"Bo> broken\n#lorebot test\n", "#lorebot test", REQUEST_TEST, true, NULL, NULL,
		 NULL},
		{"#lorebot hello\n#lorebot test\n", "#lorebot test", REQUEST_TEST, true, NULL, NULL,
		 NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		assert_row(&rows[i], false);
}
END_TEST

START_TEST(what_only_looks_like_a_command_is_left_alone)
{
	static const char *const bodies[] = {
		"> #lorebot test " REPO " next\n",
		">> #lorebot test\n",
		"| #lorebot test\n",
		"Bo> #lorebot test " REPO " next\n",
		"AB>#lorebot test\n",
		": #lorebot test\n",
		"On 6 May 2024, Bo wrote:\n\n #lorebot test\n",
		"No, thank you very much\n\nOn 6 May 2024, Bo wrote:\n\n#lorebot test\n",
		"-------- Original Message --------\n#lorebot test\n",
		"Begin forwarded message:\n\n#lorebot test\n",
		"From: Bo\nSent: Monday\n\n#lorebot test\n",
		"--\nAnn\n#lorebot test\n",
		"you can write:\n\n\t#lorebot test " REPO " next\n",
		"so:\n\n \t#lorebot test " REPO " next\n",
		"so:\n\n  #lorebot test " REPO " next\n",
		"You can also reply with:\n\n#lorebot test " REPO " next\n",
		"For example:\n#lorebot test\n",
		"```\n#lorebot test " REPO " next\n```\n",
		"~~~\n#lorebot test\n",
		"you can use #lorebot test for that\n",
		"-- \nAnn\n#lorebot test " REPO " next\n",
		"-----Original Message-----\n#lorebot test " REPO " next\n",
		"#lorebot test REPO BRANCH\n",
		"#lorebot test LINK\n",
		"#lorebot test git://repo/address.git branch-or-commit-hash\n",
		"#lorebot test <repo> <branch>\n",
		"        #lorebot test " REPO " next\n",
		"diff --git a/f b/f\n@@ -1 +1 @@\n #lorebot test\n",
		"+#lorebot test\n",
		"# lorebot\n",
		"#lorebot\n",
		"#syz test\n",
		"#include test\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		g_autoptr(FormalCommand) command =
			formal_command_find(NULL, bodies[i], NULL, false);
		ck_assert_msg(command == NULL, "took %s", bodies[i]);
	}
}
END_TEST

START_TEST(a_command_that_is_shown_orders_nothing)
{
	static const char *const bodies[] = {
		/* explained */
		"you can reply with\n#lorebot test " REPO " next\n",
		"You can\nalso reply with one of these:\n\n#lorebot test " REPO " next\n",
		"You can reply with:\n\n#lorebot test " REPO " next\n\n#lorebot retest\n",
		"You can reply with:\n\n#lorebot test " REPO " next\nor\n#lorebot retest\n",
		"The command is:\n\n#lorebot test\n",
		"The command would be\n#lorebot test\n",
		"The syntax:\n#lorebot test\n",
		"For instance:\n\n#lorebot test\n",
		"To test a branch:\n#lorebot test " REPO " next\n",
		"Thanks. To run it again:\n\n#lorebot test\n",
		"You need to answer with a line like this:\n#lorebot test\n",
		"Just write\n#lorebot test\nand wait.\n",
		"Anyone may ask for it by sending\n#lorebot test\n",
		"The robot understands\n#lorebot test\n",
		"How to do it:\n#lorebot test\n",
		"Instead of\n#lorebot test\nplease use the new form.\n",
		"Please don't send\n#lorebot test\n",
		"Maintainers can use:\n#lorebot cancel\n",
		/* cited */
		"I sent\n#lorebot test\nand got no answer.\n",
		"Yesterday I wrote:\n\n#lorebot test\n\nNothing happened.\n",
		"The mail said\n\n#lorebot test\n\nis how to do that.\n",
		"#lorebot test is how to ask for it.\n",
		"#lorebot test\nis how to ask for it.\n",
		"#lorebot test\n\ndoes not work for me.\n",
		"#lorebot retest would do that.\n",
		"it is described that\n#lorebot test\nruns the suite again.\n",
		"#lorebot test " REPO " next`\n",
		"#lorebot test \"" REPO "\" next\n",
		"\"#lorebot test " REPO " next\"\n",
		"`#lorebot test`\n",
		"* #lorebot test\n",
		"- #lorebot test\n",
		"# lorebot test\n",
		"#lorebot test\nor\n#lorebot test " REPO " next\n",
		"#lorebot test\n\nor, alternatively:\n\n#lorebot test " REPO " next\n",
		/* the help of a robot */
		"#lorebot test\n#lorebot test REPO BRANCH\n#lorebot test LINK\n",
		"Commands:\n\n#lorebot test\n#lorebot retest\n#lorebot cancel\n",
		/* documented */
		"Say how.\n\n#lorebot test\n---\ndiff --git a/d b/d\n@@ -1 +1,2 @@\n x\n"
		"+#lorebot test\n",
		"Say how.\n\n#lorebot test\n---\ndiff --git a/d b/d\n@@ -1,2 +1 @@\n x\n"
		"-  Write `#lorebot test` for that.\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		g_autoptr(FormalCommand) command =
			formal_command_find(NULL, bodies[i], NULL, false);
		ck_assert_msg(command == NULL, "took %s", bodies[i]);
	}
}
END_TEST

START_TEST(words_around_an_order_do_not_spoil_it)
{
	static const char *const bodies[] = {
		"Hi\n#lorebot test\nThanks\n",
		"Thanks\n#lorebot test\n",
		"Let's see whether that helps:\n\n#lorebot test\n",
		"Please run this\n#lorebot test\n",
		"Could you please test my branch?\n\n#lorebot test " REPO " next\n",
		"Fixed in v2.\n#lorebot test\n\nAnn\n",
		"Here is a debug patch.\n\n#lorebot test: " REPO " next\n\ndiff --git a/f b/f\n",
		"#lorebot test\n\ndiff --git a/f b/f\n@@ -1 +1 @@\n-# a\n+# foo test\n",
		"That can be done, see the command line above.\n\n#lorebot test\n",
		"#lorebot test\n#lorebot retest\n",
		"Bo's example is wrong.\n\n#lorebot test\n",
		"You can ignore v1.\n\n#lorebot test\n",
		"I sent v2 yesterday.\n\n#lorebot test\n",
		"Make it do less\n---\n#lorebot test\n\n gauge | 2 +-\n 1 file changed\n",
		"Make it do less\n---\n#lorebot test\n test/run.c | 2 +-\n 1 file changed\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		g_autoptr(FormalCommand) command =
			formal_command_find(NULL, bodies[i], NULL, false);
		ck_assert_msg(command && command->usable, "missed %s", bodies[i]);
	}
}
END_TEST

START_TEST(a_body_of_nothing_but_commands_is_read_in_time)
{
	g_autoptr(GString) body = g_string_new(NULL);

	for (guint i = 0; i < 200000; i++)
		g_string_append(body, i % 2 ? "#lorebot test\n" : "#lorebot hello\n\n");
	g_autoptr(FormalCommand) command = formal_command_find(NULL, body->str, NULL, false);

	ck_assert_int_eq(command->kind, REQUEST_TEST);
}
END_TEST

START_TEST(standing_in_for_any_robot_its_commands_count)
{
	static const Row row = {"#syz test: " REPO " next",
				"#syz test: " REPO " next",
				REQUEST_TEST,
				true,
				REPO,
				"next",
				NULL};
	static const Row other = {"#syz fix: some title",
				  "#syz fix: some title",
				  REQUEST_NONE,
				  false,
				  NULL,
				  NULL,
				  NULL};

	assert_row(&row, true);
	assert_row(&other, true);
}
END_TEST

START_TEST(options_are_kept_apart_from_the_target)
{
	g_autoptr(FormalCommand) command = formal_command_find(
		NULL, "#lorebot test runs=12 " REPO " next suite=fs\n", NULL, false);

	ck_assert_str_eq(command->repo, REPO);
	ck_assert_str_eq(command->branch, "next");
	ck_assert_str_eq(command->options[0], "runs=12");
	ck_assert_str_eq(command->options[1], "suite=fs");
	ck_assert_ptr_null(command->options[2]);
}
END_TEST

START_TEST(a_command_may_stand_in_the_subject)
{
	g_autoptr(FormalCommand) command =
		formal_command_find("#lorebot test " REPO " next", "", NULL, false);

	ck_assert_str_eq(command->branch, "next");
}
END_TEST

START_TEST(a_command_cut_at_any_byte_is_read)
{
	const char *body = "Hi\n#lorebot test: runs=12\n" REPO "\nnext\n-- \nAnn\n";

	for (gsize len = 0; len <= strlen(body); len++) {
		g_autofree char *cut = g_strndup(body, len);
		g_autoptr(FormalCommand) command = formal_command_find(cut, cut, NULL, true);
		ck_assert(command == NULL || command->text[0] == '#');
	}
}
END_TEST

START_TEST(a_command_that_is_told_or_shown_is_not_given)
{
#define COMMAND "#lorebot test https://git.example.org/x.git main\n"
	static const char *const shown[] = {
		"Ann, please send this to the robot:\n\n" COMMAND,
		"Ann, all you need is:\n\n" COMMAND,
		"Next time please write\n\n" COMMAND,
		"The README says:\n\n" COMMAND "\nBut that does not work for me.\n",
		"On Monday Ann told me:\n\n" COMMAND,
		"Why did the robot not react to my line\n\n" COMMAND "\nyesterday?\n",
		"Since the mail\n\n" COMMAND "\nfails, fix the parser.\n",
		"<pre>\n" COMMAND "</pre>\n",
		"````\n```\n" COMMAND "```\n````\n",
		"   ```\n   x\n" COMMAND "   ```\n",
		"---8<---\n" COMMAND "--->8---\n",
		"\"\n" COMMAND "\"\n",
		"#+begin_src sh\n" COMMAND "#+end_src\n",
		"$ cat <<EOF | sendmail\n" COMMAND "EOF\n",
		"Reproducer:\n\n#include <stdio.h>\n" COMMAND,
		".. code-block:: none\n\n " COMMAND,
		"What I have is this::\n\n " COMMAND,
		"Ann Author <ann@example.org> 于2026年6月1日周一 10:00写道：\n\n" COMMAND,
	};
	static const char *const given[] = {
		"Let's try again, just the branch:\n" COMMAND,
		"Thanks for the report\n\n" COMMAND,
		"Please test:\n\n" COMMAND,
		"Robot:\n" COMMAND,
	};

	for (gsize i = 0; i < G_N_ELEMENTS(shown); i++) {
		g_autoptr(FormalCommand) command = formal_command_find(NULL, shown[i], NULL, false);
		ck_assert_msg(command == NULL, "%s", shown[i]);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(given); i++) {
		g_autoptr(FormalCommand) command = formal_command_find(NULL, given[i], NULL, false);
		ck_assert_msg(command != NULL, "%s", given[i]);
	}
#undef COMMAND
}
END_TEST

CHECK_MAIN("command", a_command_that_is_told_or_shown_is_not_given,
	   every_way_to_write_a_command_is_read, what_only_looks_like_a_command_is_left_alone,
	   a_command_that_is_shown_orders_nothing, words_around_an_order_do_not_spoil_it,
	   a_body_of_nothing_but_commands_is_read_in_time,
	   standing_in_for_any_robot_its_commands_count, options_are_kept_apart_from_the_target,
	   a_command_may_stand_in_the_subject, a_command_cut_at_any_byte_is_read)

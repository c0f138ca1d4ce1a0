/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole mails, at least three for each thing that a mailer or a list does to a patch. */
#include "mailparse/mail.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define HEADER                                                                                     \
	"From: Ann Author <ann@example.org>\nTo: lab@lists.example.org\n"                          \
	"Subject: [PATCH] foo: bar\nMessage-ID: <1@example.org>\n"
#define PLAIN HEADER "\n"
#define FLOWED HEADER "Content-Type: text/plain; format=flowed\n\n"
#define HTML HEADER "Content-Type: text/html; charset=utf-8\n\n"
#define MIXED HEADER "Content-Type: multipart/mixed; boundary=B\n\n--B\n\n"

/* The diff begins on line 5, its first hunk on line 9. */
#define TEXT "Text.\n\nSigned-off-by: Ann Author <ann@example.org>\n---\n"
#define NAMES(name)                                                                                \
	"diff --git a/" name " b/" name "\nindex 1111111..2222222 100644\n--- a/" name             \
	"\n+++ b/" name "\n"
#define FOO TEXT NAMES("lib/foo.c")
#define END "-- \n2.39.5\n"
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

typedef struct {
	const char *mail;
	const char *kind; /* NULL: nothing shows */
	gsize line;
	bool repaired;
} Row;

static Mail *read_mail(const char *text)
{
	return mail_read((const guint8 *)text, strlen(text), NULL, NULL);
}

static void check_row(const Row *row)
{
	g_autoptr(Mail) mail = read_mail(row->mail);
	const Damage *damage = mail_damage(mail);

	if (row->kind == NULL) {
		ck_assert_msg(damage == NULL, "%s\nis no %s", row->mail,
			      damage ? patch_damage_name(damage->kind) : "");
		return;
	}
	ck_assert_msg(damage != NULL, "%s\nis %s", row->mail, row->kind);
	g_autofree char *says = damage_sentence(damage);
	ck_assert_msg(strcmp(patch_damage_name(damage->kind), row->kind) == 0, "%s\nis %s: %s",
		      row->mail, row->kind, says);
	ck_assert_msg(damage->line == row->line, "%s\nline %zu: %s", row->mail, row->line, says);
	ck_assert_msg(damage->repaired == row->repaired, "%s\n%s", row->mail, says);
	ck_assert_ptr_nonnull(strstr(says, damage_advice(damage->kind)));
}

static void check_rows(const Row *rows, gsize n)
{
	for (gsize i = 0; i < n; i++)
		check_row(&rows[i]);
}

START_TEST(what_only_looks_damaged_is_not)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+b\n c\n" END, NULL, 0, false},
		/* diff.suppressBlankEmpty leaves nothing of an empty context line. */
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n" END, NULL, 0, false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+b // \342\200\234x\342\200\235 \342\200\223 y\n" END,
		 NULL, 0, false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+puts(\"\342\200\234x\342\200\235 \342\200\2231\");\n",
		 NULL, 0, false},
		{PLAIN TEXT NAMES("doc/fr.txt") "@@ -1 +1 @@\n-a\n+Oui\302\240: non\302\240!\n" END,
		 NULL, 0, false},
		/* A project that indents by eight blanks. */
		{PLAIN FOO "@@ -1,3 +1,3 @@\n         if (x)\n-                a();\n"
			   "+                b();\n         c();\n" END,
		 NULL, 0, false},
		/* The diff mends it. */
		{PLAIN FOO "@@ -1 +1 @@\n-caf\303\203\302\251\n+caf\303\251\n" END, NULL, 0, false},
		/* The blob says that the file is what it looks like. */
		{PLAIN TEXT "diff --git a/n.c b/n.c\nnew file mode 100644\n"
			    "index 0000000..06de30e\n--- /dev/null\n+++ b/n.c\n"
			    "@@ -0,0 +1 @@\n+\302\240x\n" END,
		 NULL, 0, false},
		{PLAIN "Text.\n---\n f.c | 2 +-\n 1 file changed, 1 insertion(+), 1 "
		       "deletion(-)\n\n" NAMES("f.c") "@@ -1 +1 @@\n-a\n+b\n" END,
		 NULL, 0, false},
		/* A test of quoted-printable: other "=" stand beside. */
		{PLAIN FOO "@@ -1 +1,2 @@\n-a\n+x = \"=3D=20\";\n+y =\n" END, NULL, 0, false},
		{PLAIN ">From is quoted here:\n> so\n---\n" NAMES("f") "@@ -1 +1 @@\n-a\n+b\n" END,
		 NULL, 0, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(flowed_text_is_repaired)
{
	static const Row rows[] = {
		{FLOWED FOO "@@ -1,2 +1,2 @@\n  a\n-b\n+c \nd\n" END, "flowed", 10, true},
		{FLOWED FOO "@@ -1,2 +1,2 @@\n-a\n+b\n  c\n" END, "flowed", 12, true},
		{HEADER "Content-Type: text/plain; format=flowed; delsp=yes\n\n" FOO
			"@@ -1,2 +1,2 @@\n-a\n+bb \nb\n  c\n" END,
		 "flowed", 11, true},
		/* In name only: nothing has to be undone. */
		{FLOWED FOO "@@ -1,2 +1,2 @@\n-a\n+b\n c\n" END, NULL, 0, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(wrapped_lines_are_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+" LONG "\nb);\n c\n" END, "wrapped", 12, false},
		{PLAIN FOO "@@ -1,2 +1,2 @@ static int\nfoo(void)\n a\n-b\n+c\n" END, "wrapped", 10,
		 false},
		/* Wide by its tabs. */
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+\t\t\t\t\t\tcall(a_long_one,\nb);\n c\n" END,
		 "wrapped", 12, false},
		/* The tail looks like a line of the diff. */
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+" LONG "\n+ b);\n c\n" END, "wrapped", 12, false},
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+" LONG "\n - b);\n c\n d\n" END, "wrapped", 12,
		 false},
		/* It was the last line. */
		{PLAIN FOO "@@ -1,2 +1,2 @@\n c\n-a\n+" LONG "\nb);\n" END, "wrapped", 13, false},
		/* The header was too long. */
		{PLAIN TEXT "diff --git a/" LONG "\nb/" LONG "\nindex 1..2 100644\n--- a/" LONG
			    "\n+++ b/" LONG "\n@@ -1 +1 @@\n-a\n+b\n" END,
		 "wrapped", 6, false},
		{PLAIN TEXT
		 "diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\nf\n+++ b/f\n"
		 "@@ -1 +1 @@\n-a\n+b\n" END,
		 "wrapped", 7, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(tabs_that_became_blanks_are_found)
{
	static const Row rows[] = {
		/* Pasted from a terminal, where the sign took the first column. */
		{PLAIN FOO "@@ -1,3 +1,3 @@\n        if (x)\n-               a();\n"
			   "+               b();\n        c();\n" END,
		 "tabs", 10, false},
		{PLAIN TEXT NAMES("lib/Makefile") "@@ -1,2 +1,2 @@\n all: x\n-        a\n"
						  "+        b\n" END,
		 "tabs", 11, false},
		{PLAIN TEXT "--- a/f.c       2024-01-31 10:00:00 +0100\n"
			    "+++ b/f.c       2024-01-31 10:00:01 +0100\n@@ -1 +1 @@\n-a\n+b\n",
		 "tabs", 5, false},
		/* White space was all that changed. */
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-        a();\n+        a();\n b\n" END, "tabs", 10,
		 false},
		/* The blob is that of the file with tabs. */
		{PLAIN TEXT "diff --git a/n.c b/n.c\nnew file mode 100644\n"
			    "index 0000000..1962322\n--- /dev/null\n+++ b/n.c\n"
			    "@@ -0,0 +1,2 @@\n+if (x)\n+        y();\n" END,
		 "tabs", 12, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(no_break_spaces_are_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+b\n\302\240c\n" END, "nbsp", 12, false},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+\302\240 b\n c\n" END, "nbsp", 11, false},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+\240b\n c\n" END, "nbsp", 11, false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+int\302\240x;\n" END, "nbsp", 11, false},
		{PLAIN TEXT NAMES("f.py") "@@ -1 +1 @@\n-a\n+x = 1 \302\240# y\n" END, "nbsp", 11,
		 false},
		/* Not even its header can be read. */
		{PLAIN "Text.\n---\302\240a/f.c\n+++\302\240b/f.c\n@@ -1 +1 @@\n-a\n+b\n", "nbsp",
		 2, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(foreign_line_ends_are_found)
{
	static const Row rows[] = {
		{PLAIN "Text.\r\n---\r\ndiff --git a/f b/f\r\n--- a/f\r\n+++ b/f\r\n"
		       "@@ -1 +1 @@\r\n-a\r\n+b\r\n",
		 "crlf", 3, true},
		{PLAIN "--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "crlf", 1, true},
		{HEADER "Content-Transfer-Encoding: base64\n\n"
			"LS0tIGEvZg0KKysrIGIvZg0KQEAgLTEgKzEgQEANCi1hDQorYg0K\n",
		 "crlf", 1, true},
		/* The blob had CRs, which are gone. */
		{PLAIN TEXT "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..c30dea8\n"
			    "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n" END,
		 "crlf", 11, false},
		/* A file of CRLF lines. */
		{PLAIN FOO "@@ -1 +1 @@\n-a\r\n+b\r\n" END, NULL, 0, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(a_way_through_html_is_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1 +1 @@\n-p->x\n+p-&gt;y\n" END, "html", 11, false},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+b\n #include &lt;stdio.h&gt;\n" END, "html", 12,
		 false},
		{PLAIN "Text.\n\nSigned-off-by: Ann &lt;ann@example.org&gt;\n---\n" NAMES(
			 "f") "@@ -1 +1 @@\n-a\n+b\n" END,
		 "html", 3, false},
		{PLAIN FOO "@@ -1 +1 @@\n-if (a &amp;&amp; b)\n+if (a)\n" END, "html", 10, false},
		{HTML "<html><pre>\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
		      "</pre></html>\n",
		 "html", 2, false},
		{HTML "<div>Text</div><div>diff --git a/f b/f</div>\n", "html", 1, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

#define STAT(n) "Text.\n---\n f.c | 2 +-\n g.c | 2 +-\n " n ", 2 insertions(+), 2 deletions(-)\n\n"

START_TEST(a_missing_end_is_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n", "truncated", 10, false},
		{PLAIN FOO "@@ -1,4 +1,4 @@\n x\n-a\n+b\nWhat do you\nthink?\n", "truncated", 12,
		 false},
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+b\n> Does it help?\n c\n d\n", "truncated", 11,
		 false},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+b\n" END, "truncated", 11, false},
		{PLAIN TEXT "diff --git a/f b/f\nindex 1111111..2222222 100644\n", "truncated", 6,
		 false},
		/* Between two files. */
		{PLAIN STAT("2 files changed") NAMES("f.c") "@@ -1 +1 @@\n-a\n+b\n" END,
		 "truncated", 13, false},
		/* Before the first one. */
		{PLAIN STAT("2 files changed"), "truncated", 5, false},
		{PLAIN TEXT "diff --git a/f b/f\n", "truncated", 5, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(leftovers_of_quoted_printable_are_repaired)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1 +1 @@\n-x =3D 1;\n+x =3D 2;\n" END, "quoted-printable", 10, true},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+aaaaaaaaaaaaaaa=\nbbbb\n=20c\n--=20\n2.39.5\n",
		 "quoted-printable", 11, true},
		{PLAIN TEXT NAMES("f") "@@ -1,2 +1,2 @@\n-a\n+=C3=A9 =3D\n=20\n--=20\n2.39.5\n",
		 "quoted-printable", 11, true},
		{MIXED "Text.\n--B\nContent-Disposition: attachment; filename=f.patch\n\n" NAMES(
			 "f") "@@ -1 +1 @@\n-x =3D 1;\n+x =3D 2;\n--B--\n",
		 "quoted-printable", 6, true},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(what_only_looks_like_quoted_printable_is_left_alone)
{
	static const char *const texts[] = {
		PLAIN NAMES("f") "@@ -1 +1 @@\n-old\n+see https://example.org/?a=3D&b=20\n",
		PLAIN "diff --git a/x b/x\nnew file mode 100644\n"
		      "index 0000000..4402b62a10a9833bb7afd2ca21fbaeb1b9b7054e\n"
		      "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a=3Db\n+c=20\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(Mail) mail = read_mail(texts[i]);
		ck_assert_msg(mail_damage(mail) == NULL, "%s", texts[i]);
	}
}
END_TEST

START_TEST(what_quoted_printable_left_is_undone_in_diff_and_message)
{
	g_autoptr(Mail) mail =
		read_mail(PLAIN "a =3D b\n---\n" NAMES("f") "@@ -1,2 +1,2 @@\n-x =3D 1;\n"
							    "+x =3D=\n 2;\n=20z\n");
	const DiffFile *file = mail->patch->diff->files->pdata[0];
	const DiffHunk *hunk = file->hunks->pdata[0];
	const DiffLine *added = &g_array_index(hunk->lines, DiffLine, 1);

	ck_assert(file->complete);
	ck_assert_uint_eq(added->len, strlen("x = 2;"));
	ck_assert_mem_eq(added->text, "x = 2;", added->len);
	ck_assert_str_eq(mail->patch->message, "a = b\n");
}
END_TEST

START_TEST(lost_characters_are_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+b\n caf\357\277\275\n" END, "charset", 12, false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+caf\303\203\302\251\n" END, "charset", 11, false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+it\303\242\342\202\254\342\204\242s\n" END, "charset",
		 11, false},
		/* UTF-16, which no diff is read in. */
		{HEADER "Content-Type: text/plain; charset=utf-16le\n"
			"Content-Transfer-Encoding: base64\n\n"
			"LQAtAC0AIABhAC8AZgAKACsAKwArACAAYgAvAGYACgBAAEAAIAAtADEAIAArADEAIABAAEAA\n"
			"CgAtAGEACgArAGIACgA=\n",
		 "charset", 1, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

/* A mail's text holds no NUL: one in a diff stands where another character was. */
START_TEST(a_nul_in_a_diff_is_found)
{
	static const struct {
		const char *hunk;
		gsize line;
	} rows[] = {{"@@ -1 +1 @@\n-a\n+b@\n", 11},
		    {"@@ -1,2 +1,2 @@\n a@\n-b\n+c\n", 10},
		    {"@@ -1,2 +1,2 @@\n-b\n+@\n a\n", 11}};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = g_strconcat(PLAIN FOO, rows[i].hunk, END, NULL);
		gsize len = strlen(text);
		*strchr(strstr(text, "@@ -1") + strlen("@@ -1,2 +1,2 @@"), '@') = '\0';
		g_autoptr(Mail) mail = mail_read((const guint8 *)text, len, NULL, NULL);

		ck_assert_ptr_nonnull(mail_damage(mail));
		ck_assert_str_eq(patch_damage_name(mail_damage(mail)->kind), "charset");
		ck_assert_uint_eq(mail_damage(mail)->line, rows[i].line);
		ck_assert(!mail_damage(mail)->repaired);
	}
}
END_TEST

START_TEST(an_attachment_that_was_taken_away_is_missed)
{
	static const Row rows[] = {
		{PLAIN "Text.\n-------------- next part --------------\n"
		       "A non-text attachment was scrubbed...\nName: f.patch\n",
		 "attachment", 3, false},
		{PLAIN
		 "Text.\n\n[demime 1.01d removed an attachment of type text/x-patch which had a "
		 "name of f.patch]\n",
		 "attachment", 3, false},
		{PLAIN "See the patch.\n[attachment deleted]\n", "attachment", 2, false},
		{MIXED "Text.\n--B\nContent-Type: text/x-patch\n"
		       "Content-Disposition: attachment; filename=f.patch\n\n\n--B--\n",
		 "attachment", 0, false},
		{PLAIN "The attachment support was removed in v2.\n", NULL, 0, false},
		{PLAIN "> A non-text attachment was scrubbed...\n", NULL, 0, false},
		{PLAIN "An HTML attachment was scrubbed...\n", NULL, 0, false},
		{PLAIN "A non-text attachment was scrubbed...\nName: signature.asc\n"
		       "Type: application/pgp-signature\n",
		 NULL, 0, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(blanks_cut_off_at_the_end_are_found)
{
	static const Row rows[] = {
		/* git's own signature mark lost its blank, and so did the empty context line. */
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n--\n2.39.5\n", "trailing-space", 12,
		 true},
		/* White space was all that changed. */
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-return x;\n+return x;\n c\n" END, "trailing-space",
		 10, false},
		{PLAIN FOO "@@ -1,4 +1,4 @@\n q\n-a\n-b\n+a\n+b\n c\n" END, "trailing-space", 11,
		 false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n" END, NULL, 0,
		 false},
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n--\nAnn\n", NULL, 0, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(blanks_cut_off_at_the_start_are_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+b\n\tc\n d\n" END, "leading-space", 12, false},
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+b\nint c;\nd;\n" END, "leading-space", 12, false},
		{PLAIN FOO "@@ -1,4 +1,4 @@ x\nint q;\n-a\n+b\n{\n}\n" END, "leading-space", 10,
		 false},
		{PLAIN FOO "@@ -1,3 +1,3 @@\n-a\n+" LONG "\nint c;\n}\n" END, "leading-space", 12,
		 false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(round_quotes_and_long_dashes_are_found)
{
	static const Row rows[] = {
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+#include \342\200\234foo.h\342\200\235\n" END,
		 "typography", 11, false},
		{PLAIN FOO "@@ -1 +1 @@\n-a\n+puts(\342\200\234x\342\200\235);\n" END, "typography",
		 11, false},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+b\n return \342\200\2231;\n" END, "typography",
		 12, false},
		{PLAIN "Text.\n\342\200\224 a/f.c\n+++ b/f.c\n@@ -1 +1 @@\n-a\n+b\n", "typography",
		 2, false},
		{PLAIN FOO "@@ -1,2 +1,2 @@\n+b\n\342\210\222a\n c\n" END, "typography", 11, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(an_escaped_from_is_found)
{
	static const Row rows[] = {
		{PLAIN "Text.\n>From here on it works.\n---\n" NAMES("f") "@@ -1 +1 @@\n-a\n+b\n",
		 "from", 2, false},
		{PLAIN ">From 1 to 9.\n---\n" NAMES("f") "@@ -1 +1 @@\n-a\n+b\n", "from", 1, false},
		{PLAIN "a\n\n>From time to time\n\nb\n---\n" NAMES("f") "@@ -1 +1 @@\n-a\n+b\n",
		 "from", 3, false},
	};

	check_rows(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(the_sentence_says_what_where_and_what_to_do)
{
	g_autoptr(Mail) mail = read_mail(PLAIN FOO "@@ -1,2 +1,2 @@\n-a\n+" LONG "\nb);\n c\n" END);
	g_autofree char *says = damage_sentence(mail_damage(mail));

	ck_assert_str_eq(says, "the patch was damaged on its way: the mail program broke a long "
			       "line (line 12 of its text, in lib/foo.c: \"b);\"); turn line "
			       "wrapping off, or attach the patch");
}
END_TEST

/* Each prefix of a mail parses, or is refused by name. */
START_TEST(a_damaged_mail_cut_at_any_byte_is_read)
{
	static const char text[] = PLAIN STAT("2 files changed")
		NAMES("f.c") "@@ -1,2 +1,2 @@\n-x =3D 1;\n+" LONG "=\nb);\n=20c\n--=20\n2.39.5\n";

	for (gsize len = 0; len < strlen(text); len++) {
		g_autofree guint8 *cut = g_memdup2(text, len > 0 ? len : 1);
		g_autoptr(GError) error = NULL;
		g_autoptr(Mail) mail = mail_read(cut, len, NULL, &error);

		ck_assert((mail == NULL) == (error != NULL));
		const Damage *damage = mail ? mail_damage(mail) : NULL;
		g_autofree char *says = damage ? damage_sentence(damage) : NULL;
		ck_assert(says == NULL || g_utf8_validate(says, -1, NULL));
	}
}
END_TEST

CHECK_MAIN("damaged", what_only_looks_damaged_is_not, flowed_text_is_repaired,
	   wrapped_lines_are_found, tabs_that_became_blanks_are_found, no_break_spaces_are_found,
	   foreign_line_ends_are_found, a_way_through_html_is_found, a_missing_end_is_found,
	   leftovers_of_quoted_printable_are_repaired,
	   what_only_looks_like_quoted_printable_is_left_alone,
	   what_quoted_printable_left_is_undone_in_diff_and_message, lost_characters_are_found,
	   a_nul_in_a_diff_is_found, an_attachment_that_was_taken_away_is_missed,
	   blanks_cut_off_at_the_end_are_found, blanks_cut_off_at_the_start_are_found,
	   round_quotes_and_long_dashes_are_found, an_escaped_from_is_found,
	   the_sentence_says_what_where_and_what_to_do, a_damaged_mail_cut_at_any_byte_is_read)

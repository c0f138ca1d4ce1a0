/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * readers - what each reader of mail costs when its input doubles.
 *
 * Usage: readers [WORD...]  Only rows whose name holds a word.
 *
 * One line a row: name, bytes of the largest input, its milliseconds, and the growth of the time at
 * each doubling: 2 is linear, 4 quadratic.  It only tells; a machine that is busy lies.
 */
#include "mailparse/copy.h"
#include "mailparse/limits.h"
#include "mailparse/mail.h"
#include "mailparse/mbox.h"
#include "mailparse/msgid.h"
#include "mailparse/trailer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DOUBLINGS 4
#define ROUNDS 3
#define NS_PER_MS 1e6
#define HEAD                                                                                       \
	"From: Ann <ann@example.org>\nTo: bot@lab.example.org\nSubject: Re: x\n"                   \
	"Message-ID: <1@example.org>\n"

/* Returns: true when something was read */
typedef bool (*Reader)(const char *text, gsize len);

static bool read_mail(const char *text, gsize len)
{
	static const char *const own[] = {"bot@lab.example.org", NULL};
	const RequestContext ours = {.own = own};
	const RequestContext any = {.any = true};
	g_autoptr(Mail) mail = mail_read((const guint8 *)text, len, &ours, NULL);
	g_autoptr(Mail) again = mail_read((const guint8 *)text, len, &any, NULL);

	return mail != NULL || again != NULL;
}

static bool read_subject(const char *text, gsize len)
{
	(void)len;
	g_autoptr(SubjectPrefix) prefix = subject_parse(text);

	return prefix->numbered;
}

static bool read_trailers(const char *text, gsize len)
{
	(void)len;
	g_autoptr(GPtrArray) trailers = trailer_list(text);

	return trailers->len > 0;
}

static bool read_ids(const char *text, gsize len)
{
	(void)len;
	g_autoptr(GPtrArray) ids = msgid_list(text);
	g_autofree char *id = msgid_canonical(text);

	return ids->len > 0 || id != NULL;
}

static bool read_addresses(const char *text, gsize len)
{
	(void)len;
	g_autoptr(GPtrArray) list = mailbox_list_parse(text);
	g_autoptr(Mailbox) one = mailbox_parse(text, NULL);

	return list->len > 0 || one != NULL;
}

static bool read_mbox(const char *text, gsize len)
{
	MboxScanner scanner;
	gsize at = 0, used = 0;
	guint64 start = 0;
	guint n_mails = 0;

	mbox_scanner_init(&scanner, 0);
	while (at < len) {
		n_mails += mbox_scanner_feed(&scanner, (const guint8 *)text + at, len - at, &used,
					     &start);
		at += used;
	}
	return n_mails > 0;
}

static bool read_copies(const char *text, gsize len)
{
	g_autoptr(GString) other = g_string_new_len(text, (gssize)len);
	g_string_append(other, "____\nlab mailing list\n");
	g_autoptr(GBytes) first = g_bytes_new_static(text, len);
	g_autoptr(GBytes) second = g_bytes_new_static(other->str, other->len);

	return copy_compare(first, second).relation == COPY_SAME;
}

/* The input is @head, then @piece again and again (a "%u" in it counts), then @tail. */
typedef struct {
	const char *name;
	Reader read;
	gsize max_bytes;
	const char *head;
	const char *piece;
	const char *tail;
} Row;

#define BODY (2u * 1024 * 1024)
#define TEXT (256u * 1024)
#define DIFF "diff --git a/f.c b/f.c\n--- a/f.c\n+++ b/f.c\n"

static const Row rows[] = {
	{"header fields", read_mail, MAIL_MAX_HEADER_BYTES - 1024, HEAD, "X-%u: y\n", "\nx\n"},
	{"header folded", read_mail, MAIL_MAX_FIELD_BYTES - 64, HEAD "X: y\n", " z\n", "\nx\n"},
	{"header parameters", read_mail, MAIL_MAX_FIELD_BYTES - 64, HEAD "Content-Type: text/plain",
	 "; n*%u=x", "\n\nx\n"},
	{"addresses", read_addresses, MAIL_MAX_FIELD_BYTES, "", "a%u@example.org, ", ""},
	{"addresses, names", read_addresses, MAIL_MAX_FIELD_BYTES, "",
	 "=?utf-8?q?B=C3=B6?= (x) <a%u@example.org>, ", ""},
	{"addresses, commas", read_addresses, MAIL_MAX_FIELD_BYTES, "", ",", ""},
	{"addresses, words", read_addresses, MAIL_MAX_FIELD_BYTES, "", "a, ", "<a@example.org>"},
	{"addresses, open angles", read_addresses, MAIL_MAX_FIELD_BYTES, "", "<", ""},
	{"addresses, open quotes", read_addresses, MAIL_MAX_FIELD_BYTES, "", "\"\\\"(", ""},
	{"addresses, at signs", read_addresses, MAIL_MAX_FIELD_BYTES, "", "a@b ", ""},
	{"encoded words", read_subject, SUBJECT_MAX_BYTES, "", "=?utf-8?q?a?= ", ""},
	{"encoded words, open", read_addresses, MAIL_MAX_FIELD_BYTES, "a@b (", "=?utf-8?q?", ")"},
	{"encoded words, blanks", read_addresses, MAIL_MAX_FIELD_BYTES, "",
	 "=?utf-8?q?a?=    ", "@"},
	{"references", read_ids, MAIL_MAX_FIELD_BYTES, "", "<%u@example.org> ", ""},
	{"references, open", read_ids, MAIL_MAX_FIELD_BYTES, "", "<a ", ""},
	{"references, comments", read_ids, MAIL_MAX_FIELD_BYTES, "", "(<a@b>", ""},
	{"references, quotes", read_ids, MAIL_MAX_FIELD_BYTES, "", "\"<a@b>(", ""},
	{"subject, brackets", read_subject, SUBJECT_MAX_BYTES, "", "[", "]"},
	{"subject, empty brackets", read_subject, SUBJECT_MAX_BYTES, "", "[]", "x"},
	{"subject, open in closed", read_subject, SUBJECT_MAX_BYTES, "", "[[a]", "x"},
	{"subject, one word", read_subject, SUBJECT_MAX_BYTES, "[", "v1-", "]"},
	{"subject, words", read_subject, SUBJECT_MAX_BYTES, "[", "v1 ", "] x"},
	{"subject, spoken counters", read_subject, SUBJECT_MAX_BYTES, "[", "1 of ", "] x"},
	{"subject, marks", read_subject, SUBJECT_MAX_BYTES, "", "Re: ", "x"},
	{"subject, colons", read_subject, SUBJECT_MAX_BYTES, "", ": ", "x"},
	{"trailers", read_trailers, TEXT, "x\n\n", "Key: %u\n", ""},
	{"trailers, folded", read_trailers, TEXT, "x\n\nKey: a\n", " b\n", ""},
	{"trailers, folded each", read_trailers, TEXT, "x\n\n", "Key: a\n b\n", ""},
	{"trailers, paragraphs", read_trailers, TEXT, "x\n\n", "a\n\n", "Key: a\n"},
	{"parts", read_mail, BODY, HEAD "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n",
	 "text\n", "--b--\n"},
	{"parts, almost boundaries", read_mail, BODY,
	 HEAD "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--bb\n", "--b--\n"},
	{"parts, nested", read_mail, BODY,
	 HEAD "Content-Type: multipart/mixed; boundary=a\n\n--a\n"
	      "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
	      "Content-Type: multipart/mixed; boundary=c\n\n--c\n"
	      "Content-Type: multipart/mixed; boundary=d\n\n--d\n\n",
	 "--e\n", "--d--\n"},
	{"base64", read_mail, BODY, HEAD "Content-Transfer-Encoding: base64\n\n", "YWFh\n", ""},
	{"quoted-printable", read_mail, BODY,
	 HEAD "Content-Transfer-Encoding: quoted-printable\n\n", "=3D=\n", ""},
	{"flowed", read_mail, BODY, HEAD "Content-Type: text/plain; format=flowed\n\n", "> a \n",
	 ""},
	{"charset", read_mail, BODY, HEAD "Content-Type: text/plain; charset=gb2312\n\n",
	 "\260\241\n", ""},
	{"html", read_mail, BODY, HEAD "Content-Type: text/html\n\n", "<p>\n", ""},
	{"quoted text", read_mail, BODY, HEAD "\n", "> text of somebody else\n", ""},
	{"quoted text, deep", read_mail, BODY, HEAD "\n", ">", "\n"},
	{"quoted diff", read_mail, BODY, HEAD "\n> " DIFF "> @@ -1,9999999 +1,9999999 @@\n",
	 "> +a\n\nWhy?\n\n", ""},
	{"quoted diffs", read_mail, BODY, HEAD "\n", "> --- a/f\n> +++ b/f\n> @@ -1 +1 @@\n> +a\n",
	 ""},
	{"diff lines", read_mail, BODY, HEAD "\n" DIFF "@@ -1,9999999 +1,9999999 @@\n", "+a\n", ""},
	{"diff lines, no sign", read_mail, BODY, HEAD "\n" DIFF "@@ -1,9999999 +1,9999999 @@\n",
	 "a\n", ""},
	{"diff lines, same", read_mail, BODY, HEAD "\n" DIFF "@@ -1,9999999 +1,9999999 @@\n",
	 "-a\n+a\n", ""},
	{"diff lines, going", read_mail, BODY, HEAD "\n" DIFF "@@ -1,9999999 +1,9999999 @@\n",
	 "-a\n", "+a\n"},
	{"diff hunks", read_mail, BODY, HEAD "\n" DIFF, "@@ -1 +1 @@\n-a\n+b\n", ""},
	{"diff files", read_mail, BODY / 4, HEAD "\n",
	 "diff --git a/%u b/%u\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", ""},
	{"diff files, cut", read_mail, BODY / 4, HEAD "\n",
	 "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n", ""},
	{"diff heads", read_mail, BODY / 4, HEAD "\n", "diff --git a/f b/f\n", ""},
	{"diff pairs", read_mail, BODY, HEAD "\n", "--- a\n+++ b\n", ""},
	{"diff, binary", read_mail, BODY,
	 HEAD "\ndiff --git a/f b/f\nindex 1..2 100644\nGIT binary patch\nliteral 9\n", "AabcdE\n",
	 ""},
	{"diff of =3D", read_mail, BODY, HEAD "\n" DIFF "@@ -1,9999999 +1,9999999 @@\n", "+=3D\n",
	 ""},
	{"one line", read_mail, BODY, HEAD "\n", "words ", "\n"},
	{"lines", read_mail, BODY, HEAD "\n", "words\n", ""},
	{"paragraphs", read_mail, BODY, HEAD "\n", "Some words.\n\n", ""},
	{"notices", read_mail, BODY, HEAD "\n", "An attachment was scrubbed\nimage/\n", ""},
	{"links", read_mail, TEXT, HEAD "\nPlease test ", "https://example.org/a/%u\n", ""},
	{"links asked for", read_mail, TEXT, HEAD "\n", "Please test https://example.org/%u.\n\n",
	 ""},
	{"links, archive", read_mail, TEXT, HEAD "\nPlease test:\n",
	 "https://lore.example.org/lab/%u@example.org/\n", ""},
	{"requests for nothing", read_mail, TEXT, HEAD "\n", "Please test it.\n\n", ""},
	{"requests, footnotes", read_mail, TEXT, HEAD "\n",
	 "Please test that [1].\n[2] https://x/y\n", ""},
	{"requests, hashes", read_mail, TEXT, HEAD "\nCan you try reverting ", "1234567%u ", "?\n"},
	{"one sentence", read_mail, TEXT, HEAD "\nPlease test ", "words and ", ".\n"},
	{"names", read_mail, TEXT, HEAD "\n", "Ann, ", "could you test it?\n"},
	{"capitals", read_mail, TEXT, HEAD "\n", "Ann ", "could you test it?\n"},
	{"greetings", read_mail, TEXT, HEAD "\n", "Hi Ann,\n\n", "please test it.\n"},
	{"commands", read_mail, TEXT, HEAD "\n", "#lorebot test\n", ""},
	{"commands, options", read_mail, TEXT, HEAD "\n#lorebot test ", "a=%u ", "\n"},
	{"commands, quoted", read_mail, TEXT, HEAD "\n", "> #lorebot test a b\n", ""},
	{"attributions", read_mail, TEXT, HEAD "\n", "On Mon, Bo wrote:\n  a\n", ""},
	{"fences", read_mail, TEXT, HEAD "\n", "```\n#lorebot test a b\n", ""},
	{"mbox", read_mbox, BODY, "From a\n" HEAD "\n", "\nFrom b\n", ""},
	{"mbox, escaped", read_mbox, BODY, "From a\n" HEAD "\n", ">>>From b\n", ""},
	{"two copies", read_copies, BODY, HEAD "\n", "words\n", ""},
	{"two copies, footers", read_copies, BODY, HEAD "\n", "____\nlab mailing list\n", ""},
};

static GString *make_input(const Row *row, gsize bytes)
{
	GString *text = g_string_new(row->head);
	const char *count = strstr(row->piece, "%u");

	for (unsigned n = 0; text->len < bytes; n++) {
		for (const char *c = row->piece; *c != '\0'; c++) {
			if (count != NULL && c[0] == '%' && c[1] == 'u') {
				g_string_append_printf(text, "%u", n);
				c++;
			} else {
				g_string_append_c(text, *c);
			}
		}
	}
	g_string_append(text, row->tail);
	return text;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / NS_PER_MS;
}

/* The best of some rounds, each long enough for the clock. */
static double measure_ms(const Row *row, const GString *text)
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ms();
		unsigned n = 0;

		do {
			(void)row->read(text->str, text->len);
			n++;
		} while (now_ms() - start < 2);
		double ms = (now_ms() - start) / n;
		best = round == 0 ? ms : MIN(best, ms);
	}
	return best;
}

static void run_row(const Row *row)
{
	double before = 0;
	g_autoptr(GString) growth = g_string_new(NULL);

	for (int i = DOUBLINGS; i >= 0; i--) {
		g_autoptr(GString) text = make_input(row, row->max_bytes >> i);
		double ms = measure_ms(row, text);

		if (i < DOUBLINGS)
			g_string_append_printf(growth, " %4.1f", ms / before);
		before = ms;
	}
	printf("%-28s %8zu bytes %9.2f ms  x2:%s\n", row->name, row->max_bytes, before,
	       growth->str);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		bool wanted = argc < 2;

		for (int j = 1; j < argc; j++)
			wanted = wanted || strstr(rows[i].name, argv[j]) != NULL;
		if (wanted)
			run_row(&rows[i]);
	}
	return 0;
}

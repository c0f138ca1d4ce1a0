/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../check_main.h"

#include "bot/base/error.h"
#include "bot/send/wire.h"
#include "mailparse/message.h"

#include <string.h>

#define HEADERS                                                                                    \
	"From: a@example.org\nContent-Type: text/plain; charset=utf-8\n"                           \
	"Content-Transfer-Encoding: 8bit\n\n"
#define WIRE_HEADERS                                                                               \
	"From: a@example.org\r\nContent-Type: text/plain; charset=utf-8\r\n"                       \
	"Content-Transfer-Encoding: "

static GBytes *make(const char *mail, gssize len, bool eight_bit)
{
	g_autoptr(GBytes) stored = g_bytes_new(mail, len < 0 ? strlen(mail) : (gsize)len);
	g_autoptr(GError) error = NULL;
	GBytes *wire = wire_make(stored, eight_bit, &error);

	ck_assert_msg(wire != NULL, "%s", error != NULL ? error->message : "");
	return wire;
}

static void assert_wire(const char *mail, bool eight_bit, const char *wanted)
{
	g_autoptr(GBytes) wire = make(mail, -1, eight_bit);
	gsize len = 0;
	const char *bytes = g_bytes_get_data(wire, &len);
	g_autofree char *text = g_strndup(bytes, len);

	ck_assert_str_eq(text, wanted);
}

static void assert_refused(const char *mail, gssize len, const char *why)
{
	g_autoptr(GBytes) stored = g_bytes_new(mail, len < 0 ? strlen(mail) : (gsize)len);
	g_autoptr(GError) error = NULL;

	g_autoptr(GBytes) wire = wire_make(stored, true, &error);

	ck_assert_msg(wire == NULL, "%s", mail);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	ck_assert_msg(strstr(error->message, why) != NULL, "%s", error->message);
}

START_TEST(each_line_ends_in_one_crlf)
{
	assert_wire(HEADERS "a\n\nb", true, WIRE_HEADERS "7bit\r\n\r\na\r\n\r\nb\r\n");
	assert_wire(HEADERS, true, WIRE_HEADERS "7bit\r\n\r\n");
}
END_TEST

START_TEST(a_leading_dot_is_doubled)
{
	assert_wire(HEADERS ".\n..\n.a\na.\n", true,
		    WIRE_HEADERS "7bit\r\n\r\n..\r\n...\r\n..a\r\na.\r\n");
}
END_TEST

START_TEST(eight_bit_text_goes_as_it_is_where_it_may)
{
	assert_wire(HEADERS "z\xc3\xa4hle\n", true, WIRE_HEADERS "8bit\r\n\r\nz\xc3\xa4hle\r\n");
}
END_TEST

START_TEST(eight_bit_text_becomes_quoted_printable_where_it_must)
{
	assert_wire(HEADERS "z\xc3\xa4hle = 1 \n.\xc3\xa4\n", false,
		    WIRE_HEADERS "quoted-printable\r\n\r\nz=C3=A4hle =3D 1=20\r\n..=C3=A4\r\n");
}
END_TEST

START_TEST(ascii_text_needs_no_encoding_anywhere)
{
	assert_wire(HEADERS "a = b \n", false, WIRE_HEADERS "7bit\r\n\r\na = b \r\n");
}
END_TEST

START_TEST(a_line_over_998_bytes_becomes_quoted_printable)
{
	g_autofree char *fits = g_strnfill(998, 'x');
	g_autofree char *over = g_strnfill(999, 'x');
	g_autofree char *short_mail = g_strconcat(HEADERS, fits, "\n", NULL);
	g_autofree char *long_mail = g_strconcat(HEADERS, over, "\n", NULL);

	g_autoptr(GBytes) plain = make(short_mail, -1, true);
	g_autoptr(GBytes) coded = make(long_mail, -1, true);

	gsize n_plain = 0;
	gsize n_coded = 0;
	const char *plain_bytes = g_bytes_get_data(plain, &n_plain);
	const char *coded_bytes = g_bytes_get_data(coded, &n_coded);
	ck_assert_ptr_nonnull(g_strstr_len(plain_bytes, (gssize)n_plain, ": 7bit\r\n"));
	ck_assert_ptr_nonnull(g_strstr_len(coded_bytes, (gssize)n_coded, ": quoted-printable\r\n"));
}
END_TEST

START_TEST(the_same_mail_gives_the_same_bytes)
{
	g_autoptr(GBytes) first = make(HEADERS "\xc3\xa4\n", -1, false);
	g_autoptr(GBytes) second = make(HEADERS "\xc3\xa4\n", -1, false);

	ck_assert(g_bytes_equal(first, second));
}
END_TEST

START_TEST(a_folded_encoding_header_is_replaced_whole)
{
	assert_wire("Content-Transfer-Encoding:\n 8bit\nTo: b@example.org\n\na\n", true,
		    "Content-Transfer-Encoding: 7bit\r\nTo: b@example.org\r\n\r\na\r\n");
}
END_TEST

START_TEST(what_could_smuggle_is_refused)
{
	assert_refused(HEADERS "a\r\n.\r\n", -1, "CR or NUL");
	assert_refused(HEADERS "a\n.\r", -1, "CR or NUL");
	assert_refused("From: a@example.org\r\nBcc: x\n\n", -1, "CR or NUL");
	assert_refused(HEADERS "a\0b\n", sizeof(HEADERS "a\0b\n") - 1, "CR or NUL");
	assert_refused("From: \xc3\xa4\n\n", -1, "non-ASCII");
	assert_refused("From: \x7f\n\n", -1, "control");
}
END_TEST

START_TEST(what_is_no_mail_is_refused)
{
	g_autofree char *word = g_strnfill(1000, 'x');
	g_autofree char *long_header = g_strconcat("From: ", word, "\n\na\n", NULL);

	assert_refused("", 0, "empty");
	assert_refused("From: a@example.org\n", -1, "no empty line");
	assert_refused("\nbody\n", -1, "no header");
	assert_refused(" From: a@example.org\n\n", -1, "no header");
	assert_refused("From a@example.org\n\n", -1, "no header");
	assert_refused("From : a@example.org\n\n", -1, "no header");
	assert_refused(": a\n\n", -1, "no header");
	assert_refused(long_header, -1, "998");
	assert_refused("From: a@example.org\n\na\n", -1, "Content-Transfer-Encoding");
	assert_refused("Content-Transfer-Encoding: 7bit\nContent-Transfer-Encoding: 7bit\n\na\n",
		       -1, "Content-Transfer-Encoding");
}
END_TEST

START_TEST(a_multipart_mail_is_never_encoded_as_a_whole)
{
	const char *mail = "Content-Type: multipart/mixed; boundary=x\n"
			   "Content-Transfer-Encoding: 8bit\n\n\xc3\xa4\n";
	g_autoptr(GBytes) stored = g_bytes_new(mail, strlen(mail));
	g_autoptr(GError) error = NULL;

	g_autoptr(GBytes) seven = wire_make(stored, false, &error);
	g_autoptr(GBytes) eight = make(mail, -1, true);

	ck_assert_ptr_null(seven);
	ck_assert_ptr_nonnull(eight);
}
END_TEST

/* ---- properties over many made-up mails ---- */

static bool is_wire_line(const guint8 *line, gsize len)
{
	bool dot = len > 0 && line[0] == '.';

	/* A doubled dot may stand before 998 bytes. */
	return len <= 999 && (!dot || (len > 1 && line[1] == '.'));
}

/* No check of Check's own in here: each costs a system call, and there are many bytes. */
static bool has_wire_form(GBytes *wire, bool ascii_only)
{
	gsize len = 0;
	const guint8 *bytes = g_bytes_get_data(wire, &len);
	gsize line_start = 0;

	for (gsize i = 0; i < len; i++) {
		bool crlf = i > 0 && bytes[i - 1] == '\r' && bytes[i] == '\n';
		bool cr = bytes[i] == '\r' && i + 1 < len && bytes[i + 1] == '\n';
		if (bytes[i] == '\0' || (bytes[i] == '\n' && !crlf) || (bytes[i] == '\r' && !cr) ||
		    (ascii_only && bytes[i] >= 0x80))
			return false;
		if (!crlf)
			continue;
		if (!is_wire_line(bytes + line_start, i - 1 - line_start))
			return false;
		line_start = i + 1;
	}
	return len > 0 && line_start == len;
}

/* As the receiving server does it: dots off, CRLF to LF. */
static GBytes *receive(GBytes *wire)
{
	gsize len = 0;
	const char *bytes = g_bytes_get_data(wire, &len);
	g_autofree char *text = g_strndup(bytes, len);
	g_auto(GStrv) lines = g_strsplit(text, "\r\n", -1);

	for (guint i = 0; lines[i] != NULL; i++) {
		if (*lines[i] == '.')
			memmove(lines[i], lines[i] + 1, strlen(lines[i]));
	}
	char *joined = g_strjoinv("\n", lines);
	return g_bytes_new_take(joined, strlen(joined));
}

/* Bytes that hurt, in valid UTF-8. */
static char *made_up_body(GRand *rand)
{
	static const char *const pieces[] = {
		"a",   ".",        "..",           "\n",    "\n.\n", "=",    "=3D",  " ",   "\t",
		" \n", "\xc3\xa4", "\xe4\xb8\xad", "From ", "-- \n", "x=\n", "\x7f", "\x1b"};
	GString *body = g_string_new(NULL);
	int n = g_rand_int_range(rand, 0, 400);

	for (int i = 0; i < n; i++)
		g_string_append(body, pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
	if (g_rand_boolean(rand)) {
		g_autofree char *word = g_strnfill((gsize)g_rand_int_range(rand, 60, 1500), 'x');
		g_string_append(body, word);
	}
	g_string_append_c(body, '\n');
	return g_string_free(body, FALSE);
}

START_TEST(whatever_the_body_the_wire_form_is_right_and_reads_back)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(20260131);

	for (int round = 0; round < 2000; round++) {
		g_autofree char *body = made_up_body(rand);
		g_autofree char *mail = g_strconcat(HEADERS, body, NULL);
		bool eight_bit = round % 2 == 0;

		g_autoptr(GBytes) wire = make(mail, -1, eight_bit);

		ck_assert(has_wire_form(wire, !eight_bit));
		g_autoptr(GBytes) received = receive(wire);
		gsize len = 0;
		const guint8 *bytes = g_bytes_get_data(received, &len);
		g_autoptr(Message) message = message_parse(bytes, len, NULL);
		ck_assert_ptr_nonnull(message);
		const MessagePart *part = g_ptr_array_index(message->parts, 0);
		g_autoptr(GBytes) wanted = g_bytes_new(body, strlen(body));
		ck_assert_msg(g_bytes_equal(part->bytes, wanted), "round %d", round);
	}
}
END_TEST

START_TEST(a_mail_cut_at_any_byte_is_made_or_refused)
{
	const char *mail = HEADERS "z\xc3\xa4hle\n.\n";

	for (gsize len = 0; len <= strlen(mail); len++) {
		g_autoptr(GBytes) stored = g_bytes_new(mail, len);
		g_autoptr(GError) error = NULL;

		g_autoptr(GBytes) wire = wire_make(stored, len % 2 == 0, &error);

		ck_assert((wire == NULL) == (error != NULL));
	}
}
END_TEST

CHECK_MAIN("wire", each_line_ends_in_one_crlf, a_leading_dot_is_doubled,
	   eight_bit_text_goes_as_it_is_where_it_may,
	   eight_bit_text_becomes_quoted_printable_where_it_must,
	   ascii_text_needs_no_encoding_anywhere, a_line_over_998_bytes_becomes_quoted_printable,
	   the_same_mail_gives_the_same_bytes, a_folded_encoding_header_is_replaced_whole,
	   what_could_smuggle_is_refused, what_is_no_mail_is_refused,
	   a_multipart_mail_is_never_encoded_as_a_whole,
	   whatever_the_body_the_wire_form_is_right_and_reads_back,
	   a_mail_cut_at_any_byte_is_made_or_refused)

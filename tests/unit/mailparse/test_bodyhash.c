/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/bodyhash.h"
#include "tests/unit/check_main.h"

#include <string.h>

/* The example of RFC 6376, appendix A. */
#define GAME_BODY "Hi.\r\n\r\nWe lost the game. Are you hungry yet?\r\n\r\nJoe.\r\n"
#define GAME_HASH "2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8="
/* Of an empty body: sections 3.4.3 and 3.4.4. */
#define EMPTY_SIMPLE_SHA1 "uoq1oCgLlTqpdDX/iUbLy7J1Wic="
#define EMPTY_SIMPLE "frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY="
#define EMPTY_RELAXED "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

static BodyState check(const char *fields, const char *body)
{
	ByteCursor cursor;
	g_autofree char *head = g_strconcat(fields, "Subject: x\n\n", NULL);

	cursor_init(&cursor, head, strlen(head));
	g_autoptr(Header) header = header_read(&cursor, NULL);
	return bodyhash_check(header, "football.example.com", body, strlen(body));
}

static BodyState check_tags(const char *tags, const char *body)
{
	g_autofree char *field = g_strdup_printf("DKIM-Signature: v=1; %s\n", tags);

	return check(field, body);
}

#define SIGNED(domain, rest) "d=" domain "; a=rsa-sha256; " rest

START_TEST(bodyhash_agrees_with_the_examples_of_the_standard)
{
	ck_assert_int_eq(check("DKIM-Signature: v=1; a=rsa-sha256; s=brisbane; d=example.com;\n"
			       "      c=simple/simple; q=dns/txt; i=joe@football.example.com;\n"
			       "      bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkf\n      JVOzv8=;\n",
			       GAME_BODY),
			 BODY_INTACT);
	ck_assert_int_eq(check_tags(SIGNED("example.com", "bh=" EMPTY_SIMPLE), ""), BODY_INTACT);
	ck_assert_int_eq(check_tags("d=example.com; a=rsa-sha1; bh=" EMPTY_SIMPLE_SHA1, "\n\n"),
			 BODY_INTACT);
	ck_assert_int_eq(
		check_tags(SIGNED("example.com", "c=relaxed/relaxed; bh=" EMPTY_RELAXED), " \n\n"),
		BODY_INTACT);
}
END_TEST

START_TEST(bodyhash_relaxes_white_space_and_nothing_else)
{
	/* SHA-256 of "a b\r\n c\r\n". */
	static const char tags[] = SIGNED(
		"example.com", "c=simple/relaxed; bh=xpXH+feV/9T/DWyWdGwgaMbbsCmXG26XAOy8QFNIBfU=");

	ck_assert_int_eq(check_tags(tags, "a \t b \n\t c\n\n \n"), BODY_INTACT);
	ck_assert_int_eq(check_tags(tags, "a  b\r\n c"), BODY_INTACT);
	ck_assert_int_eq(check_tags(tags, "ab\n c\n"), BODY_ALTERED);
	ck_assert_int_eq(check_tags(tags, "a b\n c\n-- \nlist\n"), BODY_ALTERED);
}
END_TEST

START_TEST(bodyhash_does_not_care_for_the_line_ends_of_a_door)
{
	ck_assert_int_eq(check_tags(SIGNED("example.com", "bh=" GAME_HASH),
				    "Hi.\n\nWe lost the game. Are you hungry yet?\n\nJoe.\n\n\n"),
			 BODY_INTACT);
}
END_TEST

START_TEST(bodyhash_only_believes_the_writers_domain)
{
	ck_assert_int_eq(check_tags(SIGNED("list.example.org", "bh=" GAME_HASH), GAME_BODY),
			 BODY_UNSIGNED);
	ck_assert_int_eq(check_tags(SIGNED("ball.example.com", "bh=" GAME_HASH), GAME_BODY),
			 BODY_UNSIGNED);
	ck_assert_int_eq(check_tags(SIGNED("mx.football.example.com", "bh=" GAME_HASH), GAME_BODY),
			 BODY_INTACT);
	ck_assert_int_eq(check_tags(SIGNED("EXAMPLE.com", "bh=" GAME_HASH), GAME_BODY),
			 BODY_INTACT);
}
END_TEST

START_TEST(bodyhash_one_broken_signature_is_enough)
{
	static const char both[] =
		"dkim-signature: d=example.com; a=rsa-sha256; bh=" GAME_HASH "\n"
		"DKIM-Signature: d=football.example.com; a=ed25519-sha256; bh=" EMPTY_SIMPLE "\n";

	ck_assert_int_eq(check(both, GAME_BODY), BODY_ALTERED);
}
END_TEST

START_TEST(bodyhash_passes_over_what_is_no_signature)
{
	static const char *const tags[] = {"",
					   ";;;=;",
					   "d=example.com",
					   "d=example.com; bh=" GAME_HASH,
					   "d=example.com; a=rsa-md5; bh=" GAME_HASH,
					   "d=; a=rsa-sha256; bh=" GAME_HASH};

	for (gsize i = 0; i < G_N_ELEMENTS(tags); i++)
		ck_assert_int_eq(check_tags(tags[i], GAME_BODY), BODY_UNSIGNED);
	ck_assert_int_eq(check_tags(SIGNED("example.com", "bh=%%%"), GAME_BODY), BODY_ALTERED);
}
END_TEST

CHECK_MAIN("bodyhash", bodyhash_agrees_with_the_examples_of_the_standard,
	   bodyhash_relaxes_white_space_and_nothing_else,
	   bodyhash_does_not_care_for_the_line_ends_of_a_door,
	   bodyhash_only_believes_the_writers_domain, bodyhash_one_broken_signature_is_enough,
	   bodyhash_passes_over_what_is_no_signature)

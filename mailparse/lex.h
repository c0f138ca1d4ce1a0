/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * lex - the two nested pieces of RFC 5322 section 3.2: quoted strings and comments.
 *
 * Lists hold fields with a lone '"' or '(' in them, so an opening mark without its partner is no
 * error: it is an ordinary character.
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	const char *text;
	gsize len;
	bool no_quote_ends;   /* a '"' was found to have no partner, so no later one has */
	bool no_comment_ends; /* the same for '('                                         */
} Lexer;

void lexer_init(Lexer *lexer, const char *text, gsize len);

/**
 * lexer_quoted_end:
 * @pos: of an opening '"'
 *
 * Returns: the place after the closing '"', 0 when there is none
 */
gsize lexer_quoted_end(Lexer *lexer, gsize pos);

/**
 * lexer_comment_end:
 * @pos: of an opening '('; comments nest to any depth
 *
 * Returns: the place after the closing ')', 0 when there is none.  All calls over one text together
 *   are linear in its length as long as each starts where no earlier one has been.
 */
gsize lexer_comment_end(Lexer *lexer, gsize pos);

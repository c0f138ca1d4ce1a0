/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/lex.h"

void lexer_init(Lexer *lexer, const char *text, gsize len)
{
	*lexer = (Lexer){.text = text, .len = len};
}

gsize lexer_quoted_end(Lexer *lexer, gsize pos)
{
	if (lexer->no_quote_ends)
		return 0;
	for (gsize i = pos + 1; i < lexer->len; i++) {
		if (lexer->text[i] == '\\')
			i++;
		else if (lexer->text[i] == '"')
			return i + 1;
	}
	lexer->no_quote_ends = true;
	return 0;
}

gsize lexer_comment_end(Lexer *lexer, gsize pos)
{
	gsize depth = 0;

	if (lexer->no_comment_ends)
		return 0;
	for (gsize i = pos; i < lexer->len; i++) {
		char c = lexer->text[i];

		if (c == '\\')
			i++;
		else if (c == '(')
			depth++;
		else if (c == ')' && --depth == 0)
			return i + 1;
	}
	lexer->no_comment_ends = true;
	return 0;
}

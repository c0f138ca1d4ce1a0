/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_reader.h"

#include "bot/base/error.h"

#include <string.h>

struct ImapReader {
	ImapResponse *response; /* the one being read */
	size_t line_start;      /* offset in its text where the present line begins */
	size_t max_kept;
	size_t kept; /* bytes of literals kept in this response */
	bool in_literal;
	uint64_t literal_left; /* bytes still to come */
	char *literal;         /* NULL: it is being dropped */
	size_t literal_len;
};

static void clear_literal(void *element)
{
	ImapLiteral *literal = element;
	g_clear_pointer(&literal->bytes, g_bytes_unref);
}

static ImapResponse *response_new(void)
{
	ImapResponse *response = g_new0(ImapResponse, 1);
	response->text = g_string_new(NULL);
	response->literals = g_array_new(FALSE, FALSE, sizeof(ImapLiteral));
	g_array_set_clear_func(response->literals, clear_literal);
	return response;
}

void imap_response_free(ImapResponse *response)
{
	if (!response)
		return;
	g_string_free(response->text, TRUE);
	g_array_unref(response->literals);
	g_free(response);
}

ImapReader *imap_reader_new(size_t max_kept)
{
	ImapReader *reader = g_new0(ImapReader, 1);
	reader->response = response_new();
	reader->max_kept = max_kept;
	return reader;
}

void imap_reader_free(ImapReader *reader)
{
	if (!reader)
		return;
	imap_response_free(reader->response);
	g_free(reader->literal);
	g_free(reader);
}

void imap_reader_set_max_kept(ImapReader *reader, size_t max_kept)
{
	reader->max_kept = max_kept;
}

static bool fail(GError **error, const char *what)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "not IMAP: %s", what);
	return false;
}

/* "+ text", "TAG OK text", "* BYE text": what follows is for people and holds no literal. */
static bool text_is_status(const GString *text)
{
	static const char *const words[] = {"OK", "NO", "BAD", "BYE", "PREAUTH"};
	const char *space = memchr(text->str, ' ', text->len);

	if (text->len > 0 && text->str[0] == '+')
		return true;
	if (!space)
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		size_t len = strlen(words[i]);
		/* The text is NUL-terminated by GString, so the byte behind the word exists. */
		if (g_ascii_strncasecmp(space + 1, words[i], len) == 0 &&
		    (space[1 + len] == ' ' || space[1 + len] == '\0'))
			return true;
	}
	return false;
}

/*
 * Whether the line ends in "{" 1*DIGIT "}".  A number too large for any mail is an error at once:
 * to drain it would take for ever.
 */
static bool take_literal_size(const char *line, size_t len, bool *out_found, uint64_t *out_size,
			      GError **error)
{
	size_t start = len;
	uint64_t size = 0;

	*out_found = false;
	if (len < 3 || line[len - 1] != '}')
		return true;
	start = len - 1;
	while (start > 0 && g_ascii_isdigit(line[start - 1]))
		start--;
	if (start == len - 1 || start == 0 || line[start - 1] != '{')
		return true;
	for (size_t i = start; i < len - 1; i++) {
		size = size * 10 + (uint64_t)(line[i] - '0');
		if (size > IMAP_MAX_LITERAL_SIZE)
			return fail(error, "a literal of more than 4 GiB is announced");
	}
	*out_found = true;
	*out_size = size;
	return true;
}

static bool start_literal(ImapReader *reader, uint64_t size, GError **error)
{
	ImapResponse *response = reader->response;
	ImapLiteral literal = {.size = size, .at = response->text->len};

	if (response->literals->len >= IMAP_MAX_LITERALS)
		return fail(error, "too many literals in one response");
	g_array_append_val(response->literals, literal);
	reader->in_literal = true;
	reader->literal_left = size;
	reader->literal_len = 0;
	if (size <= reader->max_kept && reader->kept <= reader->max_kept - size) {
		reader->literal = g_malloc((size_t)size + 1);
		reader->kept += (size_t)size;
	}
	return true;
}

static void end_literal(ImapReader *reader)
{
	GArray *literals = reader->response->literals;
	ImapLiteral *literal = &g_array_index(literals, ImapLiteral, literals->len - 1);

	if (reader->literal)
		literal->bytes =
			g_bytes_new_take(g_steal_pointer(&reader->literal), reader->literal_len);
	reader->in_literal = false;
	reader->line_start = reader->response->text->len;
}

static size_t take_literal(ImapReader *reader, const char *bytes, size_t len)
{
	size_t n = (size_t)MIN((uint64_t)len, reader->literal_left);

	if (reader->literal) {
		memcpy(reader->literal + reader->literal_len, bytes, n);
		reader->literal_len += n;
	}
	reader->literal_left -= n;
	return n;
}

/* The present line is whole, LF included: check it, cut CR LF off, see whether a literal follows.
 */
static bool end_line(ImapReader *reader, bool *out_whole, GError **error)
{
	GString *text = reader->response->text;
	size_t len = text->len - reader->line_start;
	bool literal_follows = false;
	uint64_t size = 0;

	if (len < 2 || text->str[text->len - 2] != '\r')
		return fail(error, "a line ends in LF without CR");
	g_string_truncate(text, text->len - 2);
	len -= 2;
	if (memchr(text->str + reader->line_start, '\r', len))
		return fail(error, "CR inside a line");
	if (!text_is_status(text) &&
	    !take_literal_size(text->str + reader->line_start, len, &literal_follows, &size, error))
		return false;
	*out_whole = !literal_follows;
	return !literal_follows || start_literal(reader, size, error);
}

static bool take_text(ImapReader *reader, const char *bytes, size_t len, size_t *out_used,
		      bool *out_whole, GError **error)
{
	GString *text = reader->response->text;
	const char *lf = memchr(bytes, '\n', len);
	size_t n = lf ? (size_t)(lf - bytes) + 1 : len;

	if (memchr(bytes, '\0', n))
		return fail(error, "NUL in a line");
	if (n > IMAP_MAX_TEXT - text->len)
		return fail(error, "a response of more than 2 MiB of text");
	g_string_append_len(text, bytes, (gssize)n);
	*out_used += n;
	return !lf || end_line(reader, out_whole, error);
}

bool imap_reader_feed(ImapReader *reader, const char *bytes, size_t len, size_t *out_used,
		      ImapResponse **out_response, GError **error)
{
	bool whole = false;

	*out_used = 0;
	*out_response = NULL;
	while (*out_used < len && !whole) {
		const char *at = bytes + *out_used;
		size_t left = len - *out_used;
		if (reader->in_literal)
			*out_used += take_literal(reader, at, left);
		else if (!take_text(reader, at, left, out_used, &whole, error))
			return false;
		/* Here, so that an empty literal ends too. */
		if (reader->in_literal && reader->literal_left == 0)
			end_literal(reader);
	}
	if (whole) {
		*out_response = reader->response;
		reader->response = response_new();
		reader->line_start = 0;
		reader->kept = 0;
	}
	return true;
}

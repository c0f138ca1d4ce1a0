/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_response.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"

#include <string.h>

#define MAX_WORDS_BYTES 200
#define MAX_DEPTH 32

/* What is left of a response's text; it never looks behind `end`. */
typedef struct {
	const ImapResponse *response;
	const char *at;
	const char *end;
} Cursor;

static Cursor cursor_at(const ImapResponse *response, size_t offset)
{
	const GString *text = response->text;
	return (Cursor){response, text->str + MIN(offset, text->len), text->str + text->len};
}

static bool fail(GError **error, const char *what)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "not IMAP: %s", what);
	return false;
}

static bool take_byte(Cursor *cursor, char byte)
{
	if (cursor->at == cursor->end || *cursor->at != byte)
		return false;
	cursor->at++;
	return true;
}

static bool take_number(Cursor *cursor, uint64_t max, uint64_t *out_number)
{
	const char *start = cursor->at;
	uint64_t number = 0;

	for (; cursor->at < cursor->end && g_ascii_isdigit(*cursor->at); cursor->at++) {
		number = number * 10 + (uint64_t)(*cursor->at - '0');
		if (number > max)
			return false;
	}
	*out_number = number;
	return cursor->at > start;
}

static bool take_uint32(Cursor *cursor, uint32_t *out_number)
{
	uint64_t number;

	if (!take_number(cursor, G_MAXUINT32, &number))
		return false;
	*out_number = (uint32_t)number;
	return true;
}

/* Bytes up to a blank or the end; at most @size - 1 are copied, a longer word gives "". */
static void take_word(Cursor *cursor, char *out_word, size_t size)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && *cursor->at != ' ')
		cursor->at++;
	size_t len = (size_t)(cursor->at - start);
	if (len >= size)
		len = 0;
	memcpy(out_word, start, len);
	out_word[len] = '\0';
}

static void upcase(char *word)
{
	for (; *word; word++)
		*word = g_ascii_toupper(*word);
}

static ImapStatus status_of(const char *word)
{
	static const char *const words[] = {
		[IMAP_STATUS_OK] = "OK",           [IMAP_STATUS_NO] = "NO",
		[IMAP_STATUS_BAD] = "BAD",         [IMAP_STATUS_BYE] = "BYE",
		[IMAP_STATUS_PREAUTH] = "PREAUTH",
	};

	for (size_t i = IMAP_STATUS_OK; i < G_N_ELEMENTS(words); i++) {
		if (strcmp(words[i], word) == 0)
			return (ImapStatus)i;
	}
	return IMAP_STATUS_NONE;
}

/* "[CODE args] text"; a code that does not fit is left out, its text still stepped over. */
static void take_code(Cursor *cursor, char *out_code, size_t size)
{
	out_code[0] = '\0';
	if (cursor->at == cursor->end || *cursor->at != '[')
		return;
	const char *close = memchr(cursor->at, ']', (size_t)(cursor->end - cursor->at));
	if (!close)
		return;
	size_t len = (size_t)(close - cursor->at) - 1;
	if (len < size) {
		memcpy(out_code, cursor->at + 1, len);
		out_code[len] = '\0';
	}
	cursor->at = close + 1;
	take_byte(cursor, ' ');
}

bool imap_head_parse(const ImapResponse *response, ImapHead *out_head, GError **error)
{
	Cursor cursor = cursor_at(response, 0);

	memset(out_head, 0, sizeof *out_head);
	take_word(&cursor, out_head->tag, sizeof out_head->tag);
	if (!out_head->tag[0])
		return fail(error, "a response without a tag");
	if (!take_byte(&cursor, ' ') && out_head->tag[0] != '+')
		return fail(error, "a response of a single word");
	if (strcmp(out_head->tag, "+") != 0) {
		if (strcmp(out_head->tag, "*") == 0 && take_uint32(&cursor, &out_head->number))
			take_byte(&cursor, ' ');
		take_word(&cursor, out_head->keyword, sizeof out_head->keyword);
		upcase(out_head->keyword);
		take_byte(&cursor, ' ');
		out_head->status = status_of(out_head->keyword);
	}
	if (out_head->status != IMAP_STATUS_NONE) {
		out_head->keyword[0] = '\0';
		take_code(&cursor, out_head->code, sizeof out_head->code);
	}
	out_head->rest = (size_t)(cursor.at - response->text->str);
	return true;
}

bool imap_head_code_number(const ImapHead *head, const char *name, uint32_t *out_number)
{
	size_t len = strlen(name);
	guint64 number;

	if (g_ascii_strncasecmp(head->code, name, len) != 0 || head->code[len] != ' ')
		return false;
	if (!g_ascii_string_to_unsigned(head->code + len + 1, 10, 0, G_MAXUINT32, &number, NULL))
		return false;
	*out_number = (uint32_t)number;
	return true;
}

char *imap_response_words(const ImapResponse *response, const ImapHead *head)
{
	Cursor cursor = cursor_at(response, head->rest);
	size_t len = MIN((size_t)(cursor.end - cursor.at), MAX_WORDS_BYTES);
	return g_utf8_make_valid(cursor.at, (gssize)len);
}

bool imap_response_has_word(const ImapResponse *response, const ImapHead *head, const char *word)
{
	Cursor cursor = cursor_at(response, head->rest);
	char found[32];

	while (cursor.at < cursor.end) {
		take_word(&cursor, found, sizeof found);
		if (g_ascii_strcasecmp(found, word) == 0)
			return true;
		take_byte(&cursor, ' ');
	}
	return false;
}

bool imap_search_parse(const ImapResponse *response, const ImapHead *head, uint32_t from,
		       uint32_t *io_lowest, GError **error)
{
	Cursor cursor = cursor_at(response, head->rest);

	/* "(MODSEQ 5)" may end the list (RFC 7162). */
	while (cursor.at < cursor.end && *cursor.at != '(') {
		uint32_t number;
		if (!take_uint32(&cursor, &number))
			return fail(error, "SEARCH is not a list of numbers");
		if (number >= from && number < *io_lowest)
			*io_lowest = number;
		take_byte(&cursor, ' ');
	}
	return true;
}

static bool digits(const char *text, size_t n, int *out_number)
{
	*out_number = 0;
	for (size_t i = 0; i < n; i++) {
		if (!g_ascii_isdigit(text[i]))
			return false;
		*out_number = *out_number * 10 + (text[i] - '0');
	}
	return true;
}

static int month_of(const char *name)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++) {
		if (g_ascii_strncasecmp(months + i * 3, name, 3) == 0)
			return i + 1;
	}
	return 0;
}

bool imap_date_parse(const char *text, size_t len, int64_t *out_us)
{
	int day, year, hour, minute, second, zone_hour, zone_minute;

	if (len != strlen("17-Jul-1996 02:44:25 -0700"))
		return false;
	if (text[2] != '-' || text[6] != '-' || text[11] != ' ' || text[14] != ':' ||
	    text[17] != ':' || text[20] != ' ' || (text[21] != '+' && text[21] != '-'))
		return false;
	bool short_day = text[0] == ' ';
	if (!digits(text + short_day, 2u - short_day, &day) || !digits(text + 7, 4, &year) ||
	    !digits(text + 12, 2, &hour) || !digits(text + 15, 2, &minute) ||
	    !digits(text + 18, 2, &second) || !digits(text + 22, 2, &zone_hour) ||
	    !digits(text + 24, 2, &zone_minute))
		return false;

	/* A leap second is the first of the next minute. */
	g_autoptr(GDateTime) date =
		g_date_time_new_utc(year, month_of(text + 3), day, hour, minute, MIN(second, 59));
	if (!date || second > 60 || zone_minute > 59)
		return false;
	int64_t zone_s = (zone_hour * 60 + zone_minute) * 60;
	int64_t at_s = g_date_time_to_unix(date) + (second > 59);
	*out_us = (at_s + (text[21] == '-' ? zone_s : -zone_s)) * CLOCK_US_PER_S;
	return true;
}

/* The literal whose "{N}" ends where the cursor stands, or NULL. */
static const ImapLiteral *literal_here(const Cursor *cursor)
{
	const GArray *literals = cursor->response->literals;
	size_t offset = (size_t)(cursor->at - cursor->response->text->str);

	for (guint i = 0; i < literals->len; i++) {
		const ImapLiteral *literal = &g_array_index(literals, ImapLiteral, i);
		if (literal->at == offset)
			return literal;
	}
	return NULL;
}

/* "{N}" that is a literal. */
static const ImapLiteral *take_literal(Cursor *cursor)
{
	const char *close = memchr(cursor->at, '}', (size_t)(cursor->end - cursor->at));

	if (!close || *cursor->at != '{')
		return NULL;
	cursor->at = close + 1;
	return literal_here(cursor);
}

/* A quoted string; its bytes without quotes and escapes go to @out_text when that is wanted. */
static bool take_quoted(Cursor *cursor, GString *out_text)
{
	if (!take_byte(cursor, '"'))
		return false;
	for (; cursor->at < cursor->end; cursor->at++) {
		if (*cursor->at == '"') {
			cursor->at++;
			return true;
		}
		if (*cursor->at == '\\' && ++cursor->at == cursor->end)
			return false;
		if (out_text)
			g_string_append_c(out_text, *cursor->at);
	}
	return false;
}

/* An atom, number, NIL, flag or the like: up to a blank, a parenthesis or the end. */
static bool skip_atom(Cursor *cursor)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && !strchr(" ()\"", *cursor->at))
		cursor->at++;
	return cursor->at > start;
}

/* One value of any shape: string, literal, atom, or a list of these; lists are counted. */
static bool skip_value(Cursor *cursor)
{
	unsigned depth = 0;

	do {
		if (take_byte(cursor, '(')) {
			if (++depth > MAX_DEPTH)
				return false;
			continue;
		}
		if (depth > 0 && (take_byte(cursor, ' ')))
			continue;
		if (depth > 0 && take_byte(cursor, ')')) {
			depth--;
			continue;
		}
		if (cursor->at == cursor->end)
			return false;
		bool fine = *cursor->at == '"'   ? take_quoted(cursor, NULL)
			    : *cursor->at == '{' ? take_literal(cursor) != NULL
						 : skip_atom(cursor);
		if (!fine)
			return false;
	} while (depth > 0);
	return true;
}

/* What an astring of RFC 3501 stands for; NULL when none stands here. */
static char *take_astring(Cursor *cursor)
{
	const char *start = cursor->at;

	if (cursor->at < cursor->end && *cursor->at == '"') {
		g_autoptr(GString) text = g_string_new(NULL);
		return take_quoted(cursor, text) ? g_string_free(g_steal_pointer(&text), FALSE)
						 : NULL;
	}
	if (cursor->at < cursor->end && *cursor->at == '{') {
		const ImapLiteral *literal = take_literal(cursor);
		gsize len = 0;
		const char *bytes =
			literal && literal->bytes ? g_bytes_get_data(literal->bytes, &len) : NULL;
		return bytes ? g_strndup(bytes, len) : NULL;
	}
	while (cursor->at < cursor->end && *cursor->at != ' ')
		cursor->at++;
	return g_strndup(start, (gsize)(cursor->at - start));
}

char *imap_list_parse(const ImapResponse *response, const ImapHead *head)
{
	Cursor cursor = cursor_at(response, head->rest);
	const char *flags = cursor.at;

	if (!skip_value(&cursor))
		return NULL;
	if (g_strstr_len(flags, cursor.at - flags, "\\Noselect") != NULL ||
	    g_strstr_len(flags, cursor.at - flags, "\\NonExistent") != NULL ||
	    !take_byte(&cursor, ' ') || !skip_value(&cursor) || !take_byte(&cursor, ' '))
		return NULL;
	g_autofree char *wire = take_astring(&cursor);
	g_autofree char *name =
		wire ? g_convert(wire, -1, "UTF-8", "UTF-7-IMAP", NULL, NULL, NULL) : NULL;
	for (const char *at = name; at && *at; at++) {
		if (g_ascii_iscntrl(*at))
			return NULL;
	}
	return g_steal_pointer(&name);
}

/* "BODY[]" is an nstring: a literal, a quoted string or NIL (the mail was just expunged). */
static bool take_body(Cursor *cursor, ImapFetch *fetch)
{
	if (fetch->has_body || cursor->at == cursor->end)
		return false;
	fetch->has_body = true;
	if (*cursor->at == '{') {
		const ImapLiteral *literal = take_literal(cursor);
		if (!literal)
			return false;
		fetch->body_size = literal->size;
		fetch->body = literal->bytes ? g_bytes_ref(literal->bytes) : NULL;
		return true;
	}
	if (*cursor->at == '"') {
		g_autoptr(GString) text = g_string_new(NULL);
		if (!take_quoted(cursor, text))
			return false;
		fetch->body_size = text->len;
		fetch->body = g_string_free_to_bytes(g_steal_pointer(&text));
		return true;
	}
	return skip_atom(cursor);
}

static bool take_date(Cursor *cursor, ImapFetch *fetch)
{
	g_autoptr(GString) text = g_string_new(NULL);

	fetch->has_date = true;
	return take_quoted(cursor, text) && imap_date_parse(text->str, text->len, &fetch->date_us);
}

static bool take_size(Cursor *cursor, ImapFetch *fetch)
{
	uint64_t size;

	fetch->has_size = true;
	if (!take_number(cursor, G_MAXINT64 / 10, &size))
		return false;
	fetch->size = (int64_t)size;
	return true;
}

/* "NAME value"; a name may hold blanks inside brackets, as BODY[HEADER.FIELDS (FROM)] does. */
static bool take_item(Cursor *cursor, ImapFetch *fetch)
{
	const char *start = cursor->at;
	bool in_brackets = false;

	for (; cursor->at < cursor->end && (in_brackets || *cursor->at != ' '); cursor->at++) {
		if (*cursor->at == '[')
			in_brackets = true;
		else if (*cursor->at == ']')
			in_brackets = false;
	}
	g_autofree char *name = g_ascii_strup(start, (gssize)(cursor->at - start));
	if (!take_byte(cursor, ' '))
		return false;
	if (strcmp(name, "UID") == 0)
		return take_uint32(cursor, &fetch->uid);
	if (strcmp(name, "RFC822.SIZE") == 0)
		return take_size(cursor, fetch);
	if (strcmp(name, "INTERNALDATE") == 0)
		return take_date(cursor, fetch);
	if (strcmp(name, "BODY[]") == 0)
		return take_body(cursor, fetch);
	return skip_value(cursor);
}

void imap_fetch_clear(ImapFetch *fetch)
{
	g_clear_pointer(&fetch->body, g_bytes_unref);
}

bool imap_fetch_parse(const ImapResponse *response, const ImapHead *head, ImapFetch *out_fetch,
		      GError **error)
{
	Cursor cursor = cursor_at(response, head->rest);
	g_auto(ImapFetch) fetch = {.seq = head->number};

	if (!take_byte(&cursor, '('))
		return fail(error, "FETCH without a list");
	while (!take_byte(&cursor, ')')) {
		if (!take_item(&cursor, &fetch))
			return fail(error, "FETCH with a malformed item");
		take_byte(&cursor, ' ');
	}
	if (cursor.at != cursor.end)
		return fail(error,
			    "bytes behind the list of FETCH (a literal longer than announced?)");
	*out_fetch = fetch;
	fetch.body = NULL;
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/trailer.h"

#include "mailparse/cursor.h"
#include "mailparse/limits.h"
#include "mailparse/text.h"

#include <stdbool.h>
#include <string.h>

/* A block that is longer is not one: what stands before the last bytes is not looked at. */
#define BLOCK_MAX_BYTES (256u * 1024)

/* What makes a block one that git wrote, so that other lines may stand in it too. */
static const char *const git_marks[] = {"Signed-off-by: ", "(cherry picked from commit "};

/* Counted from the last line of the message upwards. */
typedef struct {
	gsize n_trailers;
	gsize n_others;
	gsize n_folded; /* lines that begin with a blank and whose trailer was not met yet */
	bool has_git_mark;
} Block;

static bool is_blank_line(ByteSlice line)
{
	for (gsize i = 0; i < line.len; i++) {
		if (!g_ascii_isspace(line.ptr[i]))
			return false;
	}
	return true;
}

static bool begins_with_blank(ByteSlice line)
{
	return line.len > 0 && g_ascii_isspace(line.ptr[0]);
}

/* Returns: where the ':' of "Key:" or "Key :" is, 0 when @line is no trailer */
static gsize find_separator(ByteSlice line)
{
	bool blank = false;

	for (gsize i = 0; i < line.len; i++) {
		char c = line.ptr[i];

		if (c == ':')
			return i;
		if (i > 0 && (c == ' ' || c == '\t'))
			blank = true;
		else if (blank || !(g_ascii_isalnum(c) || c == '-'))
			return 0;
	}
	return 0;
}

static bool has_git_mark(ByteSlice line)
{
	for (gsize i = 0; i < G_N_ELEMENTS(git_marks); i++) {
		gsize len = strlen(git_marks[i]);

		if (line.len >= len && memcmp(line.ptr, git_marks[i], len) == 0)
			return true;
	}
	return false;
}

/* All lines, or the last BLOCK_MAX_BYTES of them; a title is then out of sight. */
static GArray *split_lines(const char *message, bool *out_is_whole)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(ByteSlice));
	gsize len = strlen(message);
	ByteCursor cursor;
	ByteSlice line;

	*out_is_whole = len <= BLOCK_MAX_BYTES;
	cursor_init(&cursor, message, len);
	if (!*out_is_whole && cursor_skip(&cursor, len - BLOCK_MAX_BYTES))
		cursor_take_line(&cursor, &line);
	while (cursor_take_line(&cursor, &line))
		g_array_append_val(lines, line);
	return lines;
}

static ByteSlice line_at(const GArray *lines, guint index)
{
	return g_array_index(lines, ByteSlice, index);
}

/* The first paragraph is the title and holds no trailers. */
static guint title_end(const GArray *lines)
{
	guint i = 0;

	while (i < lines->len && !is_blank_line(line_at(lines, i)))
		i++;
	return i;
}

static void count_line(Block *block, ByteSlice line)
{
	bool marked = has_git_mark(line);

	if (marked || (find_separator(line) > 0 && !begins_with_blank(line))) {
		block->has_git_mark = block->has_git_mark || marked;
		block->n_trailers++;
		block->n_folded = 0;
	} else if (begins_with_blank(line)) {
		block->n_folded++;
	} else {
		block->n_others += 1 + block->n_folded;
		block->n_folded = 0;
	}
}

/* git's rule: all lines are trailers, or git wrote one of them and a quarter of the lines are. */
static bool is_trailer_block(const Block *block)
{
	gsize n_others = block->n_others + block->n_folded;

	return (block->has_git_mark && block->n_trailers * 3 >= n_others) ||
	       (block->n_trailers > 0 && n_others == 0);
}

/* Returns: index of the first line of the last block, the number of lines when there is none */
static guint find_block(const GArray *lines, bool is_whole)
{
	guint first = is_whole ? title_end(lines) : 0;
	guint end = lines->len;
	Block block = {0};

	while (end > first && is_blank_line(line_at(lines, end - 1)))
		end--;
	for (guint i = end; i > first; i--) {
		if (is_blank_line(line_at(lines, i - 1)))
			return is_trailer_block(&block) ? i : lines->len;
		count_line(&block, line_at(lines, i - 1));
	}
	return lines->len;
}

static void trailer_free(gpointer data)
{
	Trailer *trailer = data;

	g_free(trailer->key);
	g_free(trailer->value);
	g_free(trailer);
}

/* The line of the key and those folded under it, on one line. */
static char *read_value(const GArray *lines, guint index, gsize separator)
{
	ByteSlice line = line_at(lines, index);
	g_autoptr(GString) value =
		g_string_new_len(line.ptr + separator + 1, (gssize)(line.len - separator - 1));

	while (++index < lines->len && begins_with_blank(line_at(lines, index)) &&
	       !is_blank_line(line_at(lines, index))) {
		line = line_at(lines, index);
		g_string_append_c(value, ' ');
		g_string_append_len(value, line.ptr, (gssize)line.len);
	}
	return text_tidy(value->str);
}

GPtrArray *trailer_list(const char *message)
{
	GPtrArray *trailers = g_ptr_array_new_with_free_func(trailer_free);
	bool is_whole;
	g_autoptr(GArray) lines = split_lines(message, &is_whole);

	for (guint i = find_block(lines, is_whole);
	     i < lines->len && trailers->len < MAIL_MAX_TRAILERS; i++) {
		ByteSlice line = line_at(lines, i);
		gsize separator = find_separator(line);

		if (separator == 0)
			continue;

		Trailer *trailer = g_new0(Trailer, 1);
		trailer->key = g_strchomp(g_strndup(line.ptr, separator));
		trailer->value = read_value(lines, i, separator);
		g_ptr_array_add(trailers, trailer);
	}
	return trailers;
}

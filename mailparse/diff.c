/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diff.h"

#include "mailparse/diffhead.h"
#include "mailparse/limits.h"
#include "mailparse/line.h"
#include "mailparse/mailparse.h"

#include <string.h>

typedef struct {
	const char *bytes;
	gsize len;
	gsize pos;
	gsize n_hunks;
	gsize n_lines;
} Reader;

static void hunk_free(gpointer data)
{
	DiffHunk *hunk = data;

	g_array_unref(hunk->lines);
	g_free(hunk);
}

static DiffHunk *hunk_new(void)
{
	DiffHunk *hunk = g_new0(DiffHunk, 1);

	hunk->lines = g_array_new(FALSE, FALSE, sizeof(DiffLine));
	return hunk;
}

static void file_free(gpointer data)
{
	DiffFile *file = data;

	g_free(file->old_path);
	g_free(file->path);
	g_free(file->old_blob);
	g_free(file->new_blob);
	g_ptr_array_unref(file->hunks);
	g_free(file);
}

static DiffFile *file_new(void)
{
	DiffFile *file = g_new0(DiffFile, 1);

	file->hunks = g_ptr_array_new_with_free_func(hunk_free);
	file->complete = true;
	return file;
}

static bool refuse_over(const char *what, unsigned limit, const char *name, GError **error)
{
	g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT, "the diff has over %u %s (%s)", limit,
		    what, name);
	return false;
}

static void mark_no_newline(DiffHunk *hunk)
{
	if (hunk->lines->len > 0)
		g_array_index(hunk->lines, DiffLine, hunk->lines->len - 1).no_newline = true;
}

/* Mailers strip the one blank of an empty context line. */
static char sign_of(const Line *line)
{
	if (line->len == 0 || (line->len == 1 && line->text[0] == '\r'))
		return ' ';
	return strchr(" +-\\", line->text[0]) && line->text[0] != '\0' ? line->text[0] : '\0';
}

static void add_line(DiffHunk *hunk, const Line *line, char sign)
{
	bool bare = line->len == 0 || line->text[0] == '\r';
	DiffLine added = {
		.sign = sign,
		.text = (const guint8 *)line->text + (bare ? 0 : 1),
		.len = line->len - (bare ? 0 : 1),
	};

	g_array_append_val(hunk->lines, added);
}

/* Takes one count off; a line that its side no longer has room for leaves the hunk broken. */
static void count_down(unsigned *left, DiffHunk *hunk)
{
	if (*left > 0)
		(*left)--;
	else
		hunk->complete = false;
}

static bool read_lines(Reader *reader, DiffHunk *hunk, GError **error)
{
	unsigned old_left = hunk->old_count;
	unsigned new_left = hunk->new_count;
	gsize at = reader->pos;
	Line line;

	hunk->complete = true;
	while ((old_left > 0 || new_left > 0) &&
	       line_next(reader->bytes, reader->len, &at, &line)) {
		char sign = sign_of(&line);
		if (sign == '\0')
			break;
		if (++reader->n_lines > DIFF_MAX_LINES)
			return refuse_over("lines", DIFF_MAX_LINES, "DIFF_MAX_LINES", error);
		if (sign == '\\') {
			mark_no_newline(hunk);
		} else {
			if (sign != '+')
				count_down(&old_left, hunk);
			if (sign != '-')
				count_down(&new_left, hunk);
			add_line(hunk, &line, sign);
		}
		reader->pos = at;
	}
	hunk->complete = hunk->complete && old_left == 0 && new_left == 0;

	at = reader->pos;
	if (line_next(reader->bytes, reader->len, &at, &line) && line_starts(&line, "\\ ")) {
		mark_no_newline(hunk);
		reader->pos = at;
	}
	return true;
}

/* Returns: false without @error when no hunk starts here. */
static bool read_hunk(Reader *reader, DiffFile *file, GError **error)
{
	gsize at = reader->pos;
	Line line;

	if (!line_next(reader->bytes, reader->len, &at, &line) || !line_starts(&line, "@@ -"))
		return false;

	DiffHunk *hunk = hunk_new();
	if (!diffhead_take_hunk(line.text, line.len, hunk, error)) {
		hunk_free(hunk);
		return false;
	}
	g_ptr_array_add(file->hunks, hunk);
	if (++reader->n_hunks > DIFF_MAX_HUNKS)
		return refuse_over("hunks", DIFF_MAX_HUNKS, "DIFF_MAX_HUNKS", error);
	reader->pos = at;
	if (!read_lines(reader, hunk, error))
		return false;
	file->complete = file->complete && hunk->complete;
	return hunk->complete;
}

/* A diff against nothing that names the old side all the same, as `diff -uN` without stamps. */
static void settle_status(DiffFile *file)
{
	if (file->git || file->status != DIFF_STATUS_MODIFIED || file->hunks->len != 1)
		return;

	const DiffHunk *hunk = file->hunks->pdata[0];
	if (hunk->old_start == 0 && hunk->old_count == 0 && hunk->new_count > 0) {
		file->status = DIFF_STATUS_ADDED;
		g_clear_pointer(&file->old_path, g_free);
	}
}

/* A line of a binary block: a letter for the length, then base 85 of git's alphabet. */
static bool is_base85_line(Line line)
{
	static const char others[] = "!#$%&()*+-;<=>?@^_`{|}~";

	if (line.len < 6 || line.len > 66 || (line.len - 1) % 5 != 0 ||
	    !g_ascii_isalpha(line.text[0]))
		return false;
	for (gsize i = 1; i < line.len; i++) {
		if (!g_ascii_isalnum(line.text[i]) &&
		    !memchr(others, line.text[i], sizeof(others) - 1))
			return false;
	}
	return true;
}

static bool take_block(Reader *reader)
{
	gsize at = reader->pos;
	Line line;

	if (!line_next(reader->bytes, reader->len, &at, &line) ||
	    (!line_starts(&line, "literal ") && !line_starts(&line, "delta ")))
		return false;
	do {
		reader->pos = at;
	} while (line_next(reader->bytes, reader->len, &at, &line) &&
		 is_base85_line(line_chomp(line)));
	return true;
}

static void skip_empty_line(Reader *reader)
{
	gsize at = reader->pos;
	Line line;

	if (line_next(reader->bytes, reader->len, &at, &line) && line_chomp(line).len == 0)
		reader->pos = at;
}

/* "GIT binary patch", the new content, and (for git apply -R) the old one. */
static void read_binary(Reader *reader, DiffFile *file)
{
	gsize at = reader->pos;
	gsize end;
	Line line;

	if (!line_next(reader->bytes, reader->len, &at, &line) ||
	    !line_starts(&line, "GIT binary patch"))
		return;
	file->binary = true;
	reader->pos = end = at;
	for (unsigned n = 0; n < 2 && take_block(reader); n++) {
		file->binary_has_data = true;
		end = reader->pos;
		skip_empty_line(reader);
	}
	file->complete = file->binary_has_data;
	reader->pos = end;
}

/* The body of a file whose header was read. */
static bool read_body(Reader *reader, DiffFile *file, GError **error)
{
	GError *local = NULL;

	if (file->git)
		read_binary(reader, file);
	if (!file->binary) {
		while (read_hunk(reader, file, &local))
			;
	}
	if (local) {
		g_propagate_error(error, local);
		return false;
	}
	file->len = (gsize)((const guint8 *)reader->bytes + reader->pos - file->start);
	settle_status(file);
	return true;
}

/* Returns: false with @error set only */
static bool read_file(Reader *reader, Diff *diff, GError **error)
{
	GError *local = NULL;
	DiffFile *file = file_new();
	Line line;

	if (diffhead_read(reader->bytes, reader->len, &reader->pos, file, &local)) {
		g_ptr_array_add(diff->files, file);
		if (diff->files->len > DIFF_MAX_FILES)
			return refuse_over("files", DIFF_MAX_FILES, "DIFF_MAX_FILES", error);
		return read_body(reader, file, error);
	}
	file_free(file);
	if (local) {
		g_propagate_error(error, local);
		return false;
	}
	line_next(reader->bytes, reader->len, &reader->pos, &line);
	return true;
}

static bool starts_file(const Line *line)
{
	return line_starts(line, "diff --git ") || line_starts(line, "--- ");
}

Diff *diff_parse(GBytes *bytes, GError **error)
{
	g_return_val_if_fail(bytes != NULL, NULL);

	g_autoptr(Diff) diff = g_new0(Diff, 1);
	Reader reader = {0};
	Line line;

	diff->bytes = g_bytes_ref(bytes);
	diff->files = g_ptr_array_new_with_free_func(file_free);
	reader.bytes = g_bytes_get_data(bytes, &reader.len);
	for (gsize at = 0; line_next(reader.bytes, reader.len, &at, &line); at = reader.pos) {
		if (!starts_file(&line))
			reader.pos = at;
		else if (!read_file(&reader, diff, error))
			return NULL;
	}
	return g_steal_pointer(&diff);
}

void diff_free(Diff *diff)
{
	if (!diff)
		return;
	g_ptr_array_unref(diff->files);
	g_bytes_unref(diff->bytes);
	g_free(diff);
}

static void append_file(GByteArray *out, const DiffFile *file)
{
	Line line;

	for (gsize at = 0; line_next((const char *)file->start, file->len, &at, &line);) {
		if (file->binary_has_data && line_chomp(line).len == 0)
			continue;
		g_byte_array_append(out, (const guint8 *)line.text, (guint)line.len);
		g_byte_array_append(out, (const guint8 *)"\n", 1);
	}
}

GBytes *diff_canonical_bytes(const Diff *diff)
{
	g_return_val_if_fail(diff != NULL, NULL);

	GByteArray *out = g_byte_array_new();

	for (guint i = 0; i < diff->files->len; i++)
		append_file(out, diff->files->pdata[i]);
	return g_byte_array_free_to_bytes(out);
}

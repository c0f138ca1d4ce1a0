/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damage.h"

#include "mailparse/line.h"

#include <string.h>

#define WRAP_MIN_COLUMNS 65u /* no mailer wraps shorter than this */

/* What follows the last line that was read of a broken file. */
typedef struct {
	Line last; /* the last line of the file's part */
	Line next; /* the line that ended it           */
	bool more; /* there is one                     */
} Break;

static Break find_break(const Diff *diff, const DiffFile *file)
{
	Break found = {0};
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	gsize end = (gsize)((const char *)file->start - bytes) + file->len;
	gsize last = end;

	while (last > 0 && bytes[last - 1] == '\n')
		last--;
	while (last > 0 && bytes[last - 1] != '\n')
		last--;
	line_next(bytes, end, &last, &found.last);
	found.more = line_next(bytes, len, &end, &found.next);
	return found;
}

static bool has_nbsp_at_start(const Line *line)
{
	return line_starts(line, "\302\240") || line_starts(line, "\240");
}

/* "@@ -1,2 +3,4 @@ static int" "foo(...)", or a long line whose tail has no sign. */
static bool is_wrapped(const Break *at)
{
	if (!at->more || line_is_blank(&at->next) || line_starts(&at->next, "-- ") ||
	    line_starts(&at->next, "diff ") || line_starts(&at->next, "@@ "))
		return false;
	return line_starts(&at->last, "@@ ") || at->last.len + at->next.len >= WRAP_MIN_COLUMNS;
}

static PatchDamage break_damage(const Diff *diff, const DiffFile *file)
{
	Break at = find_break(diff, file);

	if (has_nbsp_at_start(&at.next))
		return PATCH_DAMAGE_NBSP;
	if (line_starts(&at.next, "\t"))
		return PATCH_DAMAGE_TABS;
	if (is_wrapped(&at))
		return PATCH_DAMAGE_WRAPPED;
	return PATCH_DAMAGE_TRUNCATED;
}

typedef bool (*LineTest)(const DiffFile *file, const DiffLine *line);

static bool any_line(const Diff *diff, LineTest test)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		for (guint j = 0; j < file->hunks->len; j++) {
			const DiffHunk *hunk = file->hunks->pdata[j];
			for (guint k = 0; k < hunk->lines->len; k++) {
				if (test(file, &g_array_index(hunk->lines, DiffLine, k)))
					return true;
			}
		}
	}
	return false;
}

static bool lacks_cr(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	return line->len == 0 || line->text[line->len - 1] != '\r';
}

static bool has_line(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	(void)line;
	return true;
}

/* A mail in CRLF has a CR in the header lines too, a diff of a CRLF file only in the content. */
static bool header_has_cr(const DiffFile *file)
{
	Line line;

	return line_next((const char *)file->start, file->len, &(gsize){0}, &line) &&
	       line.len > 0 && line.text[line.len - 1] == '\r';
}

static bool is_crlf(const Diff *diff)
{
	const DiffFile *first = diff->files->pdata[0];

	return header_has_cr(first) && any_line(diff, has_line) && !any_line(diff, lacks_cr);
}

static bool indented_by_nbsp(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	Line text = {.text = (const char *)line->text, .len = line->len};

	while (text.len > 0 && (text.text[0] == ' ' || text.text[0] == '\t'))
		text = line_after(text, 1);
	return line_starts(&text, "\302\240");
}

static bool is_c_file(const char *path)
{
	return g_str_has_suffix(path, ".c") || g_str_has_suffix(path, ".h");
}

/* "#include &lt;stdio.h&gt;" and "p-&gt;x" are no C; a page of text may well hold them. */
static bool has_entity(const DiffFile *file, const DiffLine *line)
{
	const char *text = (const char *)line->text;
	gssize len = (gssize)line->len;

	return is_c_file(file->path) &&
	       (g_strstr_len(text, len, "-&gt;") || g_strstr_len(text, len, "#include &lt;"));
}

PatchDamage damage_find(const Diff *diff, bool flowed)
{
	g_return_val_if_fail(diff != NULL && diff->files->len > 0, PATCH_DAMAGE_NONE);

	if (is_crlf(diff))
		return PATCH_DAMAGE_CRLF;
	if (any_line(diff, indented_by_nbsp))
		return PATCH_DAMAGE_NBSP;
	if (any_line(diff, has_entity))
		return PATCH_DAMAGE_HTML;
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		if (!file->complete)
			return break_damage(diff, file);
	}
	return flowed ? PATCH_DAMAGE_FLOWED : PATCH_DAMAGE_NONE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diffhead.h"

#include "mailparse/diffname.h"
#include "mailparse/limits.h"
#include "mailparse/line.h"
#include "mailparse/mailparse.h"

#include <string.h>

static unsigned octal(Line line)
{
	unsigned value = 0;

	for (gsize i = 0; i < line.len && i < 6 && line.text[i] >= '0' && line.text[i] <= '7'; i++)
		value = value * 8 + (unsigned)(line.text[i] - '0');
	return value;
}

static gsize hex_len(Line line)
{
	gsize n = 0;

	while (n < line.len && n < 64 && g_ascii_isxdigit(line.text[n]))
		n++;
	return n;
}

static void take_index(Line line, DiffFile *file)
{
	gsize old_len = hex_len(line);
	Line rest = line_after(line, old_len);

	if (old_len == 0 || !line_starts(&rest, ".."))
		return;
	Line new = line_after(rest, 2);
	gsize new_len = hex_len(new);
	if (new_len == 0)
		return;
	diffname_set(&file->old_blob, g_strndup(line.text, old_len));
	diffname_set(&file->new_blob, g_strndup(new.text, new_len));
	rest = line_after(new, new_len);
	if (line_starts(&rest, " "))
		file->old_mode = file->new_mode = octal(line_after(rest, 1));
}

/* One extended line of git-diff(1); false when @line is none. */
static bool take_extended(Line line, DiffNames *names, DiffFile *file)
{
	static const char *const known[] = {
		"old mode ",
		"new mode ",
		"deleted file mode ",
		"new file mode ",
		"rename from ",
		"rename old ",
		"rename to ",
		"rename new ",
		"copy from ",
		"copy to ",
		"index ",
		"similarity index ",
		"dissimilarity index ",
	};
	enum {
		OLD_MODE,
		NEW_MODE,
		DELETED,
		ADDED,
		RENAME_FROM,
		RENAME_OLD,
		RENAME_TO,
		RENAME_NEW,
		COPY_FROM,
		COPY_TO,
		INDEX
	};
	gsize which = 0;

	while (which < G_N_ELEMENTS(known) && !line_starts(&line, known[which]))
		which++;
	if (which == G_N_ELEMENTS(known))
		return false;

	Line value = line_after(line, strlen(known[which]));
	if (which == OLD_MODE || which == DELETED)
		file->old_mode = octal(value);
	if (which == NEW_MODE || which == ADDED)
		file->new_mode = octal(value);
	if (which == INDEX)
		take_index(value, file);
	if (which == RENAME_FROM || which == RENAME_OLD || which == COPY_FROM)
		diffname_set(&names->from, diffname_whole(value));
	if (which == RENAME_TO || which == RENAME_NEW || which == COPY_TO)
		diffname_set(&names->to, diffname_whole(value));
	names->deleted |= which == DELETED;
	names->added |= which == ADDED;
	names->renamed |= which >= RENAME_FROM && which <= RENAME_NEW;
	names->copied |= which == COPY_FROM || which == COPY_TO;
	names->n_extended++;
	return true;
}

static bool take_pair(const char *bytes, gsize len, gsize *pos, DiffNames *names)
{
	gsize at = *pos;
	Line old, new;

	if (!line_next(bytes, len, &at, &old) || !line_starts(&old, "--- ") ||
	    !line_next(bytes, len, &at, &new) || !line_starts(&new, "+++ "))
		return false;

	old = line_after(line_chomp(old), 4);
	new = line_after(line_chomp(new), 4);
	g_autofree char *minus = diffname_of_side(old);
	g_autofree char *plus = diffname_of_side(new);
	if (!minus || !plus)
		return false;
	names->added |= minus[0] == '\0' || diffname_has_epoch_stamp(old);
	names->deleted |= plus[0] == '\0' || diffname_has_epoch_stamp(new);
	if (minus[0] != '\0')
		diffname_set(&names->minus, g_steal_pointer(&minus));
	if (plus[0] != '\0')
		diffname_set(&names->plus, g_steal_pointer(&plus));
	names->pair = true;
	*pos = at;
	return true;
}

static bool is_binary_notice(const Line *line)
{
	return line_starts(line, "Binary files ") && line->len > 20 &&
	       memcmp(line->text + line->len - 7, " differ", 7) == 0;
}

/* The lines between "diff --git" and the first hunk or binary block. */
static void take_git_lines(const char *bytes, gsize len, gsize *pos, DiffNames *names,
			   DiffFile *file)
{
	Line line;

	for (gsize at = *pos; line_next(bytes, len, &at, &line); *pos = at) {
		line = line_chomp(line);
		if (take_extended(line, names, file))
			continue;
		if (is_binary_notice(&line)) {
			file->binary = true;
			names->n_extended++;
			continue;
		}
		if (!names->pair && take_pair(bytes, len, pos, names)) {
			at = *pos;
			continue;
		}
		return;
	}
}

/* "--- x.orig" against "+++ x", or "x" against "x.new", is an edit of x: nothing moves. */
static void settle_edit(char **old, char **new)
{
	if (strlen(*old) < strlen(*new) && g_str_has_prefix(*new, *old))
		diffname_set(new, g_strdup(*old));
	else
		diffname_set(old, g_strdup(*new));
}

/* Both names NULL is refused by the caller: a header that names no file is talk. */
static void settle_names(DiffNames *names, DiffFile *file)
{
	char **old_from = names->from    ? &names->from
			  : names->minus ? &names->minus
					 : &names->git_old;
	char **new_from = names->to ? &names->to : names->plus ? &names->plus : &names->git_new;
	char *old = g_steal_pointer(old_from);
	char *new = g_steal_pointer(new_from);

	file->status = DIFF_STATUS_MODIFIED;
	if (names->added && new)
		file->status = DIFF_STATUS_ADDED;
	else if (names->deleted && old)
		file->status = DIFF_STATUS_DELETED;
	else if (names->copied && old && new)
		file->status = DIFF_STATUS_COPIED;
	else if (names->renamed && old && new)
		file->status = DIFF_STATUS_RENAMED;

	if (file->status == DIFF_STATUS_ADDED)
		g_clear_pointer(&old, g_free);
	if (file->status == DIFF_STATUS_DELETED || !new) {
		g_free(new);
		new = g_strdup(old);
	}
	if (file->status == DIFF_STATUS_MODIFIED && old && new && !names->from)
		settle_edit(&old, &new);
	if (file->status != DIFF_STATUS_ADDED && !old)
		old = g_strdup(new);
	file->old_path = old;
	file->path = new;
}

static bool names_fit(const DiffFile *file, GError **error)
{
	if (strlen(file->path) <= DIFF_MAX_PATH_BYTES &&
	    (!file->old_path || strlen(file->old_path) <= DIFF_MAX_PATH_BYTES))
		return true;
	g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT,
		    "the diff names a path of over %u bytes (DIFF_MAX_PATH_BYTES)",
		    DIFF_MAX_PATH_BYTES);
	return false;
}

static bool take_number(Line *line, unsigned *out, GError **error)
{
	unsigned value = 0;
	gsize n = 0;

	while (n < line->len && g_ascii_isdigit(line->text[n])) {
		value = value * 10 + (unsigned)(line->text[n++] - '0');
		if (value > DIFF_MAX_LINE_NUMBER) {
			g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT,
				    "a hunk names a line over %u (DIFF_MAX_LINE_NUMBER)",
				    DIFF_MAX_LINE_NUMBER);
			return false;
		}
	}
	*out = value;
	*line = line_after(*line, n);
	return n > 0;
}

static bool take_range(Line *line, const char *mark, unsigned *start, unsigned *count,
		       GError **error)
{
	if (!line_starts(line, mark))
		return false;
	*line = line_after(*line, strlen(mark));
	if (!take_number(line, start, error))
		return false;
	*count = 1;
	if (!line_starts(line, ","))
		return true;
	*line = line_after(*line, 1);
	return take_number(line, count, error);
}

bool diffhead_take_hunk(const char *text, gsize len, DiffHunk *hunk, GError **error)
{
	Line line = {.text = text, .len = len};

	return take_range(&line, "@@ -", &hunk->old_start, &hunk->old_count, error) &&
	       take_range(&line, " +", &hunk->new_start, &hunk->new_count, error) &&
	       line_starts(&line, " @@");
}

/* A hunk over a limit counts: it is refused when it is read. */
static bool is_hunk_next(const char *bytes, gsize len, gsize pos)
{
	g_autoptr(GError) error = NULL;
	DiffHunk hunk;
	Line line;

	return line_next(bytes, len, &pos, &line) &&
	       (diffhead_take_hunk(line.text, line.len, &hunk, &error) || error);
}

bool diffhead_read(const char *bytes, gsize len, gsize *pos, DiffFile *file, GError **error)
{
	g_auto(DiffNames) names = {0};
	gsize start = *pos;
	gsize at = start;
	Line line;

	if (!line_next(bytes, len, &at, &line))
		return false;
	if (line_starts(&line, "diff --git ")) {
		file->git = true;
		diffnames_take_git(line_after(line_chomp(line), 11), &names);
		take_git_lines(bytes, len, &at, &names, file);
		if (names.n_extended == 0 && !names.pair)
			return false;
	} else {
		at = start;
		if (!line_starts(&line, "--- ") || !take_pair(bytes, len, &at, &names) ||
		    !is_hunk_next(bytes, len, at))
			return false;
	}
	/* Beside /dev/null nothing tells a prefix from a directory, but the first line does. */
	if (file->git && names.git_new && !(names.minus && names.plus)) {
		g_clear_pointer(&names.minus, g_free);
		g_clear_pointer(&names.plus, g_free);
	}
	bool both = names.minus && names.plus;
	file->bare = !diffname_strip_pair(&names.minus, &names.plus, file->git) && both;
	settle_names(&names, file);
	if (!file->path)
		return false;
	file->start = (const guint8 *)bytes + start;
	file->len = at - start;
	*pos = at;
	return names_fit(file, error);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diffhead.h"

#include "mailparse/diffpath.h"
#include "mailparse/limits.h"
#include "mailparse/line.h"
#include "mailparse/mailparse.h"

#include <string.h>

/* Names as they are collected, before it is known which of them rule. */
typedef struct {
	char *git_old, *git_new; /* of the "diff --git" line                          */
	char *minus, *plus;      /* of "---" and "+++"; NULL for /dev/null            */
	char *from, *to;         /* of rename and copy lines, which carry no prefix   */
	bool pair;               /* a "---", "+++" pair was there                     */
	bool renamed, copied, added, deleted;
	unsigned n_extended;
} Names;

static void names_clear(Names *names)
{
	g_free(names->git_old);
	g_free(names->git_new);
	g_free(names->minus);
	g_free(names->plus);
	g_free(names->from);
	g_free(names->to);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Names, names_clear)

static void set_name(char **name, char *value)
{
	g_free(*name);
	*name = value;
}

/* A name up to the end of the line, unquoted; NULL when it holds a NUL or its quoting is broken. */
static char *whole_name(Line line)
{
	gsize taken = 0;

	if (line.len == 0 || memchr(line.text, '\0', line.len))
		return NULL;
	if (line.text[0] == '"')
		return diffpath_unquote(line.text, line.len, &taken);
	return g_strndup(line.text, line.len);
}

/* "2024-05-01 ..." or "(revision 12)" behind a blank: where old diffs put the time stamp. */
static bool is_stamp(const char *text, gsize len)
{
	if (len >= 10 && (text[0] == '1' || text[0] == '2') && text[4] == '-' && text[7] == '-')
		return g_ascii_isdigit(text[1]) && g_ascii_isdigit(text[2]);
	return (len >= 9 && memcmp(text, "(revision", 9) == 0) ||
	       (len >= 8 && memcmp(text, "(working", 8) == 0);
}

/* A tab may be part of the name, so a stamp behind any blank is looked for first. */
static gsize name_len(Line line)
{
	const char *tab = memchr(line.text, '\t', line.len);

	for (gsize i = 1; i < line.len; i++) {
		if ((line.text[i - 1] != ' ' && line.text[i - 1] != '\t') ||
		    !is_stamp(line.text + i, line.len - i))
			continue;
		while (i > 0 && (line.text[i - 1] == ' ' || line.text[i - 1] == '\t'))
			i--;
		return i;
	}
	return tab ? (gsize)(tab - line.text) : line.len;
}

/* The name on a "---" or "+++" line; "" stands for /dev/null. */
static char *side_name(Line line)
{
	if (line.len > 0 && line.text[0] == '"')
		return whole_name(line);

	Line name = {.text = line.text, .len = name_len(line)};
	if (name.len == 9 && memcmp(name.text, "/dev/null", 9) == 0)
		return g_strdup("");
	return whole_name(name);
}

/* diff -N stamps the missing side with the epoch, in whatever zone the sender sits. */
static bool has_epoch_stamp(Line line)
{
	Line stamp = line_after(line, name_len(line));

	while (stamp.len > 0 && (stamp.text[0] == ' ' || stamp.text[0] == '\t'))
		stamp = line_after(stamp, 1);
	return line_starts(&stamp, "1970-01-01 ") || line_starts(&stamp, "1969-12-31 ");
}

static const char *behind_prefix(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash[1] != '\0' ? slash + 1 : NULL;
}

static bool has_letter_prefix(const char *name)
{
	return g_ascii_isalnum(name[0]) && name[1] == '/';
}

static bool pair_has_prefix(const char *old, const char *new)
{
	return behind_prefix(old) && behind_prefix(new) &&
	       strncmp(old, new, strcspn(old, "/") + 1) != 0;
}

static void strip(char **name)
{
	const char *rest = *name ? behind_prefix(*name) : NULL;

	if (rest)
		set_name(name, g_strdup(rest));
}

static void strip_pair(char **old, char **new, bool git)
{
	bool prefixed = false;

	if (*old && *new)
		prefixed = pair_has_prefix(*old, *new);
	else if (*old || *new)
		prefixed = !git || has_letter_prefix(*old ? *old : *new);
	if (prefixed) {
		strip(old);
		strip(new);
	}
}

/*
 * "diff --git a/x y b/x y": nothing marks where the first name ends, but both spell one path, so
 * the lengths behind the first slashes must agree.  At most one blank meets that, or the middle one
 * when no prefix is there; each candidate costs O(1) but for the one comparison.
 */
static bool is_plain_split(Line line, gsize space, const char *old_slash, const char *new_slash)
{
	const char *new = line.text + space + 1;
	gsize new_len = line.len - space - 1;

	if (space == new_len)
		return memcmp(line.text, new, new_len) == 0 ||
		       (old_slash && new_slash &&
			old_slash - line.text ==
				new_slash - new &&memcmp(old_slash, new_slash,
							 (gsize)(new + new_len - new_slash)) ==
				0);
	if (!old_slash || !new_slash || old_slash > new)
		return false;
	gsize old_rest = (gsize)(line.text + space - old_slash);
	gsize new_rest = (gsize)(new + new_len - new_slash);
	return old_rest == new_rest && memcmp(old_slash, new_slash, old_rest) == 0;
}

static bool split_plain_names(Line line, Names *names)
{
	const char *end = line.text + line.len;
	const char *old_slash = memchr(line.text, '/', line.len);
	const char *new_slash = old_slash;

	for (gsize i = 1; i + 1 < line.len; i++) {
		if (line.text[i] != ' ')
			continue;
		if (new_slash && new_slash < line.text + i)
			new_slash = memchr(line.text + i, '/', (gsize)(end - line.text) - i);
		if (!is_plain_split(line, i, old_slash, new_slash))
			continue;
		set_name(&names->git_old, g_strndup(line.text, i));
		set_name(&names->git_new, g_strndup(line.text + i + 1, line.len - i - 1));
		return true;
	}
	return false;
}

static bool split_quoted_names(Line line, Names *names)
{
	gsize taken = 0;

	if (line.text[0] == '"') {
		set_name(&names->git_old, diffpath_unquote(line.text, line.len, &taken));
	} else {
		const char *space = memchr(line.text, ' ', line.len);
		taken = space ? (gsize)(space - line.text) : line.len;
		set_name(&names->git_old, g_strndup(line.text, taken));
	}
	if (!names->git_old || taken >= line.len || line.text[taken] != ' ')
		return false;
	set_name(&names->git_new, whole_name(line_after(line, taken + 1)));
	return names->git_new != NULL;
}

static void take_git_names(Line line, Names *names)
{
	if (line.len == 0 || line.len > 2 * DIFF_MAX_PATH_BYTES + 2 ||
	    memchr(line.text, '\0', line.len))
		return;
	bool found = memchr(line.text, '"', line.len) ? split_quoted_names(line, names)
						      : split_plain_names(line, names);
	if (found)
		strip_pair(&names->git_old, &names->git_new, true);
	else
		g_clear_pointer(&names->git_old, g_free);
}

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
	set_name(&file->old_blob, g_strndup(line.text, old_len));
	set_name(&file->new_blob, g_strndup(new.text, new_len));
	rest = line_after(new, new_len);
	if (line_starts(&rest, " "))
		file->old_mode = file->new_mode = octal(line_after(rest, 1));
}

/* One extended line of git-diff(1); false when @line is none. */
static bool take_extended(Line line, Names *names, DiffFile *file)
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
		set_name(&names->from, whole_name(value));
	if (which == RENAME_TO || which == RENAME_NEW || which == COPY_TO)
		set_name(&names->to, whole_name(value));
	names->deleted |= which == DELETED;
	names->added |= which == ADDED;
	names->renamed |= which >= RENAME_FROM && which <= RENAME_NEW;
	names->copied |= which == COPY_FROM || which == COPY_TO;
	names->n_extended++;
	return true;
}

static bool take_pair(const char *bytes, gsize len, gsize *pos, Names *names)
{
	gsize at = *pos;
	Line old, new;

	if (!line_next(bytes, len, &at, &old) || !line_starts(&old, "--- ") ||
	    !line_next(bytes, len, &at, &new) || !line_starts(&new, "+++ "))
		return false;

	old = line_after(line_chomp(old), 4);
	new = line_after(line_chomp(new), 4);
	g_autofree char *minus = side_name(old);
	g_autofree char *plus = side_name(new);
	if (!minus || !plus)
		return false;
	names->added |= minus[0] == '\0' || has_epoch_stamp(old);
	names->deleted |= plus[0] == '\0' || has_epoch_stamp(new);
	if (minus[0] != '\0')
		set_name(&names->minus, g_steal_pointer(&minus));
	if (plus[0] != '\0')
		set_name(&names->plus, g_steal_pointer(&plus));
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
static void take_git_lines(const char *bytes, gsize len, gsize *pos, Names *names, DiffFile *file)
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
		set_name(new, g_strdup(*old));
	else
		set_name(old, g_strdup(*new));
}

/* Both names NULL is refused by the caller: a header that names no file is talk. */
static void settle_names(Names *names, DiffFile *file)
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

static bool is_hunk_next(const char *bytes, gsize len, gsize pos)
{
	Line line;

	return line_next(bytes, len, &pos, &line) && line_starts(&line, "@@ -");
}

bool diffhead_read(const char *bytes, gsize len, gsize *pos, DiffFile *file, GError **error)
{
	g_auto(Names) names = {0};
	gsize start = *pos;
	gsize at = start;
	Line line;

	if (!line_next(bytes, len, &at, &line))
		return false;
	if (line_starts(&line, "diff --git ")) {
		file->git = true;
		take_git_names(line_after(line_chomp(line), 11), &names);
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
	strip_pair(&names.minus, &names.plus, file->git);
	settle_names(&names, file);
	if (!file->path)
		return false;
	file->start = (const guint8 *)bytes + start;
	file->len = at - start;
	*pos = at;
	return names_fit(file, error);
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

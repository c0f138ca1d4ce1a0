/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diffname.h"

#include "mailparse/diffpath.h"
#include "mailparse/limits.h"

#include <string.h>

void diffnames_clear(DiffNames *names)
{
	g_free(names->git_old);
	g_free(names->git_new);
	g_free(names->minus);
	g_free(names->plus);
	g_free(names->from);
	g_free(names->to);
}

void diffname_set(char **name, char *value)
{
	g_free(*name);
	*name = value;
}

/* A name up to the end of the line, unquoted; NULL when it holds a NUL or its quoting is broken. */
char *diffname_whole(Line line)
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
char *diffname_of_side(Line line)
{
	if (line.len > 0 && line.text[0] == '"')
		return diffname_whole(line);

	Line name = {.text = line.text, .len = name_len(line)};
	if (name.len == 9 && memcmp(name.text, "/dev/null", 9) == 0)
		return g_strdup("");
	return diffname_whole(name);
}

/* diff -N stamps the missing side with the epoch, in whatever zone the sender sits. */
bool diffname_has_epoch_stamp(Line line)
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
		diffname_set(name, g_strdup(rest));
}

bool diffname_strip_pair(char **old, char **new, bool git)
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
	return prefixed;
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

static bool split_plain_names(Line line, DiffNames *names)
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
		diffname_set(&names->git_old, g_strndup(line.text, i));
		diffname_set(&names->git_new, g_strndup(line.text + i + 1, line.len - i - 1));
		return true;
	}
	return false;
}

static bool split_quoted_names(Line line, DiffNames *names)
{
	gsize taken = 0;

	if (line.text[0] == '"') {
		diffname_set(&names->git_old, diffpath_unquote(line.text, line.len, &taken));
	} else {
		const char *space = memchr(line.text, ' ', line.len);
		taken = space ? (gsize)(space - line.text) : line.len;
		diffname_set(&names->git_old, g_strndup(line.text, taken));
	}
	if (!names->git_old || taken >= line.len || line.text[taken] != ' ')
		return false;
	diffname_set(&names->git_new, diffname_whole(line_after(line, taken + 1)));
	return names->git_new != NULL;
}

void diffnames_take_git(Line line, DiffNames *names)
{
	if (line.len == 0 || line.len > 2 * DIFF_MAX_PATH_BYTES + 2 ||
	    memchr(line.text, '\0', line.len))
		return;
	bool found = memchr(line.text, '"', line.len) ? split_quoted_names(line, names)
						      : split_plain_names(line, names);
	if (found)
		diffname_strip_pair(&names->git_old, &names->git_new, true);
	else
		g_clear_pointer(&names->git_old, g_free);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diffpath.h"

#include "mailparse/limits.h"
#include "mailparse/mailparse.h"

#include <string.h>

#define PART_MAX_BYTES 255u /* NAME_MAX of the file systems a checkout lands on */

/* Code points that HFS+ leaves out when it compares names, so ".g<ZWNJ>it" is ".git" there. */
static bool is_hfs_ignored(gunichar c)
{
	return (c >= 0x200c && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x206a && c <= 0x206f) || c == 0xfeff;
}

static char *without_hfs_ignored(const char *part, gsize len)
{
	GString *plain = g_string_sized_new(len);
	gsize i = 0;

	while (i < len) {
		gunichar c = g_utf8_get_char_validated(part + i, (gssize)(len - i));
		gsize step = 1;
		if (c != (gunichar)-1 && c != (gunichar)-2)
			step = (gsize)g_unichar_to_utf8(c, NULL);
		if (step == 1 || !is_hfs_ignored(c))
			g_string_append_len(plain, part + i, (gssize)step);
		i += step;
	}
	return g_string_free(plain, FALSE);
}

/* NTFS drops dots and blanks at the end of a name and takes ":..." for a stream of the file. */
static bool is_git_dir(const char *part, gsize len)
{
	g_autofree char *plain = without_hfs_ignored(part, len);
	gsize n = strcspn(plain, ":");

	while (n > 0 && (plain[n - 1] == '.' || plain[n - 1] == ' '))
		n--;
	return (n == 4 && g_ascii_strncasecmp(plain, ".git", n) == 0) ||
	       (n == 5 && g_ascii_strncasecmp(plain, "git~1", n) == 0);
}

/* A backslash is an ordinary byte on Unix and a separator on NTFS: "x\.git\y" is refused too. */
static bool holds_git_dir(const char *part, gsize len)
{
	gsize start = 0;

	for (gsize i = 0; i <= len; i++) {
		if (i < len && part[i] != '\\')
			continue;
		if (is_git_dir(part + start, i - start))
			return true;
		start = i + 1;
	}
	return false;
}

static const char *broken_rule(const char *part, gsize len)
{
	if (len == 0)
		return "has an empty part";
	if ((len == 1 && part[0] == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
		return "has a \".\" or \"..\" part";
	if (len > PART_MAX_BYTES)
		return "has a part over 255 bytes";
	if (holds_git_dir(part, len))
		return "leads into a git directory";
	return NULL;
}

static bool refuse(const char *path, const char *rule, GError **error)
{
	g_autofree char *shown = g_strescape(path, NULL);

	g_set_error(error, MAIL_ERROR, MAIL_ERROR_UNSAFE,
		    "the path \"%.200s\" of the diff %s; it is not written", shown, rule);
	return false;
}

bool diffpath_check(const char *path, GError **error)
{
	g_return_val_if_fail(path != NULL, false);

	if (path[0] == '/')
		return refuse(path, "is absolute", error);
	if (strlen(path) > DIFF_MAX_PATH_BYTES)
		return refuse(path, "is too long", error);

	for (const char *part = path;;) {
		gsize len = strcspn(part, "/");
		const char *rule = broken_rule(part, len);
		if (rule)
			return refuse(path, rule, error);
		if (part[len] == '\0')
			return true;
		part += len + 1;
	}
}

/* The byte of an escape at @text[0], which stands after the backslash; 0 when it is none. */
static guint8 take_escape(const char *text, gsize len, gsize *out_taken)
{
	static const char names[] = "abtnvfr\"\\";
	static const guint8 values[] = "\a\b\t\n\v\f\r\"\\";
	const char *name = memchr(names, text[0], sizeof(names) - 1);

	if (name) {
		*out_taken = 1;
		return values[name - names];
	}
	if (len < 3 || text[0] < '0' || text[0] > '3' || text[1] < '0' || text[1] > '7' ||
	    text[2] < '0' || text[2] > '7')
		return 0;
	*out_taken = 3;
	return (guint8)((text[0] - '0') * 64 + (text[1] - '0') * 8 + (text[2] - '0'));
}

char *diffpath_unquote(const char *text, gsize len, gsize *out_len)
{
	g_autoptr(GString) path = g_string_new(NULL);

	if (len == 0 || text[0] != '"')
		return NULL;
	for (gsize i = 1; i < len; i++) {
		if (text[i] == '"') {
			*out_len = i + 1;
			return g_string_free(g_steal_pointer(&path), FALSE);
		}
		if (text[i] == '\0' || text[i] == '\n')
			return NULL;
		if (text[i] != '\\') {
			g_string_append_c(path, text[i]);
			continue;
		}
		gsize taken = 0;
		guint8 byte = i + 1 < len ? take_escape(text + i + 1, len - i - 1, &taken) : 0;
		if (byte == 0)
			return NULL;
		g_string_append_c(path, (char)byte);
		i += taken;
	}
	return NULL;
}

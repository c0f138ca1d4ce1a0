/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * patchid - the number git knows a change by, whatever its place and white space.
 *
 * `git patch-id --stable` (git 2.39) reads text, not a parsed diff, and its number depends on how
 * it reads: SHA-1 over the lines without white space, one sum a file, the sums added up as big
 * numbers with the least byte first.  "index" and "@@" lines are left out; a binary file counts by
 * the names of its blobs alone; the patch ends at the first line that can be no part of it.
 */

#include "mailparse/diff.h"
#include "mailparse/line.h"

#include <string.h>

#define SHA1_BYTES 20u
#define OID_HEX 40u
#define NO_NEWLINE_MIN 12u /* bytes of a line "\\ No newline ..." in any language, LF aside */

/*
 * The two counts are the whole state: old_left is -1 in a header, both are 0 between hunks.  A hunk
 * that lies about its lines drives them to other values, and git then reads what follows in the
 * same odd way.
 */
typedef struct {
	int old_left, new_left;
	bool any;    /* a byte was counted: the patch has begun */
	bool binary; /* inside a binary file's part             */
	char *old_blob, *new_blob;
	GChecksum *file;
	guint8 sum[SHA1_BYTES];
} PatchId;

static void add_up(PatchId *id)
{
	guint8 digest[SHA1_BYTES];
	gsize len = sizeof(digest);
	unsigned carry = 0;

	g_checksum_get_digest(id->file, digest, &len);
	g_checksum_reset(id->file);
	for (gsize i = 0; i < SHA1_BYTES; i++) {
		carry += (unsigned)id->sum[i] + digest[i];
		id->sum[i] = (guint8)(carry & 0xff);
		carry >>= 8;
	}
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void count_line(PatchId *id, const Line *line)
{
	guchar kept[256]; /* a call for each word costs more than its sum */
	gsize n = 0;

	for (gsize i = 0; i < line->len; i++) {
		kept[n] = (guchar)line->text[i];
		n += !is_space(line->text[i]);
		id->any |= n > 0;
		if (n < sizeof kept && i + 1 < line->len)
			continue;
		g_checksum_update(id->file, kept, (gssize)n);
		n = 0;
	}
}

/* A commit's name at the start of a line is where `git log` output goes on to the next patch. */
static bool starts_with_oid(Line line)
{
	if (line_starts(&line, "commit "))
		line = line_after(line, 7);
	else if (line_starts(&line, "From "))
		line = line_after(line, 5);
	if (line.len < OID_HEX)
		return false;
	for (gsize i = 0; i < OID_HEX; i++) {
		if (!g_ascii_isxdigit(line.text[i]))
			return false;
	}
	return true;
}

static void set_hex(char **blob, const char *text, gsize len)
{
	g_free(*blob);
	*blob = g_strndup(text, MIN(len, OID_HEX));
}

/* "index 1234..5678 100644": the second name ends at the blank, or at the end of the line. */
static void take_blobs(PatchId *id, const Line *line)
{
	const char *text = line->text + strlen("index ");
	gsize len = line->len - strlen("index ");
	const char *dots = g_strstr_len(text, (gssize)len, "..");

	if (!dots)
		return;
	const char *new = dots + 2;
	gsize new_len = len - (gsize)(new - text);
	const char *space = memchr(new, ' ', new_len);
	set_hex(&id->old_blob, text, (gsize)(dots - text));
	set_hex(&id->new_blob, new, space ? (gsize)(space - new) : new_len);
}

static void count_binary(PatchId *id)
{
	const char *blobs[] = {id->old_blob, id->new_blob};

	for (gsize i = 0; i < G_N_ELEMENTS(blobs); i++) {
		if (blobs[i])
			g_checksum_update(id->file, (const guchar *)blobs[i], -1);
	}
	add_up(id);
	id->old_left = 0;
	id->binary = true;
}

static int take_count(Line *line)
{
	gsize n = 0;
	int value = 0;

	while (n < line->len && g_ascii_isdigit(line->text[n])) {
		if (value < 100000000)
			value = value * 10 + (line->text[n] - '0');
		n++;
	}
	*line = line_after(*line, n);
	return n > 0 ? value : -1;
}

/* "12" counts one line, "12,3" three; -1 when no number is there. */
static int take_range(Line *line)
{
	int count = take_count(line);

	if (line_starts(line, ",")) {
		*line = line_after(*line, 1);
		return take_count(line);
	}
	return count < 0 ? -1 : 1;
}

static void take_hunk(PatchId *id, Line line)
{
	line = line_after(line, strlen("@@ -"));
	int count = take_range(&line);
	if (count < 0 || !line_starts(&line, " +"))
		return;
	id->old_left = count;
	line = line_after(line, 2);
	count = take_range(&line);
	if (count >= 0)
		id->new_left = count;
}

static void count_signed(PatchId *id, const Line *line)
{
	char sign = line->len > 0 ? line->text[0] : '\0';

	if (sign == '-' || sign == ' ')
		id->old_left--;
	if (sign == '+' || sign == ' ')
		id->new_left--;
	count_line(id, line);
}

/* Returns: false at the line that ends the patch, as the two below. */
static bool header_line(PatchId *id, const Line *line)
{
	if (line_starts(line, "GIT binary patch") || line_starts(line, "Binary files")) {
		count_binary(id);
		return true;
	}
	if (line_starts(line, "index ")) {
		take_blobs(id, line);
		return true;
	}
	/* The "---", "+++" pair counts as a hunk of one line a side. */
	if (line_starts(line, "--- "))
		id->old_left = id->new_left = 1;
	else if (line->len == 0 || !g_ascii_isalpha(line->text[0]))
		return false;
	count_signed(id, line);
	return true;
}

static bool line_between_hunks(PatchId *id, const Line *line)
{
	if (line_starts(line, "@@ -")) {
		take_hunk(id, *line);
		return true;
	}
	if (!line_starts(line, "diff "))
		return false;
	add_up(id);
	id->old_left = id->new_left = -1;
	count_line(id, line);
	return true;
}

static bool take_line(PatchId *id, const Line *line)
{
	if (!id->any && !line_starts(line, "diff "))
		return true;
	if (id->binary) {
		if (line_starts(line, "diff ")) {
			id->binary = false;
			id->old_left = -1;
		}
		return true;
	}
	if (id->old_left == -1)
		return header_line(id, line);
	if (id->old_left == 0 && id->new_left == 0)
		return line_between_hunks(id, line);
	count_signed(id, line);
	return true;
}

static char *hex_of(const guint8 *sum)
{
	GString *hex = g_string_sized_new(2 * SHA1_BYTES);

	for (gsize i = 0; i < SHA1_BYTES; i++)
		g_string_append_printf(hex, "%02x", sum[i]);
	return g_string_free(hex, FALSE);
}

static char *patch_id_of(const char *bytes, gsize len)
{
	PatchId id = {.old_left = -1, .new_left = -1, .file = g_checksum_new(G_CHECKSUM_SHA1)};
	gsize at = 0;
	Line line;

	while (line_next(bytes, len, &at, &line)) {
		/* A NUL ends the line for git, which reads C strings. */
		line.len = strnlen(line.text, line.len);
		if (line_starts(&line, "\\ ") && line.len >= NO_NEWLINE_MIN)
			continue;
		if (starts_with_oid(line) ? id.any : !take_line(&id, &line))
			break;
	}
	add_up(&id);
	g_checksum_free(id.file);
	g_free(id.old_blob);
	g_free(id.new_blob);
	return id.any ? hex_of(id.sum) : NULL;
}

/*
 * Where git would begin: the "diff" command line above a bare "---", as `diff -ur old new` prints
 * it, belongs to the patch for git patch-id, though it is no header of ours.
 */
static gsize first_byte(const char *bytes, gsize header)
{
	gsize start = header;

	if (start == 0)
		return header;
	for (start--; start > 0 && bytes[start - 1] != '\n';)
		start--;
	Line line = {.text = bytes + start, .len = header - start};
	return line_starts(&line, "diff -") ? start : header;
}

char *diff_patch_id(const Diff *diff)
{
	g_return_val_if_fail(diff != NULL, NULL);

	if (diff->files->len == 0)
		return NULL;
	const DiffFile *file = diff->files->pdata[0];
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	gsize start = first_byte(bytes, (gsize)((const char *)file->start - bytes));
	return patch_id_of(bytes + start, len - start);
}

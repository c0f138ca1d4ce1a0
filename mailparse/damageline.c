/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damagemark.h"

#include "mailparse/line.h"

#include <string.h>

#define TAB_COLUMNS 8u
#define NBSP "\302\240"

/* A blob whose whole content the diff shows. */
typedef struct {
	char sign;        /* of the lines that make it up */
	const char *name; /* its id, hex, maybe abbreviated */
} ShownBlob;

static ShownBlob shown_blob(const DiffFile *file)
{
	if (file->binary || !file->complete || file->hunks->len != 1)
		return (ShownBlob){0};
	if (file->status == DIFF_STATUS_ADDED && file->new_blob)
		return (ShownBlob){'+', file->new_blob};
	if (file->status == DIFF_STATUS_DELETED && file->old_blob)
		return (ShownBlob){'-', file->old_blob};
	return (ShownBlob){0};
}

/* How the content is spelled before its id is computed. */
typedef void (*Respell)(GString *out, const DiffLine *line);

static void as_it_is(GString *out, const DiffLine *line)
{
	g_string_append_len(out, (const char *)line->text, (gssize)line->len);
}

static void with_cr(GString *out, const DiffLine *line)
{
	as_it_is(out, line);
	g_string_append_c(out, '\r');
}

/* Eight blanks at the start of a line are a tab again. */
static void with_tabs(GString *out, const DiffLine *line)
{
	gsize n = 0;

	while (n < line->len && line->text[n] == ' ')
		n++;
	for (gsize i = 0; i < n / TAB_COLUMNS; i++)
		g_string_append_c(out, '\t');
	gsize kept = n - n % TAB_COLUMNS;
	g_string_append_len(out, (const char *)line->text + kept, (gssize)(line->len - kept));
}

static bool has_id(const GString *content, const char *id)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA1);
	g_autofree char *head = g_strdup_printf("blob %" G_GSIZE_FORMAT, content->len);

	g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head) + 1);
	g_checksum_update(sum, (const guchar *)content->str, (gssize)content->len);
	return g_ascii_strncasecmp(g_checksum_get_string(sum), id, strlen(id)) == 0;
}

/* Is the blob that the index line names the content, spelled so?  False when it is not shown. */
static bool blob_is(const DiffFile *file, Respell respell)
{
	ShownBlob blob = shown_blob(file);

	if (blob.name == NULL || strlen(blob.name) < 7)
		return false;
	const DiffHunk *hunk = file->hunks->pdata[0];
	g_autoptr(GString) content = g_string_new(NULL);
	for (guint i = 0; i < hunk->lines->len; i++) {
		const DiffLine *line = &g_array_index(hunk->lines, DiffLine, i);
		if (line->sign != blob.sign)
			return false;
		respell(content, line);
		if (!line->no_newline)
			g_string_append_c(content, '\n');
	}
	return has_id(content, blob.name);
}

bool damageline_is_whole(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		if (blob_is(diff->files->pdata[i], as_it_is))
			return true;
	}
	return false;
}

static const DamageMark no_mark = {0};

typedef bool (*LineTest)(const DiffFile *file, const DiffLine *line);

/* @line NULL: where the file begins. */
static DamageMark mark_line(PatchDamage kind, const DiffFile *file, const DiffLine *line)
{
	const guint8 *at = line ? line->text : file->start;

	return (DamageMark){.kind = kind, .file = file, .at = (const char *)at};
}

/* The first line of @file that @test finds; NULL when it finds none. */
static const DiffLine *find_line(const DiffFile *file, LineTest test)
{
	for (guint i = 0; i < file->hunks->len; i++) {
		const DiffHunk *hunk = file->hunks->pdata[i];
		for (guint j = 0; j < hunk->lines->len; j++) {
			const DiffLine *line = &g_array_index(hunk->lines, DiffLine, j);
			if (test(file, line))
				return line;
		}
	}
	return NULL;
}

/* The first line that @test finds in a file that did not arrive whole. */
static DamageMark find_mark(const Diff *diff, PatchDamage kind, LineTest test)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		const DiffLine *line = find_line(file, test);
		if (line != NULL && !blob_is(file, as_it_is))
			return mark_line(kind, file, line);
	}
	return no_mark;
}

static bool finds_any(const Diff *diff, LineTest test)
{
	for (guint i = 0; i < diff->files->len; i++) {
		if (find_line(diff->files->pdata[i], test) != NULL)
			return true;
	}
	return false;
}

/* Nearly all are: then there is nothing to look at line by line. */
static bool is_ascii(const Diff *diff)
{
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	guint64 all = 0;

	for (gsize at = 0; at < len; at += sizeof all) {
		guint64 some = 0;
		memcpy(&some, bytes + at, MIN(len - at, sizeof some));
		all |= some;
	}
	return (all & G_GUINT64_CONSTANT(0x8080808080808080)) == 0;
}

static Line text_of(const DiffLine *line)
{
	return (Line){.text = (const char *)line->text, .len = line->len};
}

static Line without_indent(Line text)
{
	while (text.len > 0 && (text.text[0] == ' ' || text.text[0] == '\t'))
		text = line_after(text, 1);
	return text;
}

static bool holds(Line text, const char *needle)
{
	return memmem(text.text, text.len, needle, strlen(needle)) != NULL;
}

static bool lacks_cr(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	return line->len == 0 || line->text[line->len - 1] != '\r';
}

static bool is_line(const DiffFile *file, const DiffLine *line)
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

DamageMark damageline_crlf(const Diff *diff)
{
	const DiffFile *first = diff->files->pdata[0];

	if (header_has_cr(first) && finds_any(diff, is_line) && !finds_any(diff, lacks_cr))
		return (DamageMark){PATCH_DAMAGE_CRLF, first, (const char *)first->start, true};
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		if (!blob_is(file, as_it_is) && blob_is(file, with_cr))
			return mark_line(PATCH_DAMAGE_CRLF, file, find_line(file, is_line));
	}
	return no_mark;
}

static bool has_suffix(const char *path, const char *const *suffixes)
{
	for (; *suffixes != NULL; suffixes++) {
		if (g_str_has_suffix(path, *suffixes))
			return true;
	}
	return false;
}

static bool is_c_file(const DiffFile *file)
{
	static const char *const suffixes[] = {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", NULL};

	return has_suffix(file->path, suffixes);
}

/* Where a line that starts with blanks is no recipe. */
static bool is_makefile(const DiffFile *file)
{
	static const char *const suffixes[] = {"Makefile", "makefile", "Kbuild",
					       ".mk",      ".mak",     NULL};

	return has_suffix(file->path, suffixes);
}

/*
 * Editors of mail keep two blanks in a row by making one of them a no-break space.  Alone between
 * words it may be good French.
 */
static bool has_nbsp(const DiffFile *file, const DiffLine *line)
{
	Line text = text_of(line);
	Line inner = without_indent(text);

	if (line_starts(&inner, NBSP) || line_starts(&text, "\240"))
		return true;
	return holds(text, NBSP " ") || holds(text, " " NBSP) || holds(text, NBSP NBSP) ||
	       (is_c_file(file) && holds(text, NBSP) && !holds(text, "\"") && !holds(text, "*"));
}

DamageMark damageline_nbsp(const Diff *diff)
{
	return is_ascii(diff) ? no_mark : find_mark(diff, PATCH_DAMAGE_NBSP, has_nbsp);
}

/* "#include &lt;stdio.h&gt;" and "p-&gt;x" are no C; a page of text may well hold them. */
static bool has_entity(const DiffFile *file, const DiffLine *line)
{
	static const char *const entities[] = {"-&gt;",   "#include &lt;",  "&amp;&amp;",
					       " &lt;= ", " &gt;= ",        " &lt;&lt; ",
					       "(&quot;", "#include &quot;"};
	Line text = text_of(line);

	if (!is_c_file(file))
		return false;
	for (gsize i = 0; holds(text, "&") && i < G_N_ELEMENTS(entities); i++) {
		if (holds(text, entities[i]) && !holds(text, "\""))
			return true;
	}
	return text.len > 4 && memcmp(text.text + text.len - 4, "<br>", 4) == 0;
}

/* "Signed-off-by: Ann &lt;ann@example.org&gt;" above the diff. */
static bool is_escaped_trailer(const Line *line)
{
	const char *open = memmem(line->text, line->len, " &lt;", 5);

	if (open == NULL || !g_ascii_isalpha(line->text[0]) || !holds(*line, "-by: "))
		return false;
	Line rest = line_after(*line, (gsize)(open - line->text));
	return holds(rest, "@") && holds(rest, "&gt;");
}

static bool is_escaped_from(const Line *line)
{
	return line_starts(line, ">From ");
}

typedef bool (*TextTest)(const Line *line);

/* The first line of the text above the diff that @test finds; NULL when it finds none. */
static const char *find_above(const Diff *diff, TextTest test)
{
	const char *bytes = g_bytes_get_data(diff->bytes, NULL);
	const DiffFile *first = diff->files->pdata[0];
	gsize end = (gsize)((const char *)first->start - bytes);
	Line line;

	for (gsize at = 0; line_next(bytes, end, &at, &line);) {
		if (line.len > 0 && test(&line))
			return line.text;
	}
	return NULL;
}

DamageMark damageline_html(const Diff *diff)
{
	DamageMark mark = find_mark(diff, PATCH_DAMAGE_HTML, has_entity);
	const char *above = find_above(diff, is_escaped_trailer);

	if (mark.kind == PATCH_DAMAGE_NONE && above != NULL)
		mark = (DamageMark){.kind = PATCH_DAMAGE_HTML, .at = above};
	return mark;
}

/* NUL, U+FFFD, or UTF-8 that was taken for Latin-1 and encoded once more. */
static bool has_lost_character(const DiffFile *file, const DiffLine *line)
{
	static const char *const marks[] = {"\357\277\275", "\303\242\342\202\254",
					    "\303\242\302\200\302", "\303\257\302\277\302\275",
					    "\303\257\302\273\302\277"};
	Line text = text_of(line);

	(void)file;
	if (line->sign == '-' || text.len == 0)
		return false;
	if (memchr(text.text, '\0', text.len) != NULL)
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		if (holds(text, marks[i]))
			return true;
	}
	/* U+00C3 or U+00C2, then a character of U+0080 to U+00BF. */
	const char *at = text.text;
	for (gsize left = text.len; left >= 4; at++, left--) {
		if ((unsigned char)at[0] == 0xc3 &&
		    ((unsigned char)at[1] == 0x83 || (unsigned char)at[1] == 0x82) &&
		    (unsigned char)at[2] == 0xc2)
			return true;
	}
	return false;
}

/* A diff that mends such text has it in the lines that go. */
static bool loses_character(const DiffFile *file, const DiffLine *line)
{
	DiffLine kept = *line;

	kept.sign = ' ';
	return line->sign == '-' && has_lost_character(file, &kept);
}

static bool has_nul(const Diff *diff)
{
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);

	return memchr(bytes, '\0', len) != NULL;
}

DamageMark damageline_charset(const Diff *diff)
{
	if ((is_ascii(diff) && !has_nul(diff)) || finds_any(diff, loses_character))
		return no_mark;
	return find_mark(diff, PATCH_DAMAGE_CHARSET, has_lost_character);
}

static bool is_round_quote(const char *at)
{
	return memcmp(at, "\342\200\234", 3) == 0 || memcmp(at, "\342\200\235", 3) == 0 ||
	       memcmp(at, "\342\200\236", 3) == 0 || memcmp(at, "\342\200\230", 3) == 0 ||
	       memcmp(at, "\342\200\231", 3) == 0;
}

static bool is_dash(const char *at)
{
	return memcmp(at, "\342\200\223", 3) == 0 || memcmp(at, "\342\200\224", 3) == 0 ||
	       memcmp(at, "\342\210\222", 3) == 0;
}

/* C code in which a quote opens a string, or an operator stands, that C does not have. */
static bool has_typography(const DiffFile *file, const DiffLine *line)
{
	Line text = without_indent(text_of(line));
	bool include = line_starts(&text, "#include ");
	char before = '\0';

	if (!is_c_file(file) || line->sign == '-' || line_starts(&text, "*") ||
	    line_starts(&text, "/"))
		return false;
	for (gsize i = 0; i + 3 < text.len; i++) {
		const char *at = text.text + i;
		if (*at == '"' || (*at == '/' && (at[1] == '/' || at[1] == '*')))
			return false;
		if (is_round_quote(at) && (include || strchr("(,={[?:!", before) != NULL) &&
		    before != '\0')
			return true;
		if (is_dash(at) && (at[3] == '>' || g_ascii_isdigit(at[3]) || at[3] == '='))
			return true;
		if (*at != ' ')
			before = *at;
	}
	return false;
}

DamageMark damageline_typography(const Diff *diff)
{
	return is_ascii(diff) ? no_mark : find_mark(diff, PATCH_DAMAGE_TYPOGRAPHY, has_typography);
}

static bool has_tab(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	return memchr(line->text, '\t', line->len) != NULL;
}

static gsize indent_of(const DiffLine *line)
{
	gsize n = 0;

	while (n < line->len && line->text[n] == ' ')
		n++;
	return n < line->len ? n : 0;
}

/* A recipe that starts with blanks is none. */
static bool is_blank_recipe(const DiffFile *file, const DiffLine *line)
{
	return is_makefile(file) && indent_of(line) >= TAB_COLUMNS - 1;
}

static bool is_indented(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	return indent_of(line) >= TAB_COLUMNS - 1;
}

/* Not one less than a tab stop, where a terminal puts what stands behind a sign and a tab. */
static bool is_off_stop(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	gsize indent = indent_of(line);

	return indent > 0 && indent % TAB_COLUMNS != TAB_COLUMNS - 1;
}

static bool is_deep(const DiffFile *file, const DiffLine *line)
{
	(void)file;
	return indent_of(line) > TAB_COLUMNS;
}

/* "--- a/f.c      2024-01-31": diff(1) puts a tab before the stamp. */
static bool stamp_lost_tab(const DiffFile *file)
{
	Line line;

	if (file->git || !line_next((const char *)file->start, file->len, &(gsize){0}, &line))
		return false;
	const char *gap = memmem(line.text, line.len, "    ", 4);
	if (gap == NULL || memchr(line.text, '\t', line.len) != NULL)
		return false;
	Line stamp = without_indent(line_after(line, (gsize)(gap - line.text)));
	return stamp.len >= 10 && g_ascii_isdigit(stamp.text[0]) && stamp.text[4] == '-';
}

DamageMark damageline_tabs(const Diff *diff)
{
	if (finds_any(diff, has_tab))
		return no_mark;
	DamageMark mark = find_mark(diff, PATCH_DAMAGE_TABS, is_blank_recipe);
	if (mark.kind != PATCH_DAMAGE_NONE)
		return mark;
	if (finds_any(diff, is_deep) && !finds_any(diff, is_off_stop))
		return find_mark(diff, PATCH_DAMAGE_TABS, is_indented);
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		if (!blob_is(file, as_it_is) && blob_is(file, with_tabs))
			return mark_line(PATCH_DAMAGE_TABS, file, find_line(file, is_indented));
		if (stamp_lost_tab(file))
			return (DamageMark){PATCH_DAMAGE_TABS, file, (const char *)file->start,
					    false};
	}
	return no_mark;
}

static bool same_line(const DiffLine *a, const DiffLine *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0 &&
	       a->no_newline == b->no_newline;
}

static guint run_len(const DiffHunk *hunk, guint from, char sign)
{
	guint n = 0;

	while (from + n < hunk->lines->len &&
	       g_array_index(hunk->lines, DiffLine, from + n).sign == sign)
		n++;
	return n;
}

/* Lines go and the same ones come: what made them differ is gone.  NULL when there are none. */
static const DiffLine *find_same_again(const DiffHunk *hunk)
{
	for (guint i = 0; i < hunk->lines->len;) {
		guint n = run_len(hunk, i, '-');
		guint same = 0;

		if (n > 0 && run_len(hunk, i + n, '+') == n) {
			while (same < n &&
			       same_line(&g_array_index(hunk->lines, DiffLine, i + same),
					 &g_array_index(hunk->lines, DiffLine, i + n + same)))
				same++;
			if (same == n)
				return &g_array_index(hunk->lines, DiffLine, i);
		}
		i += MAX(n, 1);
	}
	return NULL;
}

/* A context line of which nothing is left, not even its blank. */
static bool is_bare(const DiffFile *file, const DiffLine *line)
{
	return line->sign == ' ' && line->len == 0 && line->text > file->start &&
	       line->text[-1] == '\n';
}

/* git ends a mail with "-- " and its version; other mailers' "--" has talk below it. */
static bool signature_is_cut(const Diff *diff)
{
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	const DiffFile *last = diff->files->pdata[diff->files->len - 1];
	gsize at = (gsize)((const char *)last->start - bytes) + last->len;
	Line line;

	if (!line_next(bytes, len, &at, &line) || line.len != 2 || !line_starts(&line, "--"))
		return false;
	return line_next(bytes, len, &at, &line) && line.len > 2 && g_ascii_isdigit(line.text[0]) &&
	       line.text[1] == '.';
}

DamageMark damageline_trailing_space(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		for (guint j = 0; j < file->hunks->len; j++) {
			const DiffLine *line = find_same_again(file->hunks->pdata[j]);
			if (line == NULL)
				continue;
			bool tabs = indent_of(line) >= TAB_COLUMNS - 1 && !finds_any(diff, has_tab);
			return mark_line(tabs ? PATCH_DAMAGE_TABS : PATCH_DAMAGE_TRAILING_SPACE,
					 file, line);
		}
	}
	if (!signature_is_cut(diff))
		return no_mark;
	DamageMark mark = find_mark(diff, PATCH_DAMAGE_TRAILING_SPACE, is_bare);
	mark.repaired = mark.kind != PATCH_DAMAGE_NONE;
	return mark;
}

/* A line that begins with ">" and no ">From " is a quote, and then so may be the other. */
static bool is_quote(const Line *line)
{
	return line->text[0] == '>' && !is_escaped_from(line);
}

DamageMark damageline_from(const Diff *diff)
{
	const char *at = find_above(diff, is_escaped_from);

	if (at == NULL || find_above(diff, is_quote) != NULL)
		return no_mark;
	return (DamageMark){.kind = PATCH_DAMAGE_FROM, .at = at};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damagemark.h"

#include "mailparse/line.h"

#include <string.h>

#define WRAP_MIN_COLUMNS                                                                           \
	65u /* no mailer wraps shorter than this, the word that follows included                   \
	     */
#define TAB_COLUMNS 8u
#define EMPTY_BLOB "e69de29"
#define STAT_MAX_FILES 100000u

/* How wide a mailer's editor shows the line. */
static gsize columns(const Line *line)
{
	gsize n = 0;

	for (gsize i = 0; i < line->len; i++) {
		if (line->text[i] == '\t')
			n += TAB_COLUMNS - n % TAB_COLUMNS;
		else if (((unsigned char)line->text[i] & 0xc0) != 0x80)
			n++;
	}
	return n;
}

static gsize first_word_columns(Line line)
{
	gsize n = 0;

	while (line.len > 0 && line.text[0] == ' ')
		line = line_after(line, 1);
	while (n < line.len && !g_ascii_isspace(line.text[n]))
		n++;
	line.len = n;
	return columns(&line);
}

/* The word that begins @next would have made @line too long. */
static bool may_be_wrapped(const Line *line, const Line *next)
{
	return columns(line) + 1 + first_word_columns(*next) >= WRAP_MIN_COLUMNS;
}

static bool is_signature(const Line *line)
{
	Line bare = line_chomp(*line);

	return bare.len <= 3 && line_starts(&bare, "--") && (bare.len == 2 || bare.text[2] == ' ');
}

/* What unquoting makes of a line of talk between quotes. */
static bool is_unquoted_talk(const Line *line)
{
	return line->len == 1 && line->text[0] == '.';
}

/* What may stand behind a hunk that is whole. */
static bool is_boundary(const Line *line)
{
	return line_is_blank(line) || is_signature(line) || line_starts(line, "diff ") ||
	       line_starts(line, "@@ ") || line_starts(line, "--- ") || line_starts(line, "\\ ") ||
	       line_starts(line, "Index: ") || line_starts(line, "index ") ||
	       line_starts(line, ">") || is_unquoted_talk(line);
}

typedef struct {
	const char *bytes;
	gsize len;
	gsize end; /* behind the file's last line   */
	Line last; /* the last line that was read   */
	Line next; /* the line behind it            */
	bool more; /* there is one                  */
} Break;

static Break find_break(const Diff *diff, const DiffFile *file)
{
	Break found = {0};

	found.bytes = g_bytes_get_data(diff->bytes, &found.len);
	found.end = (gsize)((const char *)file->start - found.bytes) + file->len;
	gsize last = found.end;
	while (last > 0 && found.bytes[last - 1] == '\n')
		last--;
	while (last > 0 && found.bytes[last - 1] != '\n')
		last--;
	line_next(found.bytes, found.end, &last, &found.last);
	gsize at = found.end;
	found.more = line_next(found.bytes, found.len, &at, &found.next);
	return found;
}

/*
 * A hunk that lacks lines takes the signature mark "-- " for one that goes: where the mail ends
 * behind it, the line before it was the last one.
 */
static void give_signature_back(Break *at)
{
	gsize start = (gsize)(at->last.text - at->bytes);

	if (!is_signature(&at->last) || start < 2)
		return;
	at->end = start;
	at->next = at->last;
	at->more = true;
	gsize last = start - 1;
	while (last > 0 && at->bytes[last - 1] != '\n')
		last--;
	line_next(at->bytes, start, &last, &at->last);
}

typedef struct {
	unsigned old_left, new_left;
} Counts;

static bool count_sign(Counts *counts, char sign)
{
	if (sign != '+' && counts->old_left == 0)
		return false;
	if (sign != '-' && counts->new_left == 0)
		return false;
	counts->old_left -= sign != '+';
	counts->new_left -= sign != '-';
	return true;
}

/* Returns: false when the hunk has more lines of a side than it counts */
static bool counts_left(const DiffHunk *hunk, Counts *out)
{
	*out = (Counts){.old_left = hunk->old_count, .new_left = hunk->new_count};
	for (guint i = 0; i < hunk->lines->len; i++) {
		if (!count_sign(out, g_array_index(hunk->lines, DiffLine, i).sign))
			return false;
	}
	return true;
}

typedef enum {
	TAIL_OF_LINE, /* a line without sign is the tail of the one above it */
	BARE_CONTEXT, /* it is a context line that lost its blank            */
} Guess;

/* Are the counts met if every line without sign is what @guess says? */
static bool guess_fits(const Break *at, Counts left, Guess guess)
{
	gsize pos = at->end;
	Line line;

	while ((left.old_left > 0 || left.new_left > 0) &&
	       line_next(at->bytes, at->len, &pos, &line)) {
		char sign = line.len > 0 ? line.text[0] : ' ';
		if (line_starts(&line, "diff --git ") || line_starts(&line, "@@ -"))
			return false;
		if (sign == '\r')
			sign = ' ';
		if (sign == '\\' || (strchr("+- ", sign) == NULL && guess == TAIL_OF_LINE))
			continue;
		if (strchr("+- ", sign) == NULL || sign == '\0')
			sign = ' ';
		if (!count_sign(&left, sign))
			return false;
	}
	if (left.old_left > 0 || left.new_left > 0)
		return false;
	return !line_next(at->bytes, at->len, &pos, &line) || is_boundary(&line) ||
	       guess == TAIL_OF_LINE;
}

/* What takes one line's blank takes them all; then talk below a cut hunk is no context. */
static bool keeps_blanks(const DiffHunk *hunk)
{
	for (guint i = 0; i < hunk->lines->len; i++) {
		const DiffLine *line = &g_array_index(hunk->lines, DiffLine, i);
		if (line->sign == ' ' && line->len > 0)
			return true;
	}
	return false;
}

static bool starts_with_nbsp(const Line *line)
{
	return line_starts(line, "\302\240") || line_starts(line, "\240");
}

/* A minus sign or dash in the place of the '-' of a line that goes. */
static bool starts_with_dash(const Line *line)
{
	return line_starts(line, "\342\200\223") || line_starts(line, "\342\200\224") ||
	       line_starts(line, "\342\210\222");
}

/* "+ b);": what stood in the middle of a line, behind a blank, and begins one now. */
static bool may_be_tail(const Line *line)
{
	static const char *const starts[] = {"+ ", "- ", " + ", " - "};

	for (gsize i = 0; i < G_N_ELEMENTS(starts); i++) {
		if (line_starts(line, starts[i]))
			return true;
	}
	return false;
}

/* The line of @file that looks like the tail of the one above it; NULL when none does. */
static const char *find_tail(const DiffFile *file)
{
	const char *bytes = (const char *)file->start;
	gsize at = 0;
	Line line, next;
	bool in_hunk = false;

	line_next(bytes, file->len, &at, &line);
	while (line_next(bytes, file->len, &at, &next)) {
		in_hunk = in_hunk || line_starts(&line, "@@ ");
		if (in_hunk && may_be_tail(&next) && may_be_wrapped(&line, &next) &&
		    columns(&next) < columns(&line))
			return next.text;
		line = next;
	}
	return NULL;
}

static PatchDamage break_kind(const Break *at, const DiffHunk *hunk)
{
	Counts left;

	if (starts_with_nbsp(&at->next))
		return PATCH_DAMAGE_NBSP;
	if (starts_with_dash(&at->next))
		return PATCH_DAMAGE_TYPOGRAPHY;
	if (!at->more || is_boundary(&at->next))
		return PATCH_DAMAGE_TRUNCATED;
	bool head = line_starts(&at->last, "@@ ");
	bool long_enough = head || may_be_wrapped(&at->last, &at->next);
	if (hunk != NULL && counts_left(hunk, &left)) {
		bool lost = line_starts(&at->next, "\t") || !keeps_blanks(hunk);
		bool context = lost && guess_fits(at, left, BARE_CONTEXT);
		bool tail = long_enough && guess_fits(at, left, TAIL_OF_LINE);
		if (context != tail)
			return context ? PATCH_DAMAGE_LEADING_SPACE : PATCH_DAMAGE_WRAPPED;
	}
	if (line_starts(&at->next, "\t"))
		return PATCH_DAMAGE_LEADING_SPACE;
	return long_enough ? PATCH_DAMAGE_WRAPPED : PATCH_DAMAGE_TRUNCATED;
}

static DamageMark broken_file(const Diff *diff, const DiffFile *file)
{
	Break at = find_break(diff, file);
	const DiffHunk *hunk =
		file->hunks->len > 0 ? file->hunks->pdata[file->hunks->len - 1] : NULL;
	Counts left;

	give_signature_back(&at);
	/* More lines of a side than are counted: a tail took the place of one. */
	const char *tail = hunk && !counts_left(hunk, &left) ? find_tail(file) : NULL;
	if (tail != NULL)
		return (DamageMark){PATCH_DAMAGE_WRAPPED, file, tail, false};
	PatchDamage kind = break_kind(&at, hunk);
	const Line *bad = kind == PATCH_DAMAGE_TRUNCATED ? &at.last : &at.next;

	return (DamageMark){.kind = kind, .file = file, .at = bad->text};
}

/*
 * The counts of the last hunk are met, and yet a line follows that can only be of it: a tail that
 * begins like a line of a diff ("+ b);") took the place of a line.
 */
static DamageMark overfull_file(const Diff *diff, const DiffFile *file)
{
	Break at = find_break(diff, file);

	if (file->hunks->len == 0 || !at.more || is_boundary(&at.next))
		return (DamageMark){0};
	if (strchr("+ ", at.next.text[0]) == NULL && !line_starts(&at.next, "-\t") &&
	    !line_starts(&at.next, "- ")) {
		gsize pos = at.end;
		Line after;

		line_next(at.bytes, at.len, &pos, &after);
		bool last = !line_next(at.bytes, at.len, &pos, &after) || is_boundary(&after);
		if (last && columns(&at.last) >= 50 && may_be_wrapped(&at.last, &at.next))
			return (DamageMark){PATCH_DAMAGE_WRAPPED, file, at.next.text, false};
		return (DamageMark){0};
	}
	const char *tail = find_tail(file);
	if (tail == NULL)
		return (DamageMark){0};
	return (DamageMark){PATCH_DAMAGE_WRAPPED, file, tail, false};
}

DamageMark damagecut_hunk(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		DamageMark mark =
			file->complete ? overfull_file(diff, file) : broken_file(diff, file);
		if (mark.kind != PATCH_DAMAGE_NONE)
			return mark;
	}
	return (DamageMark){0};
}

/* A git header that announces content of which none was read. */
static bool lacks_content(const DiffFile *file)
{
	if (!file->git || file->binary || file->hunks->len > 0 || file->new_blob == NULL)
		return false;
	if (file->status == DIFF_STATUS_ADDED)
		return !g_str_has_prefix(file->new_blob, EMPTY_BLOB);
	if (file->status == DIFF_STATUS_DELETED)
		return file->old_blob && !g_str_has_prefix(file->old_blob, EMPTY_BLOB);
	return file->old_blob && strcmp(file->old_blob, file->new_blob) != 0;
}

static DamageMark lacking_file(const Diff *diff, const DiffFile *file)
{
	Break at = find_break(diff, file);

	if (!at.more || line_is_blank(&at.next) || is_signature(&at.next) ||
	    line_starts(&at.next, "diff "))
		return (DamageMark){PATCH_DAMAGE_TRUNCATED, file, at.last.text, false};
	if (!line_starts(&at.next, "--- ") && !line_starts(&at.next, "+++ "))
		return (DamageMark){0};
	return (DamageMark){PATCH_DAMAGE_WRAPPED, file, at.next.text, false};
}

/* "diff --git a/x" alone on its line, "b/x" on the next, above a pair that was read without it. */
static DamageMark broken_git_line(const Diff *diff, guint index)
{
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	const DiffFile *file = diff->files->pdata[index];
	const DiffFile *before = index > 0 ? diff->files->pdata[index - 1] : NULL;
	gsize at = before ? (gsize)((const char *)before->start - bytes) + before->len : 0;
	gsize end = (gsize)((const char *)file->start - bytes);
	bool git = false;
	Line line;

	while (line_next(bytes, end, &at, &line)) {
		if (git && line_starts(&line, "b/"))
			return (DamageMark){PATCH_DAMAGE_WRAPPED, file, line.text, false};
		git = line_starts(&line, "diff --git a/");
	}
	return (DamageMark){0};
}

DamageMark damagecut_header(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		DamageMark mark = {0};

		if (lacks_content(file))
			mark = lacking_file(diff, file);
		else if (!file->git)
			mark = broken_git_line(diff, i);
		if (mark.kind != PATCH_DAMAGE_NONE)
			return mark;
	}
	return (DamageMark){0};
}

/* " 3 files changed, 10 insertions(+)"; 0 when @line is none. */
static unsigned stat_files(Line line)
{
	unsigned n = 0;

	if (!line_starts(&line, " "))
		return 0;
	line = line_after(line, 1);
	while (line.len > 0 && g_ascii_isdigit(line.text[0]) && n < STAT_MAX_FILES) {
		n = n * 10 + (unsigned)(line.text[0] - '0');
		line = line_after(line, 1);
	}
	return line_starts(&line, " file changed, ") || line_starts(&line, " files changed, ") ? n
											       : 0;
}

/* A quote with talk in it is an excerpt, from which things are missing by right. */
static bool is_excerpt(const char *bytes, gsize len)
{
	Line line;

	for (gsize at = 0; line_next(bytes, len, &at, &line);) {
		if (is_unquoted_talk(&line))
			return true;
	}
	return false;
}

/* Files of the one diffstat below "---"; 0 when there is none or are several. */
static unsigned promised_files(const char *bytes, gsize len)
{
	unsigned n_files = 0, n_stats = 0;
	bool below = false;
	Line line;

	for (gsize at = 0; line_next(bytes, len, &at, &line);) {
		unsigned n = below ? stat_files(line) : 0;
		n_stats += n > 0;
		n_files = MAX(n, n_files);
		below = below || (line_starts(&line, "---") && line_chomp(line).len == 3);
	}
	return n_stats == 1 ? n_files : 0;
}

DamageMark damagecut_stat(const Diff *diff)
{
	gsize len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	const DiffFile *first = diff->files->pdata[0];
	const DiffFile *last = diff->files->pdata[diff->files->len - 1];
	gsize head = (gsize)((const char *)first->start - bytes);

	if (!first->git || promised_files(bytes, head) <= diff->files->len ||
	    is_excerpt(bytes, len))
		return (DamageMark){0};
	return (DamageMark){PATCH_DAMAGE_TRUNCATED, last, find_break(diff, last).last.text, false};
}

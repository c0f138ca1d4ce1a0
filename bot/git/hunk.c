/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/hunk.h"

#include "bot/git/refusal.h"

#include <string.h>

typedef struct {
	const char *text; /* without its LF                                                     */
	gsize len;
	bool newline; /* false only for the last line of a file that does not end in one    */
} Line;

typedef struct {
	const DiffFile *file;
	bool strip_cr;
	const char *bytes; /* old content                                                       */
	gsize len;
	gsize pos;       /* start of the first line not yet taken                             */
	guint64 n_taken; /* lines of the old content before pos                               */
	GByteArray *out;
	guint64 n_out; /* lines in out                                                      */
	unsigned hunk; /* that is being applied, 1 first                                    */
	ApplyFailure *failure;
	GError **error;
} Work;

static Line peek_line(const Work *work)
{
	const char *start = work->bytes + work->pos;
	gsize left = work->len - work->pos;
	const char *lf = memchr(start, '\n', left);

	return (Line){
		.text = start,
		.len = lf ? (gsize)(lf - start) : left,
		.newline = lf != NULL,
	};
}

static bool at_end(const Work *work)
{
	return work->pos == work->len;
}

static void skip_line(Work *work, const Line *line)
{
	work->pos += line->len + (line->newline ? 1 : 0);
	work->n_taken++;
}

static bool put_line(Work *work, const Line *line)
{
	GByteArray *out = work->out;

	if (out->len > 0 && out->data[out->len - 1] != '\n')
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "adds a line after one that has no newline at its end");
	if (out->len + line->len + 1 > APPLY_MAX_FILE_BYTES)
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "the file would grow over %u bytes", APPLY_MAX_FILE_BYTES);
	g_byte_array_append(out, (const guint8 *)line->text, (guint)line->len);
	if (line->newline)
		g_byte_array_append(out, (const guint8 *)"\n", 1);
	work->n_out++;
	return true;
}

static Line diff_line(const Work *work, const DiffLine *line)
{
	Line wanted = {
		.text = (const char *)line->text,
		.len = line->len,
		.newline = !line->no_newline,
	};

	if (work->strip_cr && wanted.len > 0 && wanted.text[wanted.len - 1] == '\r')
		wanted.len--;
	return wanted;
}

static bool same_but_blanks(const Line *a, const Line *b)
{
	gsize i = 0;
	gsize k = 0;

	for (;;) {
		while (i < a->len && g_ascii_isspace(a->text[i]))
			i++;
		while (k < b->len && g_ascii_isspace(b->text[k]))
			k++;
		if (i == a->len || k == b->len)
			return i == a->len && k == b->len;
		if (a->text[i++] != b->text[k++])
			return false;
	}
}

static bool refuse_line(Work *work, const Line *found, const Line *wanted)
{
	guint64 number = work->n_taken + 1;
	g_autofree char *reads = refusal_quote(found->text, found->len);
	g_autofree char *expects = refusal_quote(wanted->text, wanted->len);

	if (found->len == wanted->len && memcmp(found->text, wanted->text, found->len) == 0)
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "line %" G_GUINT64_FORMAT " reads %s %s", number, reads,
			      found->newline ? "and ends in a newline where the patch expects none"
					     : "without a newline where the patch expects one");
	return refuse(work->failure, work->error, work->file->path, work->hunk,
		      "line %" G_GUINT64_FORMAT " reads %s where the patch expects %s%s", number,
		      reads, expects,
		      same_but_blanks(found, wanted) ? " (only white space differs)" : "");
}

static bool take_old_line(Work *work, const DiffLine *line)
{
	Line wanted = diff_line(work, line);

	if (at_end(work)) {
		g_autofree char *expects = refusal_quote(wanted.text, wanted.len);
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "the file ends after line %" G_GUINT64_FORMAT
			      " where the patch expects %s",
			      work->n_taken, expects);
	}

	Line found = peek_line(work);
	if (found.len != wanted.len || found.newline != wanted.newline ||
	    memcmp(found.text, wanted.text, found.len) != 0)
		return refuse_line(work, &found, &wanted);
	if (line->sign == ' ' && !put_line(work, &found))
		return false;
	skip_line(work, &found);
	return true;
}

static bool take_lines(Work *work, const DiffHunk *hunk)
{
	for (guint i = 0; i < hunk->lines->len; i++) {
		const DiffLine *line = &g_array_index(hunk->lines, DiffLine, i);

		if (line->sign == '+') {
			Line added = diff_line(work, line);
			if (!put_line(work, &added))
				return false;
		} else if (!take_old_line(work, line)) {
			return false;
		}
	}
	return true;
}

/* Lines of the new content that stand before the hunk. */
static guint64 hunk_place(const DiffHunk *hunk)
{
	if (hunk->old_start <= 1)
		return 0;
	/* diff(1) names the line before when a side is empty. */
	if (hunk->new_count == 0)
		return hunk->new_start;
	return hunk->new_start > 0 ? hunk->new_start - 1 : 0;
}

/* Copies what stands before the hunk. */
static bool go_to_hunk(Work *work, const DiffHunk *hunk)
{
	guint64 place = hunk_place(hunk);

	if (place < work->n_out)
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "it starts at line %" G_GUINT64_FORMAT
			      " of the result, before the end of the hunk above it",
			      place + 1);
	while (work->n_out < place) {
		if (at_end(work))
			return refuse(
				work->failure, work->error, work->file->path, work->hunk,
				"it starts at line %u, but the file has only %" G_GUINT64_FORMAT
				" lines",
				hunk->old_start, work->n_taken);
		Line line = peek_line(work);
		if (!put_line(work, &line))
			return false;
		skip_line(work, &line);
	}
	return true;
}

static bool changes_lines(const DiffHunk *hunk)
{
	for (guint i = 0; i < hunk->lines->len; i++) {
		if (g_array_index(hunk->lines, DiffLine, i).sign != ' ')
			return true;
	}
	return false;
}

static bool has_context_after(const DiffHunk *hunk)
{
	guint n = hunk->lines->len;

	return n > 0 && g_array_index(hunk->lines, DiffLine, n - 1).sign == ' ';
}

static bool take_hunk(Work *work, const DiffHunk *hunk)
{
	if (!hunk->complete)
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "it does not have the lines that \"@@ -%u,%u +%u,%u @@\" counts",
			      hunk->old_start, hunk->old_count, hunk->new_start, hunk->new_count);
	if (!changes_lines(hunk))
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "it changes nothing");
	if (!go_to_hunk(work, hunk) || !take_lines(work, hunk))
		return false;
	if (has_context_after(hunk) || at_end(work))
		return true;

	Line next = peek_line(work);
	g_autofree char *reads = refusal_quote(next.text, next.len);
	return refuse(
		work->failure, work->error, work->file->path, work->hunk,
		"it has no context after its change, so it must stand at the end of the file, "
		"but line %" G_GUINT64_FORMAT " (%s) follows",
		work->n_taken + 1, reads);
}

static bool take_rest(Work *work)
{
	gsize left = work->len - work->pos;

	if (left == 0)
		return true;
	if (work->out->len + left > APPLY_MAX_FILE_BYTES)
		return refuse(work->failure, work->error, work->file->path, work->hunk,
			      "the file would grow over %u bytes", APPLY_MAX_FILE_BYTES);
	g_byte_array_append(work->out, (const guint8 *)work->bytes + work->pos, (guint)left);
	return true;
}

GBytes *hunk_apply(GBytes *old, const DiffFile *file, bool strip_cr, ApplyFailure *out_failure,
		   GError **error)
{
	g_return_val_if_fail(old != NULL && file != NULL && out_failure != NULL, NULL);

	g_autoptr(GByteArray) out = g_byte_array_new();
	Work work = {
		.file = file,
		.strip_cr = strip_cr,
		.out = out,
		.failure = out_failure,
		.error = error,
	};

	work.bytes = g_bytes_get_data(old, &work.len);
	for (guint i = 0; i < file->hunks->len; i++) {
		work.hunk = i + 1;
		if (!take_hunk(&work, file->hunks->pdata[i]))
			return NULL;
	}
	return take_rest(&work) ? g_byte_array_free_to_bytes(g_steal_pointer(&out)) : NULL;
}

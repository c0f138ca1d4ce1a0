/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damage.h"
#include "mailparse/diff.h"
#include "mailparse/diffpath.h"
#include "mailparse/limits.h"
#include "mailparse/patchtext.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const DiffHunk *hunk, const uint8_t *start, const uint8_t *end)
{
	for (guint i = 0; i < hunk->lines->len; i++) {
		const DiffLine *line = &g_array_index(hunk->lines, DiffLine, i);

		g_assert_nonnull(strchr(" +-", line->sign));
		g_assert_true(line->text >= start && line->text + line->len <= end);
		g_assert_null(memchr(line->text, '\n', line->len));
	}
}

static void check_file(const DiffFile *file, const uint8_t *start, const uint8_t *end)
{
	g_assert_nonnull(file->path);
	g_assert_cmpuint(strlen(file->path), <=, DIFF_MAX_PATH_BYTES);
	g_assert_true((file->old_path == NULL) == (file->status == DIFF_STATUS_ADDED));
	g_assert_true(file->start >= start && file->start + file->len <= end);
	for (guint i = 0; i < file->hunks->len; i++)
		check_lines(g_ptr_array_index(file->hunks, i), start, end);
	g_assert_true(!diffpath_check(file->path, NULL) || file->path[0] != '/');
}

/*
 * The canonical form of one whole file holds nothing else, so reading it again changes nothing.
 * (Where text between two files is dropped, a broken first one may swallow the second.)
 */
static void check_canonical(const Diff *diff)
{
	g_autoptr(GBytes) once = diff_canonical_bytes(diff);
	g_autoptr(Diff) again = diff_parse(once, NULL);

	g_assert_nonnull(again);
	g_assert_cmpuint(again->files->len, ==, diff->files->len);
	g_autoptr(GBytes) twice = diff_canonical_bytes(again);
	g_assert_true(g_bytes_equal(once, twice));
}

static void check_damage(const Damage *damage)
{
	g_autofree char *says = damage_sentence(damage);

	g_assert_true(g_utf8_validate(says, -1, NULL));
	g_assert_true((damage->line == 0) == (damage->text == NULL));
	g_assert_nonnull(patch_damage_name(damage->kind));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
	g_autoptr(GBytes) bare = patchtext_unquote(bytes, 1);
	g_autoptr(GError) error = NULL;
	g_autoptr(Diff) diff = diff_parse(bytes, &error);

	g_assert_nonnull(bare);
	g_assert_true((diff == NULL) == (error != NULL));
	if (diff == NULL || diff->files->len == 0)
		return 0;
	for (guint i = 0; i < diff->files->len; i++)
		check_file(g_ptr_array_index(diff->files, i), data, data + size);
	g_autofree char *id = diff_patch_id(diff);
	g_assert_true(id == NULL || strlen(id) == 40);
	g_autoptr(Damage) damage = damage_find(diff, PATCH_DAMAGE_NONE, NULL);
	if (damage != NULL)
		check_damage(damage);
	const DiffFile *first = g_ptr_array_index(diff->files, 0);
	if (diff->files->len == 1 && first->complete)
		check_canonical(diff);
	return 0;
}

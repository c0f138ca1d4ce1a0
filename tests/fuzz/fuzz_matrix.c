/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/lkp.h"
#include "bot/run/lkpselect.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be asked for every key. */
static void check_rows(const Matrix *matrix, const Matrix *other)
{
	for (guint i = 0; i < matrix->rows->len; i++) {
		const MatrixRow *row = g_ptr_array_index(matrix->rows, i);
		g_autoptr(Sample) sample = matrix_sample(matrix, row->key);
		g_autoptr(Sample) padded = matrix_padded(matrix, row->key);

		g_assert_null(strpbrk(row->key, " \t\r\n"));
		g_assert_true(matrix_find(matrix, row->key) == row);
		g_assert_cmpuint(sample->n + sample->n_missing, ==, matrix_n_complete(matrix));
		g_assert_cmpuint(padded->n, ==, matrix_n_complete(matrix));
		g_assert_true(isfinite(matrix_sum(matrix, row->key)));
		g_assert_false(lkpselect_is_shown(matrix, matrix, row->key));
		(void)lkpselect_is_shown(matrix, other, row->key);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Matrix) matrix = matrix_parse((const char *)data, size, "input", &error);

	g_assert_true((matrix == NULL) == (error != NULL));
	if (matrix == NULL)
		return 0;
	g_assert_cmpuint(matrix->sources->len, ==, matrix->n_runs);

	/* What we write, we read. */
	g_autofree char *json = matrix_to_json(matrix);
	g_autoptr(Matrix) back = matrix_parse(json, strlen(json), "output", &error);
	g_assert_no_error(error);
	g_assert_cmpuint(back->n_runs, ==, matrix->n_runs);
	check_rows(matrix, back);
	return 0;
}

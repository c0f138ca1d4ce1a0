/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/axes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_axes(const void *a, const void *b)
{
	const Axis *left = a;
	const Axis *right = b;
	g_autofree char *left_text = g_strconcat(left->key, "=", left->value, NULL);
	g_autofree char *right_text = g_strconcat(right->key, "=", right->value, NULL);

	/* The "=" takes part: "fs2=" sorts before "fs=" because '2' is less than '='. */
	return strcmp(left_text, right_text);
}

static void append_joined(GString *out, const Axis *axes, gsize n, bool keys)
{
	for (gsize i = 0; i < n; i++) {
		if (i > 0)
			g_string_append_c(out, '/');
		g_string_append(out, keys ? axes[i].key : axes[i].value);
	}
}

char *axes_lines(const Axis *axes, gsize n)
{
	g_autofree Axis *sorted = g_memdup2(axes, n * sizeof(*axes));
	GString *out = g_string_new(NULL);

	if (n > 0)
		qsort(sorted, n, sizeof(*sorted), compare_axes);
	append_joined(out, sorted, n, true);
	g_string_append(out, ":\n  ");
	append_joined(out, sorted, n, false);
	g_string_append_c(out, '\n');
	return g_string_free(out, FALSE);
}

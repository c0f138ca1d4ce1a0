/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/suggest.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

static guint least(guint a, guint b, guint c)
{
	return MIN(MIN(a, b), c);
}

static bool same_letter(char a, char b)
{
	return g_ascii_tolower(a) == g_ascii_tolower(b);
}

/*
 * How many letters were left out, added, changed or swapped with their neighbour ("ulr" is one off
 * "url"), without case: optimal string alignment, three rows of the table at a time.
 */
static guint edit_distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	g_autofree guint *swapped = g_new0(guint, n + 1);
	g_autofree guint *before = g_new(guint, n + 1);
	g_autofree guint *now = g_new(guint, n + 1);

	for (size_t k = 0; k <= n; k++)
		before[k] = (guint)k;
	for (size_t i = 0; a[i] != '\0'; i++) {
		now[0] = (guint)i + 1;
		for (size_t k = 0; k < n; k++) {
			now[k + 1] = least(before[k] + !same_letter(a[i], b[k]), before[k + 1] + 1,
					   now[k] + 1);
			if (i > 0 && k > 0 && same_letter(a[i], b[k - 1]) &&
			    same_letter(a[i - 1], b[k]))
				now[k + 1] = MIN(now[k + 1], swapped[k - 1] + 1);
		}
		guint *oldest = g_steal_pointer(&swapped);
		swapped = g_steal_pointer(&before);
		before = g_steal_pointer(&now);
		now = oldest;
	}
	return before[n];
}

#define LONGEST_WORD 64

const char *suggest(const char *wrong, const char *const *words)
{
	const char *best = NULL;
	guint best_distance = 0;

	if (strlen(wrong) > LONGEST_WORD)
		return NULL;
	for (; *words != NULL; words++) {
		guint distance = edit_distance(wrong, *words);
		if (distance <= 1 + strlen(*words) / 4 &&
		    (best == NULL || distance < best_distance)) {
			best = *words;
			best_distance = distance;
		}
	}
	return best;
}

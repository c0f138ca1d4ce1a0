/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/threads.h"

void threads_init(Threads *threads)
{
	threads->index = g_hash_table_new(g_str_hash, g_str_equal);
	threads->parents = g_array_new(FALSE, FALSE, sizeof(guint));
}

void threads_clear(Threads *threads)
{
	g_clear_pointer(&threads->index, g_hash_table_unref);
	g_clear_pointer(&threads->parents, g_array_unref);
}

static guint *parent_of(Threads *threads, guint position)
{
	return &g_array_index(threads->parents, guint, position);
}

static guint position_of(Threads *threads, const char *id)
{
	gpointer known = g_hash_table_lookup(threads->index, id);

	if (known != NULL)
		return GPOINTER_TO_UINT(known) - 1;
	guint position = threads->parents->len;
	g_array_append_val(threads->parents, position);
	g_hash_table_insert(threads->index, (gpointer)(gsize)id, GUINT_TO_POINTER(position + 1));
	return position;
}

guint threads_of(Threads *threads, const char *id)
{
	guint position = position_of(threads, id);

	while (*parent_of(threads, position) != position) {
		*parent_of(threads, position) = *parent_of(threads, *parent_of(threads, position));
		position = *parent_of(threads, position);
	}
	return position;
}

void threads_join(Threads *threads, const char *a, const char *b)
{
	guint root_a = threads_of(threads, a);
	guint root_b = threads_of(threads, b);

	*parent_of(threads, MAX(root_a, root_b)) = MIN(root_a, root_b);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_main - runs a fuzz target over its corpus without a fuzzing engine, so that each build
 * does.
 *
 * Usage: fuzz_NAME FOLDER...  Each file goes in whole, cut at every byte (files up to
 * TRUNCATE_MAX_BYTES), and with bytes changed by a fixed pseudo-random sequence: a run is the same
 * on every machine.  Each input is a heap block of its exact size, where AddressSanitizer sees one
 * byte too many.
 */
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TRUNCATE_MAX_BYTES 4096u
#define MUTATIONS 200u
#define MUTATION_MAX_CHANGES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const char *data, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_cut(const char *data, size_t size)
{
	for (size_t n = 0; size <= TRUNCATE_MAX_BYTES && n < size; n++)
		run(data, n);
}

/* Bytes that mean something to most of our parsers come more often than others. */
static char pick_byte(GRand *rand)
{
	static const char marks[] = "\n\r\t \"'<>()[]{}:;,=?@/\\-+%0";

	if (g_rand_boolean(rand))
		return marks[g_rand_int_range(rand, 0, (gint32)sizeof(marks))];
	return (char)g_rand_int_range(rand, 0, 256);
}

static void run_mutated(const char *data, size_t size, GRand *rand)
{
	g_autofree char *copy = g_malloc(size + 1);

	for (unsigned i = 0; size > 0 && i < MUTATIONS; i++) {
		gint32 n_changes = g_rand_int_range(rand, 1, MUTATION_MAX_CHANGES + 1);

		memcpy(copy, data, size);
		while (n_changes-- > 0)
			copy[g_rand_int_range(rand, 0, (gint32)size)] = pick_byte(rand);
		run(copy, size);
	}
}

static unsigned replay_folder(const char *folder)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	unsigned n_files = 0;

	if (dir == NULL)
		g_error("%s", error->message);
	for (const char *name; (name = g_dir_read_name(dir)) != NULL; n_files++) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *data = NULL;
		gsize size;

		if (!g_file_get_contents(path, &data, &size, &error))
			g_error("%s", error->message);
		run(data, size);
		run_cut(data, size);
		run_mutated(data, size, rand);
	}
	return n_files;
}

int main(int argc, char **argv)
{
	g_log_set_always_fatal((GLogLevelFlags)(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
	for (int i = 1; i < argc; i++) {
		/* A corpus that is not found must not look like one that passed. */
		if (replay_folder(argv[i]) == 0)
			g_error("%s holds no files", argv[i]);
	}
	return argc > 1 ? 0 : 2;
}

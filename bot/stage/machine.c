/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/machine.h"

#include "bot/base/spawn.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

/* The value after "KEY...: " in the first line that starts with @key. */
static char *proc_value(const char *text, const char *key)
{
	g_auto(GStrv) lines = g_strsplit(text == NULL ? "" : text, "\n", -1);

	for (guint i = 0; lines[i] != NULL; i++) {
		const char *colon = strchr(lines[i], ':');
		if (colon != NULL && g_str_has_prefix(lines[i], key))
			return g_strstrip(g_strdup(colon + 1));
	}
	return NULL;
}

static unsigned count_sockets(const char *cpuinfo)
{
	g_auto(GStrv) lines = g_strsplit(cpuinfo == NULL ? "" : cpuinfo, "\n", -1);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; lines[i] != NULL; i++) {
		if (g_str_has_prefix(lines[i], "physical id"))
			g_hash_table_add(seen, lines[i]);
	}
	return MAX(1u, g_hash_table_size(seen));
}

char *machine_describe(void)
{
	g_autofree char *cpuinfo = NULL;
	g_autofree char *meminfo = NULL;

	(void)g_file_get_contents("/proc/cpuinfo", &cpuinfo, NULL, NULL);
	(void)g_file_get_contents("/proc/meminfo", &meminfo, NULL, NULL);
	g_autofree char *model = proc_value(cpuinfo, "model name");
	g_autofree char *memory = proc_value(meminfo, "MemTotal");
	guint64 kib = memory == NULL ? 0 : g_ascii_strtoull(memory, NULL, 10);
	guint64 gib = (kib + 512 * 1024) / (1024 * 1024);

	return g_strdup_printf("%ld threads %u sockets %s with %" G_GUINT64_FORMAT "G memory",
			       sysconf(_SC_NPROCESSORS_ONLN), count_sockets(cpuinfo),
			       model == NULL ? "unknown CPU" : model, gib);
}

char *machine_compiler(void)
{
	const char *argv[] = {"gcc", "-dumpversion", NULL};
	SpawnOptions options = {.argv = argv, .timeout_ms = 5000, .max_output = 100};
	g_auto(SpawnResult) result = {0};

	if (!spawn_run(&options, &result, NULL) || result.exit_code != 0)
		return NULL;
	return g_strdup_printf("gcc-%s", g_strstrip(result.out));
}

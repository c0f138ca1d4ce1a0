/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/flaw.h"

#include "bot/base/git.h"

#include <string.h>
#include <sys/stat.h>

char *flaw_of_text(const char *text)
{
	if (!g_utf8_validate(text, -1, NULL))
		return g_strdup("is no UTF-8; save the file as UTF-8");
	for (const char *c = text; *c != '\0'; c += g_utf8_skip[(guchar)*c]) {
		if (g_unichar_iscntrl(g_utf8_get_char(c)))
			return g_strdup_printf(
				"holds the control byte \\x%02x; write it in one line "
				"without \\n, \\t and the like",
				(guchar)*c);
	}
	return NULL;
}

char *flaw_of_name(const char *name)
{
	if (*name != '.' && *name != '-' && strchr(name, '/') == NULL)
		return NULL;
	return g_strdup("is no plain name; write it without path, like make-check");
}

char *flaw_of_branch(const char *name)
{
	g_autofree char *ref = g_strconcat("refs/heads/", name, NULL);
	int valid = 0;

	if (git_reference_name_is_valid(&valid, ref) == 0 && valid)
		return NULL;
	return g_strdup("is no name git takes for a branch; see git-check-ref-format(1)");
}

/* The nearest part of @path that is there: a place can be made only below a folder. */
char *flaw_of_place(const char *path, bool folder)
{
	g_autofree char *part = g_strdup(path);
	struct stat st = {0};

	while (stat(part, &st) != 0 && strcmp(part, "/") != 0) {
		char *parent = g_path_get_dirname(part);
		g_free(part);
		part = parent;
	}
	bool is_folder = S_ISDIR(st.st_mode);
	bool whole = strcmp(part, path) == 0;
	if (whole ? is_folder == folder : is_folder)
		return NULL;
	if (whole)
		return g_strdup(folder ? "is there and no folder; name a folder"
				       : "is a folder; name a file");
	return g_strdup_printf("cannot be: %s is no folder; name a place below one", part);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * faults - all that is wrong with a configuration, collected, each with its place.
 *
 * libgit2 does not say in which line a key stands, so the file's own lines are scanned for it; a
 * key that comes from an included file is named by section and key alone.  Private to config.
 */

#include <glib.h>

typedef struct {
	char *path;
	GStrv lines;     /* of the file itself, without what it includes */
	GPtrArray *text; /* (element-type utf8) */
} Faults;

void faults_init(Faults *faults, const char *path, const char *bytes);
void faults_clear(Faults *faults);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Faults, faults_clear)

/**
 * faults_add:
 * @name: (nullable): of the section
 * @key: (nullable): NULL: about the section
 */
void faults_add(Faults *faults, const char *section, const char *name, const char *key,
		const char *format, ...) G_GNUC_PRINTF(5, 6);

/**
 * suggest:
 * @words: NULL-terminated
 *
 * Returns: (nullable): the word nearest to @wrong, when it is near enough to be meant
 */
const char *suggest(const char *wrong, const char *const *words);

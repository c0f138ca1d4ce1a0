/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * faults - all that is wrong with a configuration, collected, each with its place.
 *
 * libgit2 does not say in which line a key stands, so the file's own lines are scanned for it; a
 * key that comes from an included file is said to be in the file or what it includes.  Private to
 * config.
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *path;
	GStrv lines;     /* of the file itself, without what it includes */
	GPtrArray *text; /* (element-type utf8) */
	/* Which mention of a key is at hand: 0 the last, which counts; FAULTS_ELSEWHERE: of another
	 * file. */
	guint mention;
	GHashTable *mentions; /* how often a key was read so far, by its whole name */
} Faults;

#define FAULTS_ELSEWHERE G_MAXUINT

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

/** faults_mention: the key @whole_name is at hand; @elsewhere: in an included file. */
void faults_mention(Faults *faults, const char *whole_name, bool elsewhere);

/** faults_mentioned: the key stands somewhere, even if its value was refused. */
bool faults_mentioned(const Faults *faults, const char *section, const char *name, const char *key);

/** faults_add_at: at a line of @path that is known. */
void faults_add_at(Faults *faults, const char *path, guint line, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

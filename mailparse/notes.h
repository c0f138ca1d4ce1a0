/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * notes - what a cover letter or patch tells tools about its place: what it stands on, what must be
 * there first, which posting it takes the place of.
 */

#include <glib.h>

typedef struct {
	char *base_commit;   /* 40 hex of a "base-commit:" line; NULL                            */
	GStrv prerequisites; /* what must be there first, in order: the 40 hex of
				"prerequisite-patch-id:" as they are, "change-id:NAME" of
				"prerequisite-change-id:", "message-id:ID" of "Depends-on:" and
				"Based-on:" with a Message-ID or a link to an archive; never NULL */
	char *change_id;     /* of "change-id:" (b4) or "Change-Id:"; NULL                       */
	GStrv replaces;      /* Message-IDs of "Supersedes: <ID>", "Link to v1: URL", "v1: URL",
				"Previous version: URL"; never NULL                              */
} PatchNotes;

/**
 * notes_read:
 * @body: text of a cover letter or patch
 *
 * Returns: (transfer full): never NULL
 */
PatchNotes *notes_read(const char *body);
void notes_free(PatchNotes *notes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PatchNotes, notes_free)

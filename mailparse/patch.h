/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * patch - the commit a mail carries: author, title, message and diff.
 *
 * As `git mailinfo -u` reads it (in-body From/Subject/Date, scissors not by default, "---" ends the
 * message), save for the named exceptions in mailparse/README.md.
 */

#include "mailparse/damage.h"
#include "mailparse/diff.h"
#include "mailparse/mailbox.h"
#include "mailparse/message.h"
#include "mailparse/notes.h"

#include <glib.h>
#include <stdint.h>

typedef enum {
	PATCH_LOCATION_INLINE,
	PATCH_LOCATION_ATTACHMENT,
	PATCH_LOCATION_QUOTED,
	PATCH_LOCATION_SCISSORS_INLINE,
} PatchLocation;

typedef struct {
	Mailbox *author; /* in-body From, else who is behind a From that a list rewrote,
			     else the header's; NULL when none is usable                     */
	int64_t date_us; /* in-body Date, else the header's; 0 when none                     */
	int date_offset_min;
	char *title;         /* first line of the commit message, prefix removed                 */
	char *message;       /* body of the commit message without the title, ends in LF or ""   */
	GPtrArray *trailers; /* (element-type Trailer)                                           */
	Diff *diff;          /* never without files                                              */
	char *patch_id;      /* `git patch-id --stable`; NULL where git prints none              */
	PatchLocation location;
	Damage *damage;    /* what happened to it on its way; NULL when nothing shows          */
	PatchNotes *notes; /* of the text that the patch stands in; never NULL                 */
} Patch;

/**
 * patch_from_message:
 *
 * Returns: (transfer full) (nullable): NULL when the mail carries no diff; @error is set only for
 *   MAIL_ERROR_LIMIT
 */
Patch *patch_from_message(const Message *message, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void patch_free(Patch *patch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Patch, patch_free)

/** patch_sha256: (transfer full): 64 hex of diff_canonical_bytes(); not cheap. */
char *patch_sha256(const Patch *patch);

/** patch_location_name: as design.md's JSON spells it. */
const char *patch_location_name(PatchLocation location);

/** patch_damage_kind: of patch->damage, NONE when that is NULL. */
PatchDamage patch_damage_kind(const Patch *patch);

const char *diff_status_name(DiffStatus status);

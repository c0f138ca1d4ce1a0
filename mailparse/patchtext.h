/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * patchtext - where in a mail the patch stands: which parts, quoted or not, behind scissors.
 *
 * Private to the patch reader.  The text of the mail's own parts comes first; a diff there is the
 * patch of a patch mail.  In an answer the attachments win, since the diff in the talk is then
 * mostly an excerpt, unless the attachment is damaged and the diff in the text is not.  Only where
 * neither holds a diff are quote marks taken off.
 */

#include "mailparse/diff.h"
#include "mailparse/message.h"
#include "mailparse/patch.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	Diff *diff;       /* NULL when there is none                                            */
	char *text;       /* what git mailinfo would read: all parts up to the diff, UTF-8, LF  */
	GBytes *attached; /* a whole format-patch mail that is attached; NULL when none         */
	PatchLocation location;
	PatchDamage undone; /* FLOWED or QUOTED_PRINTABLE when that had to be undone, else NONE */
	GBytes *raw;        /* what the diff's bytes were before that; NULL when NONE           */
} PatchText;

/**
 * patchtext_find:
 * @error: LIMIT, of diff_parse()
 *
 * Returns: (transfer full): NULL with @error set only
 */
PatchText *patchtext_find(const Message *message, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void patchtext_free(PatchText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PatchText, patchtext_free)

/**
 * patchtext_unquote:
 *
 * The lines that stand behind @depth quote marks, without them.  Any other line becomes a lone ".",
 * so that it ends a hunk.
 */
GBytes *patchtext_unquote(GBytes *bytes, unsigned depth);

/** patchtext_is_scissors: "-- >8 --" and kin, by the rules of git-mailinfo(1). */
bool patchtext_is_scissors(const char *line, gsize len);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * damagemark - the marks that mailers leave in a diff.
 *
 * Private to damage.  Each function looks for one kind and says where it shows first.
 */

#include "mailparse/damage.h"

typedef struct {
	PatchDamage kind;     /* NONE: nothing was found                               */
	const DiffFile *file; /* NULL when it shows in none                            */
	const char *at;       /* into the bad line, in the diff's bytes; NULL for none */
	bool repaired;
} DamageMark;

/* damagecut.c: do the lines that the headers count stand there? */

/** damagecut_header: a file's header that a mailer broke, so that its hunks are not read. */
DamageMark damagecut_header(const Diff *diff);

/** damagecut_hunk: a hunk that lacks lines, or has more of them than its header counts. */
DamageMark damagecut_hunk(const Diff *diff);

/** damagecut_stat: fewer files than the diffstat above the diff counts. */
DamageMark damagecut_stat(const Diff *diff);

/* damageline.c: do the lines hold what their writer wrote? */

/** damageline_is_whole: a file that is shown whole has the blob that its index line names. */
bool damageline_is_whole(const Diff *diff);

DamageMark damageline_crlf(const Diff *diff);
DamageMark damageline_nbsp(const Diff *diff);
DamageMark damageline_html(const Diff *diff);
DamageMark damageline_charset(const Diff *diff);
DamageMark damageline_typography(const Diff *diff);
DamageMark damageline_tabs(const Diff *diff);
DamageMark damageline_trailing_space(const Diff *diff);
DamageMark damageline_from(const Diff *diff);

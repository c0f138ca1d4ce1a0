/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * aim - what a request that was heard is about: the patch of its mail, or what stands near the
 * sentence that asks (targets.h), and what is wanted besides (wish.h).
 *
 * Near is the sentence itself, two more behind it and, when those name nothing, two above it that
 * speak of a patch; thanks, bare URLs and samples in between do not count, up to a dozen.  @index:
 * of the sentence in @reading's talk.  Private to request.c.
 */

#include "mailparse/reading.h"
#include "mailparse/request.h"

/** aim_patch_place: where @patch (nullable) stands. */
RequestPatch aim_patch_place(const Patch *patch);

/** aim_default: of a command without a target, or with a repository: the patch that goes along. */
void aim_default(Request *request, const Reading *reading);

/** aim_find: false when the sentence asks for nothing of the writer's; sets `runnable` too. */
bool aim_find(Request *request, const Reading *reading, guint index);

/** aim_is_near: is there a target that does not stand in the mail itself? */
bool aim_is_near(Request *request, const Reading *reading, guint index);

/** aim_take_wishes: Returns: how many there are */
guint aim_take_wishes(Request *request, const Reading *reading, guint index);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * addressee - whom does a sentence speak to?
 *
 * Told from the words alone; who bears the name is for reading.c to judge.  A name begins with a
 * capital, unless "@" or a comma before "could you" makes it one.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * addressee_asked: whom a sentence that asks for something names.
 *
 * "Ann" of "Ann, could you", "Ann: please", "@ann can you", "Hi Ann, can you", "Ann please test",
 * "could you, Ann, test", "could you test it, Ann?", and of "could Ann test".
 *
 * Returns: (transfer full) (nullable): one name or more, as written; NULL when nobody in particular
 *   is spoken to ("Hi all, could you", "Instead, could you")
 */
char *addressee_asked(const char *sentence);

/**
 * addressee_greeted: whom a sentence that says anything greets first: "Hi Ann,", "Thanks, Ann.".
 * @opens: it is the first of the mail, where "Ann, it fails" speaks to Ann, too; elsewhere "Ann,"
 *   counts only with no other word
 *
 * Returns: (transfer full) (nullable): as addressee_asked()
 */
char *addressee_greeted(const char *sentence, bool opens);

/** addressee_is_third: asks for somebody who is not the reader: "Could somebody at the lab test".
 */
bool addressee_is_third(const char *sentence);

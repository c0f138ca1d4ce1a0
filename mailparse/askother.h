/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * askother - what a sentence wants that is no test.  Private to ask.c.
 */

#include <stdbool.h>

/** ask_is_other_work: about the reader's own patch, other work, or the writer's plans. */
bool ask_is_other_work(const char *sentence);

/** ask_is_info: logs, a configuration, a bisection. */
bool ask_is_info(const char *sentence);

/** ask_wants_fact: a question about what was done, that no run would answer. */
bool ask_wants_fact(const char *sentence);

/** ask_is_cancel: the writer withdraws his work. */
bool ask_is_cancel(const char *sentence);

/** ask_is_stop: the reader's mails are not wanted any more. */
bool ask_is_stop(const char *sentence);

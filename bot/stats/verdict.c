/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/verdict.h"

#include <glib.h>

static const char *const verdict_names[] = {
	[VERDICT_REGRESSION] = "regression", [VERDICT_IMPROVEMENT] = "improvement",
	[VERDICT_CHANGE] = "change",         [VERDICT_NO_CHANGE] = "no-change",
	[VERDICT_UNCLEAR] = "unclear",
};

const char *verdict_name(Verdict verdict)
{
	g_return_val_if_fail((size_t)verdict < G_N_ELEMENTS(verdict_names), "unclear");

	return verdict_names[verdict];
}

Verdict verdict_from_name(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verdict_names); i++) {
		if (g_strcmp0(name, verdict_names[i]) == 0)
			return (Verdict)i;
	}
	return VERDICT_UNCLEAR;
}

const char *direction_name(Direction direction)
{
	switch (direction) {
	case DIRECTION_HIGHER_IS_BETTER:
		return "higher";
	case DIRECTION_LOWER_IS_BETTER:
		return "lower";
	case DIRECTION_NONE:
		break;
	}
	return "none";
}

Direction direction_from_name(const char *name)
{
	if (g_strcmp0(name, "higher") == 0)
		return DIRECTION_HIGHER_IS_BETTER;
	if (g_strcmp0(name, "lower") == 0)
		return DIRECTION_LOWER_IS_BETTER;
	return DIRECTION_NONE;
}

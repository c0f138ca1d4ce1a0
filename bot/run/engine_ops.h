/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * engine_ops - what engine.c and the engines share.  Private to bot/run.
 */

#include "bot/run/engine.h"

/* Every engine's own struct begins with this. */
struct Engine {
	const EngineOps *ops;
};

extern const EngineOps engine_local_ops;

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/engine.h"

#include "bot/base/error.h"
#include "bot/run/engine_ops.h"

#include <string.h>

static const EngineOps *const engines[] = {&engine_local_ops};

Engine *engine_open(const char *name, const EngineOptions *options, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(engines); i++) {
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i]->open(options, error);
	}
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "no engine \"%s\"; known: local", name);
	return NULL;
}

bool engine_submit(Engine *engine, const Task *task, GError **error)
{
	return engine->ops->submit(engine, task, error);
}

bool engine_poll(Engine *engine, const char *key, int timeout_ms, TaskState *out_state,
		 GError **error)
{
	return engine->ops->poll(engine, key, timeout_ms, out_state, error);
}

bool engine_cancel(Engine *engine, const char *key, GError **error)
{
	return engine->ops->cancel(engine, key, error);
}

bool engine_collect(Engine *engine, const char *key, TaskResult *out_result, GError **error)
{
	return engine->ops->collect(engine, key, out_result, error);
}

bool engine_reconcile(Engine *engine, GError **error)
{
	return engine->ops->reconcile(engine, error);
}

void engine_close(Engine *engine)
{
	if (engine != NULL)
		engine->ops->close(engine);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/outcome.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/json.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES 16384
#define MAX_STEP_BYTES 32
#define MAX_DETAIL_BYTES 1000

static const char *const outcome_names[] = {
	[TASK_OK] = "ok",       [TASK_FAILED] = "failed", [TASK_TIMEOUT] = "timeout",
	[TASK_LIMIT] = "limit", [TASK_INFRA] = "infra",
};

const char *task_outcome_name(TaskOutcome outcome)
{
	return outcome_names[outcome];
}

void task_result_clear(TaskResult *result)
{
	g_clear_pointer(&result->step, g_free);
	g_clear_pointer(&result->detail, g_free);
	g_clear_pointer(&result->limited_by, g_free);
}

bool outcome_write(const char *path, const TaskResult *result, GError **error)
{
	autojson *root = json_object();

	json_object_set_new(root, "outcome", json_string(task_outcome_name(result->outcome)));
	json_object_set_new(root, "step", json_text(result->step));
	json_object_set_new(root, "detail", json_text(result->detail));
	json_object_set_new(root, "elapsed_s", json_real(result->elapsed_s));
	json_object_set_new(root, "user_s", json_real(result->user_s));
	json_object_set_new(root, "system_s", json_real(result->system_s));
	json_object_set_new(root, "limited_by", json_text(result->limited_by));
	char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	if (text == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_BUG, "cannot format %s", path);
		return false;
	}
	bool ok = fs_write_durable(path, text, strlen(text), 0644, error);
	free(text);
	return ok;
}

static bool refuse(const char *path, const char *key, const char *why, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "%s: %s %s", path, key, why);
	return false;
}

static bool take_text(const json_t *root, const char *path, const char *key, size_t max_len,
		      char **out_text, GError **error)
{
	const char *text = json_string_value(json_object_get(root, key));

	if (text == NULL || strlen(text) > max_len)
		return refuse(path, key, "is missing, no text or too long", error);
	*out_text = g_strdup(text);
	return true;
}

static bool take_seconds(const json_t *root, const char *path, const char *key, double *out_seconds,
			 GError **error)
{
	const json_t *member = json_object_get(root, key);
	double seconds = json_is_number(member) ? json_number_value(member) : -1;

	if (!isfinite(seconds) || seconds < 0)
		return refuse(path, key, "is missing or no time in seconds", error);
	*out_seconds = seconds;
	return true;
}

static bool take_outcome(const json_t *root, const char *path, TaskOutcome *out_outcome,
			 GError **error)
{
	const char *name = json_string_value(json_object_get(root, "outcome"));

	for (size_t i = 0; name != NULL && i < G_N_ELEMENTS(outcome_names); i++) {
		if (strcmp(name, outcome_names[i]) == 0) {
			*out_outcome = (TaskOutcome)i;
			return true;
		}
	}
	return refuse(path, "outcome", "is missing or unknown", error);
}

static bool take_all(const json_t *root, const char *path, TaskResult *result, GError **error)
{
	return take_outcome(root, path, &result->outcome, error) &&
	       take_text(root, path, "step", MAX_STEP_BYTES, &result->step, error) &&
	       take_text(root, path, "detail", MAX_DETAIL_BYTES, &result->detail, error) &&
	       take_text(root, path, "limited_by", MAX_STEP_BYTES, &result->limited_by, error) &&
	       take_seconds(root, path, "elapsed_s", &result->elapsed_s, error) &&
	       take_seconds(root, path, "user_s", &result->user_s, error) &&
	       take_seconds(root, path, "system_s", &result->system_s, error);
}

static bool read_bytes(const char *path, GBytes **out_bytes, GError **error)
{
	GError *reason = NULL;

	*out_bytes = fs_read(path, MAX_BYTES, &reason);
	if (*out_bytes != NULL)
		return true;
	if (reason->code == BOT_ERROR_PERMANENT)
		reason->code = BOT_ERROR_PEER;
	g_propagate_error(error, reason);
	return false;
}

bool outcome_parse(const char *json, gsize len, const char *what, TaskResult *out_result,
		   GError **error)
{
	g_autoptr(GError) reason = NULL;
	g_auto(TaskResult) result = {.outcome = TASK_INFRA};

	autojson *root = json_parse_bytes(json, len, what, &reason);
	if (root == NULL)
		return refuse(what, "it", reason->message, error);
	if (!take_all(root, what, &result, error))
		return false;
	*out_result = result;
	memset(&result, 0, sizeof(result));
	return true;
}

bool outcome_read(const char *path, TaskResult *out_result, GError **error)
{
	g_autoptr(GBytes) bytes = NULL;
	gsize len;

	if (!read_bytes(path, &bytes, error))
		return false;
	const char *text = g_bytes_get_data(bytes, &len);
	return outcome_parse(text != NULL ? text : "", len, path, out_result, error);
}

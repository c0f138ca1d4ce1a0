/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/health.h"

#include "bot/cli/say.h"
#include "bot/daemon/serve.h"
#include "bot/store/cursors.h"
#include "bot/store/processes.h"

#include <string.h>

/* A source that answers says so every ten minutes at least, see cursor_alive(). */
#define OUT_OF_TOUCH_US (INT64_C(30) * 60 * CLOCK_US_PER_S)

/* ---- sources: the configured ones, read or not, and what was read once ---- */

static SourceState *find_state(const GPtrArray *states, const char *name)
{
	for (guint i = 0; i < states->len; i++) {
		SourceState *state = states->pdata[i];
		if (strcmp(state->name, name) == 0)
			return state;
	}
	return NULL;
}

static bool was_read(const SourceState *state)
{
	return state->start_us != 0;
}

/* (element-type SourceState): a source that was never read has only a name. */
static GPtrArray *list_sources(const Cli *cli, GError **error)
{
	g_autoptr(GPtrArray) states = cursor_list(cli->db, error);

	if (states == NULL)
		return NULL;
	for (guint i = 0; i < cli->config->sources->len; i++) {
		const SourceSection *section = cli->config->sources->pdata[i];
		if (find_state(states, section->name) != NULL)
			continue;
		SourceState *state = g_new0(SourceState, 1);
		state->name = g_strdup(section->name);
		state->behind = -1;
		g_ptr_array_add(states, state);
	}
	return g_steal_pointer(&states);
}

/* Longer without mail than silentAfter allows. */
static bool is_silent(const Cli *cli, const SourceSection *section, const SourceState *source)
{
	int64_t came_us = MAX(source->last_mail_us, source->start_us);

	return section != NULL && section->silent_after_us != 0 && was_read(source) &&
	       clock_now_us(cli->clock) - came_us > section->silent_after_us;
}

/* Somebody reads the sources: serve, or a stage that was started by hand. */
static bool is_attended(const Cli *cli, bool *out_attended, GError **error)
{
	*out_attended = serve_is_running(db_state_dir(cli->db));
	if (*out_attended)
		return true;
	g_autoptr(GPtrArray) at_work = processes_at_work(cli->db, error);
	*out_attended = at_work != NULL && at_work->len > 0;
	return at_work != NULL;
}

/* What is said of a source that nobody reads, or that a full disk keeps from being written, is old.
 */
static bool is_out_of_touch(const Cli *cli, const SourceState *source)
{
	return clock_now_us(cli->clock) - source->last_ok_us > OUT_OF_TOUCH_US;
}

static json_t *source_to_json(const Cli *cli, const SourceState *source, bool attended)
{
	g_autofree char *next =
		source->next_try_us == 0 ? NULL : clock_format_iso(source->next_try_us);
	g_autofree char *last =
		source->last_mail_us == 0 ? NULL : clock_format_iso(source->last_mail_us);

	g_autofree char *read =
		source->last_ok_us == 0 ? NULL : clock_format_iso(source->last_ok_us);
	const SourceSection *section = config_find_source(cli->config, source->name);
	bool connected = source->connected && attended && !is_out_of_touch(cli, source);

	return json_pack("{s:o, s:b, s:I, s:o, s:o, s:o, s:o, s:i, s:b, s:b, s:b, s:b}", "name",
			 json_text(source->name), "connected", connected, "behind",
			 (json_int_t)source->behind, "last_read", json_text(read), "last_mail",
			 json_text(last), "last_error", json_text(source->last_error), "next_try",
			 json_text(next), "failures", (int)source->failures, "read",
			 was_read(source), "configured", section != NULL, "observe",
			 section != NULL && section->observe, "silent",
			 is_silent(cli, section, source));
}

json_t *health_sources_json(const Cli *cli, GError **error)
{
	g_autoptr(GPtrArray) sources = list_sources(cli, error);

	if (sources == NULL)
		return NULL;
	bool attended = false;
	if (!is_attended(cli, &attended, error))
		return NULL;
	json_t *list = json_array();
	for (guint i = 0; i < sources->len; i++)
		json_array_append_new(list, source_to_json(cli, sources->pdata[i], attended));
	return list;
}

/* (transfer full) */
static char *contact_of(const Cli *cli, const SourceState *source, bool attended)
{
	g_autofree char *read = clock_format_iso(source->last_ok_us);

	if (!was_read(source))
		return g_strdup("never read");
	if (!attended && source->last_ok_us > 0)
		return g_strdup_printf("read last at %s", read);
	if (source->connected && is_out_of_touch(cli, source))
		return g_strdup_printf("no sign of life since %s", read);
	return g_strdup(source->connected ? "connected" : "not connected");
}

static void say_source(const Cli *cli, const SourceState *source, bool attended)
{
	const SourceSection *section = config_find_source(cli->config, source->name);
	g_autofree char *behind =
		source->behind > 0
			? g_strdup_printf(", %" G_GINT64_FORMAT " behind", source->behind)
			: g_strdup("");

	g_autofree char *came =
		source->last_mail_us == 0 ? NULL : clock_format_iso(source->last_mail_us);

	g_autofree char *contact = contact_of(cli, source, attended);

	say("  %-16s %s%s%s%s%s%s", source->name, contact, behind,
	    came == NULL ? "" : ", last mail ", came == NULL ? "" : came,
	    section == NULL    ? ", not configured any more"
	    : section->observe ? ", observed"
			       : "",
	    is_silent(cli, section, source) ? ": silent for too long" : "");
	if (source->last_error == NULL)
		return;
	g_autofree char *next = clock_format_iso(source->next_try_us);
	say("                   %s; next try %s", source->last_error, next);
}

/* ---- processes ---- */

static json_t *process_to_json(const StoredProcess *process)
{
	g_autofree char *since = clock_format_iso(process->since_us);
	g_autofree char *next =
		process->next_try_us == 0 ? NULL : clock_format_iso(process->next_try_us);

	return json_pack("{s:o, s:I, s:o, s:i, s:o, s:o}", "name", json_text(process->name), "pid",
			 (json_int_t)process->pid, "since", json_text(since), "failures",
			 (int)process->failures, "reason", json_text(process->reason), "next_try",
			 json_text(next));
}

json_t *health_serve_json(const Cli *cli, GError **error)
{
	g_autoptr(GPtrArray) processes = processes_list(cli->db, error);

	if (processes == NULL)
		return NULL;
	json_t *list = json_array();
	for (guint i = 0; i < processes->len; i++)
		json_array_append_new(list, process_to_json(processes->pdata[i]));
	return json_pack("{s:b, s:o}", "running", serve_is_running(db_state_dir(cli->db)),
			 "processes", list);
}

static void say_process(const Cli *cli, const StoredProcess *process, bool serving)
{
	g_autofree char *since = clock_format_iso(process->since_us);
	g_autofree char *next = clock_format_iso(process->next_try_us);
	g_autofree char *times = counted(process->failures, "time", "times");
	bool is_young = clock_now_us(cli->clock) - process->since_us < SERVE_HEALTHY_US;

	if (process->reason == NULL)
		return;
	if (process->pid == 0 && process->next_try_us == 0)
		say("  %s %s at %s and stays down: correct the configuration", process->name,
		    process->reason, since);
	else if (serving && process->pid == 0)
		say("  %s %s, %s in a row; started again at %s", process->name, process->reason,
		    times, next);
	else if (serving && is_young)
		say("  %s was started again at %s; before that it %s, %s in a row", process->name,
		    since, process->reason, times);
}

/* run-once, or a stage started by hand, works without `serve`. */
static void say_not_serving(const GPtrArray *at_work)
{
	g_autoptr(GString) who = g_string_new(NULL);

	for (guint i = 0; i < at_work->len; i++)
		g_string_append_printf(who, "%s%s", i == 0 ? "" : ", ", (char *)at_work->pdata[i]);
	if (at_work->len > 0)
		say("serve: not running; at work without it: %s", who->str);
	else
		say("serve: not running; `lorebot serve` starts it");
}

static bool say_serve(const Cli *cli, GError **error)
{
	const char *state_dir = db_state_dir(cli->db);
	bool serving = serve_is_running(state_dir);
	g_autoptr(GPtrArray) processes = processes_list(cli->db, error);
	g_autoptr(GPtrArray) at_work = processes == NULL ? NULL : processes_at_work(cli->db, error);

	if (at_work == NULL)
		return false;
	if (serving)
		say("serve: running, %u processes", processes->len);
	else
		say_not_serving(at_work);
	if (serving && !serve_began_with(state_dir, cli->config))
		say("  the configuration has changed since it started; restart serve to use it");
	for (guint i = 0; i < processes->len; i++)
		say_process(cli, processes->pdata[i], serving);
	return true;
}

bool health_say(const Cli *cli, GError **error)
{
	g_autoptr(GPtrArray) sources = list_sources(cli, error);

	bool attended = false;

	if (sources == NULL || !is_attended(cli, &attended, error) || !say_serve(cli, error))
		return false;
	say("sources:%s", sources->len == 0 ? " none configured" : "");
	for (guint i = 0; i < sources->len; i++)
		say_source(cli, sources->pdata[i], attended);
	return true;
}

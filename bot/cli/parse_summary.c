/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/parse_summary.h"

#include "bot/base/json.h"

#include <string.h>

struct ParseSummary {
	guint64 n_mails, n_patches, n_act, n_runnable;
	/* from names to how often */
	GHashTable *kinds, *damaged, *requests, *refused;
};

static GHashTable *counts_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void count(GHashTable *counts, const char *name)
{
	gsize n = GPOINTER_TO_SIZE(g_hash_table_lookup(counts, name));

	g_hash_table_insert(counts, g_strdup(name), GSIZE_TO_POINTER(n + 1));
}

ParseSummary *parse_summary_new(void)
{
	ParseSummary *summary = g_new0(ParseSummary, 1);

	summary->kinds = counts_new();
	summary->damaged = counts_new();
	summary->requests = counts_new();
	summary->refused = counts_new();
	return summary;
}

void parse_summary_free(ParseSummary *summary)
{
	if (summary == NULL)
		return;
	g_hash_table_unref(summary->kinds);
	g_hash_table_unref(summary->damaged);
	g_hash_table_unref(summary->requests);
	g_hash_table_unref(summary->refused);
	g_free(summary);
}

void parse_summary_add(ParseSummary *summary, const Mail *mail)
{
	const char *damage =
		mail->patch == NULL ? NULL : patch_damage_name(patch_damage_kind(mail->patch));

	summary->n_mails++;
	summary->n_patches += mail->patch != NULL;
	summary->n_act += mail->request->act;
	summary->n_runnable += mail->request->runnable;
	count(summary->kinds, mail_kind_name(mail->kind));
	count(summary->requests, request_kind_name(mail->request->kind));
	if (damage != NULL)
		count(summary->damaged, damage);
}

/* "line 12: the mail has ..." differs from mail to mail. */
static const char *without_line(const char *message)
{
	const char *rest = g_str_has_prefix(message, "line ") ? strstr(message, ": ") : NULL;

	return rest == NULL ? message : rest + 2;
}

void parse_summary_add_refusal(ParseSummary *summary, const GError *why)
{
	count(summary->refused, without_line(why->message));
}

static json_t *counts_to_json(GHashTable *counts)
{
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(counts), (GCompareFunc)strcmp);
	json_t *object = json_object();

	for (const GList *at = names; at != NULL; at = at->next) {
		gsize n = GPOINTER_TO_SIZE(g_hash_table_lookup(counts, at->data));
		g_autofree char *name = g_utf8_make_valid(at->data, -1);
		json_object_set_new(object, name, json_integer((json_int_t)n));
	}
	return object;
}

void parse_summary_print(const ParseSummary *summary)
{
	autojson *line = json_pack(
		"{s:I, s:o, s:I, s:o, s:o, s:I, s:I, s:o}", "mails", (json_int_t)summary->n_mails,
		"kinds", counts_to_json(summary->kinds), "patches", (json_int_t)summary->n_patches,
		"damaged", counts_to_json(summary->damaged), "requests",
		counts_to_json(summary->requests), "act", (json_int_t)summary->n_act, "runnable",
		(json_int_t)summary->n_runnable, "refused", counts_to_json(summary->refused));

	json_print_line(stdout, line);
}

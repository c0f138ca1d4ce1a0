/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/facts_metric.h"

#include "bot/report/clean.h"

#include "bot/base/json.h"

#include <math.h>
#include <string.h>

#define SPREAD_WORTH_A_WORD 3.0

json_t *facts_json_short(const char *text)
{
	g_autofree char *line = clean_short(text);

	return json_text(line);
}

json_t *facts_json_line(const char *text)
{
	g_autofree char *line = clean_line(text);

	return json_text(line);
}

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void put_flag(json_t *object, const char *key, bool flag)
{
	put(object, key, json_boolean(flag));
}

static void put_number(json_t *object, const char *key, double number)
{
	put(object, key, isfinite(number) ? json_real(number) : json_null());
}

static void put_count(json_t *object, const char *key, size_t n)
{
	put(object, key, json_integer((json_int_t)n));
}

static json_t *text_of(char *text)
{
	json_t *value = json_text(text);

	g_free(text);
	return value;
}

/* In percent of the base, or in the metric's unit where the base has none (its median is 0). */
static char *print_effect(const ReportMetric *metric, const Comparison *comparison, double effect,
			  bool sign)
{
	if (comparison->has_percent)
		return g_strdup_printf(sign ? "%+.1f%%" : "%.1f%%", effect);

	g_autofree char *number = g_strdup_printf(sign ? "%+.4g" : "%.4g", effect);
	return metric->unit == NULL ? g_steal_pointer(&number)
				    : g_strdup_printf("%s %s", number, metric->unit);
}

static json_t *effect(const ReportMetric *metric, const Comparison *comparison, double effect_size,
		      bool sign)
{
	if (!isfinite(effect_size))
		return json_null();
	return text_of(print_effect(metric, comparison, effect_size, sign));
}

static json_t *interval(const ReportMetric *metric, const Comparison *comparison)
{
	if (!comparison->has_interval || !isfinite(comparison->low) || !isfinite(comparison->high))
		return json_null();
	g_autofree char *low = print_effect(metric, comparison, comparison->low, true);
	g_autofree char *high = print_effect(metric, comparison, comparison->high, true);
	return text_of(g_strdup_printf("%s to %s", low, high));
}

static void put_verdict(json_t *object, Verdict verdict)
{
	g_autofree char *words = g_strdelimit(g_strdup(verdict_name(verdict)), "-", ' ');

	put(object, "verdict", json_string(verdict_name(verdict)));
	put(object, "verdict_text", json_string(words));
	put_flag(object, "is_regression", verdict == VERDICT_REGRESSION);
	put_flag(object, "is_improvement", verdict == VERDICT_IMPROVEMENT);
	put_flag(object, "is_change", verdict == VERDICT_CHANGE);
	put_flag(object, "is_no_change", verdict == VERDICT_NO_CHANGE);
	put_flag(object, "is_unclear", verdict == VERDICT_UNCLEAR);
	put_flag(object, "is_significant",
		 verdict != VERDICT_NO_CHANGE && verdict != VERDICT_UNCLEAR);
}

static void put_numbers(json_t *object, const Comparison *comparison)
{
	put_count(object, "n_base", comparison->n_base);
	put_count(object, "n_head", comparison->n_head);
	put_number(object, "p", comparison->p);
	put_number(object, "shift", comparison->shift);
	put_number(object, "low", comparison->has_interval ? comparison->low : NAN);
	put_number(object, "high", comparison->has_interval ? comparison->high : NAN);
	put_number(object, "smallest_effect", comparison->smallest_effect);
	put_count(object, "n_plan", comparison->n_plan);
	put_count(object, "n_min", comparison->n_min);
	put_flag(object, "identical", comparison->identical);
	put_flag(object, "runs_missing", comparison->runs_missing);
	put_flag(object, "below_threshold", comparison->below_threshold);
	put_flag(object, "ratio_scale", comparison->ratio_scale);
	put_flag(object, "has_percent", comparison->has_percent);
	put_flag(object, "negative_base", comparison->negative_base);
	put_flag(object, "spread_differs", comparison->spread_ratio > SPREAD_WORTH_A_WORD);
}

static json_t *comparison_to_json(const ReportMetric *metric, const Comparison *comparison)
{
	json_t *object = json_object();

	put_verdict(object, comparison->verdict);
	put_numbers(object, comparison);
	put(object, "size", effect(metric, comparison, fabs(comparison->shift), false));
	put(object, "change", effect(metric, comparison, comparison->shift, true));
	put(object, "interval", interval(metric, comparison));
	put(object, "p_text", text_of(g_strdup_printf("%.2g", comparison->p)));
	put(object, "smallest_effect_text",
	    effect(metric, comparison, comparison->smallest_effect, false));
	put(object, "reachable_text",
	    effect(metric, comparison, comparison->reachable_delta, false));
	put(object, "spread_text",
	    comparison->spread_ratio > SPREAD_WORTH_A_WORD
		    ? text_of(g_strdup_printf("%.0f", comparison->spread_ratio))
		    : json_null());
	return object;
}

static const char *direction_text(Direction direction)
{
	switch (direction) {
	case DIRECTION_HIGHER_IS_BETTER:
		return "higher is better";
	case DIRECTION_LOWER_IS_BETTER:
		return "lower is better";
	case DIRECTION_NONE:
		break;
	}
	return "neither way is better";
}

json_t *facts_metric_to_json(const ReportMetric *metric, const char *headline)
{
	json_t *object = json_object();

	put_count(object, "position", metric->position);
	put(object, "key", facts_json_line(metric->key));
	put(object, "unit", facts_json_line(metric->unit));
	put(object, "direction", json_string(direction_name(metric->direction)));
	put(object, "direction_text", json_string(direction_text(metric->direction)));
	put_number(object, "delta", metric->delta);
	put(object, "delta_text", text_of(g_strdup_printf("%.3g%%", 100 * metric->delta)));
	put_flag(object, "is_headline", g_strcmp0(metric->key, headline) == 0);
	put_verdict(object, metric->first.verdict);
	put_flag(object, "confirmed", metric->confirmed);
	put(object, "first", comparison_to_json(metric, &metric->first));
	put(object, "second",
	    metric->confirmed ? comparison_to_json(metric, &metric->second) : json_null());
	return object;
}

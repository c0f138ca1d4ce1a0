/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * health - how the sources and the processes of `lorebot serve` are, for `lorebot status`.
 */

#include "bot/base/json.h"
#include "bot/cli/cli.h"

/** health_serve_json: (transfer full): {"running", "processes"}; NULL with @error set. */
json_t *health_serve_json(const Cli *cli, GError **error);

/** health_sources_json: (transfer full): configured ones, then those the store knows from before.
 */
json_t *health_sources_json(const Cli *cli, GError **error);

/** health_say: both, for a person. */
bool health_say(const Cli *cli, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

const Command *const *cli_commands(void)
{
	static const Command *const all[] = {
		&command_parse,
		&command_series,
		&command_apply,
		&command_compare,
		&command_config,
		&command_serve,
		&command_run_once,
		&command_doctor,
		&command_status,
		&command_queue,
		&command_show,
		&command_approve,
		&command_reject,
		&command_backlog,
		&command_pause,
		&command_resume,
		&command_stop_all,
		&command_intake,
		&command_understand,
		&command_plan,
		&command_build,
		&command_run,
		&command_report,
		&command_send,
		NULL,
	};
	return all;
}

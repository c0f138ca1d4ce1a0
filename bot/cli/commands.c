/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

static const Command *const mails[] = {&command_parse, &command_series, NULL};
static const Command *const repositories[] = {&command_apply, &command_compare, NULL};
static const Command *const setting_up[] = {&command_config, &command_doctor, NULL};
static const Command *const running[] = {&command_serve, &command_run_once, NULL};
static const Command *const looking[] = {&command_status, &command_queue, &command_show, NULL};
static const Command *const deciding[] = {
	&command_approve, &command_reject,   &command_retry,  &command_backlog,
	&command_pause,   &command_stop_all, &command_resume, NULL};
static const Command *const stages[] = {
	&command_intake, &command_understand, &command_plan, &command_build,
	&command_run,    &command_report,     &command_send, NULL,
};

const CommandGroup *cli_groups(void)
{
	static const CommandGroup all[] = {
		{"set up", setting_up},
		{"run", running},
		{"look", looking},
		{"decide", deciding},
		{"look into mails (no configuration needed)", mails},
		{"build and compare by hand (no configuration needed)", repositories},
		{"single stages, as serve runs them", stages},
		{NULL, NULL},
	};
	return all;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/cli/cli.h"
#include "bot/cli/say.h"
#include "bot/intake/inbox_source_fetch.h"
#include "bot/intake/source.h"
#include "bot/net/link.h"
#include "config/keys.h"

#include <stdio.h>
#include <string.h>

/* One examination; what fails once is not asked further. */
typedef struct {
	const char *name; /* of what is looked at, "source lab" or "send"                         */
	bool json;
	bool failed;
} Patient;

static void tell(Patient *patient, const char *step, const char *detail, const GError *why)
{
	patient->failed |= why != NULL;
	if (patient->json) {
		autojson *line = json_pack("{s:o, s:s, s:b, s:o}", "name", json_text(patient->name),
					   "step", step, "ok", why == NULL, "detail",
					   json_text(why == NULL ? detail : why->message));
		json_print_line(stdout, line);
		return;
	}
	const char *text = why != NULL ? why->message : detail;
	say("  %-11s %s%s%s", step, why == NULL ? "ok" : "FAILED", *text == '\0' ? "" : ": ", text);
	fflush(stdout);
}

/* The steps of a connection; they are said in the order in which this kind of url takes them. */
static void try_link(Patient *patient, const LinkOptions *options)
{
	g_autoptr(GError) why = NULL;
	LinkStep failed = LINK_STEP_NAME;
	g_autoptr(Link) link = link_open_watched(options, &failed, &why);

	for (LinkStep step = LINK_STEP_NAME; step < failed; step++) {
		bool skipped = (step == LINK_STEP_TLS && options->clear_text) ||
			       (step == LINK_STEP_LOGIN && options->user == NULL);
		if (!skipped)
			tell(patient, link_step_name(step), "", NULL);
	}
	if (link == NULL)
		tell(patient, link_step_name(failed), "", why);
}

static bool read_secret(Patient *patient, const char *file, const GStrv command, char **out_secret)
{
	g_autoptr(GError) why = NULL;

	*out_secret = NULL;
	if (file == NULL && command == NULL)
		return true;
	*out_secret = secret_read(file, (const char *const *)command, &why);
	tell(patient, "password", "", why);
	return *out_secret != NULL;
}

static bool has_host(const char *url)
{
	return g_ascii_strncasecmp(url, "imap", 4) == 0;
}

/* Up to the "/" behind the host. */
static char *server_of(const char *url)
{
	const char *host = strstr(url, "://");
	const char *slash = host == NULL ? NULL : strchr(host + 3, '/');

	return slash == NULL ? g_strdup(url) : g_strndup(url, (gsize)(slash - url));
}

/* The way an archive is fetched by; its folder is made by the first fetch. */
static bool try_fetch(Patient *patient, const Config *config, const SourceSection *section)
{
	bool is_folder;
	const char *place = source_place(section->url, &is_folder);
	g_autofree char *folder = g_build_filename(place, "git", NULL);
	InboxFetch fetch = {.url = section->fetch,
			    .folder = folder,
			    .ca_file = section->ca_file,
			    .timeout_ms = config->fetch.timeout_ms,
			    .max_bytes = config->fetch.max_bytes,
			    .stop_fd = -1};
	g_autoptr(GError) why = NULL;

	tell(patient, "archive", "", inbox_fetch_look(&fetch, &why) ? NULL : why);
	if (why != NULL || g_file_test(folder, G_FILE_TEST_IS_DIR))
		return why == NULL;
	tell(patient, "mailbox", "nothing was fetched yet", NULL);
	return false;
}

/* Opens it as intake does, from the beginning, and takes one mail; nothing is stored or marked. */
static void try_mail(Patient *patient, const Config *config, const SourceSection *section,
		     const char *password)
{
	g_autoptr(GError) why = NULL;
	g_auto(SourceBatch) batch = {0};
	SourceOptions options = source_options_of(section, &config->fetch, password);

	options.fetch_url = NULL;
	g_autoptr(Source) source = source_open(&options, &why);

	/* libcurl knows no such login, so it was not tried before. */
	if (g_strcmp0(section->mechanism, "ANONYMOUS") == 0) {
		bool refused = g_error_matches(why, BOT_ERROR, BOT_ERROR_PERMANENT);
		tell(patient, "login", "", refused ? why : NULL);
		if (refused)
			return;
	}
	tell(patient, "mailbox", "", why);
	if (source == NULL)
		return;
	if (!source_next(source, 1, &batch, &why)) {
		tell(patient, "first mail", "", why);
		return;
	}
	const SourceMail *mail = batch.mails->len == 0 ? NULL : batch.mails->pdata[0];
	g_autofree char *arrived = mail == NULL ? NULL : clock_format_iso(mail->arrived_us);
	g_autofree char *detail =
		mail == NULL ? g_strdup("there is none")
			     : g_strdup_printf("%s, %" G_GINT64_FORMAT " bytes, arrived %s",
					       mail->locator, mail->size_bytes, arrived);
	g_autofree char *noticed =
		batch.anomaly == NULL ? NULL : g_strdup_printf("%s; but %s", detail, batch.anomaly);
	tell(patient, "first mail", noticed == NULL ? detail : noticed, NULL);
}

static bool examine_source(const Config *config, const SourceSection *section, bool json)
{
	g_autofree char *name = g_strdup_printf("source %s", section->name);
	Patient patient = {.name = name, .json = json};
	g_autofree char *password = NULL;

	if (!json)
		say("%s (%s)", name, section->url);
	if (!read_secret(&patient, section->password_file, section->password_command, &password))
		return false;
	if (has_host(section->url)) {
		g_autofree char *server = server_of(section->url);
		try_link(&patient, &(LinkOptions){.url = server,
						  .user = section->user,
						  .password = password,
						  .mechanism = section->mechanism,
						  .ca_file = section->ca_file,
						  .clear_text = section->clear_text});
	}
	if (!patient.failed && (section->fetch == NULL || try_fetch(&patient, config, section)))
		try_mail(&patient, config, section, password);
	return !patient.failed;
}

static bool examine_send(const SendSection *section, bool json)
{
	Patient patient = {.name = "send", .json = json};
	g_autofree char *password = NULL;

	if (section->transport != TRANSPORT_SMTP)
		return true;
	if (!json)
		say("send (%s)", section->url);
	if (!read_secret(&patient, section->password_file, section->password_command, &password))
		return false;
	try_link(&patient, &(LinkOptions){.url = section->url,
					  .user = section->user,
					  .password = password,
					  .mechanism = section->mechanism,
					  .ca_file = section->ca_file,
					  .clear_text = section->clear_text});
	return !patient.failed;
}

static bool examine_all(const Config *config, bool json)
{
	bool well = true;

	for (guint i = 0; i < config->sources->len; i++)
		well &= examine_source(config, config->sources->pdata[i], json);
	return examine_send(&config->send, json) && well;
}

static bool run_doctor(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	gboolean json = FALSE;
	bool done = false;
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_NONE, &json, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};

	if (!cli_parse_options(&command_doctor, entries, &argc, &argv, &done, error) || done)
		return done;
	const SourceSection *one = NULL;
	if (!cli_find_source(cli->config, argc == 1 ? NULL : argv[1], &one, error))
		return false;
	bool well = one == NULL ? examine_all(cli->config, json)
				: examine_source(cli->config, one, json);
	*out_status = well ? 0 : 1;
	return true;
}

const Command command_doctor = {
	.name = "doctor",
	.needs = NEEDS_CONFIG,
	.run = run_doctor,
	.most_arguments = 1,
	.arguments = "[--json] [SOURCE]",
	.summary = "try each source and the way out step by step, and name what fails",
	.help = "Name, TCP, greeting, TLS, login, mailbox, first mail; of an archive that is\n"
		"fetched, the way to it.  Nothing is stored, marked or sent.  With --json one "
		"object a step.  Exit status 1 when a step failed.",
};

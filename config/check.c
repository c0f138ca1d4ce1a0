/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/check.h"

#include "bot/base/clock.h"
#include "bot/base/fs.h"
#include "config/flaw.h"
#include "config/sections.h"
#include "config/suggest.h"

#include <gio/gio.h>
#include <string.h>

/* ---- identity ---- */

/*
 * Names under which other robots speak on public lists.  Compared by whole words, so "0-DAY CI",
 * "lkp@..." and "lkp-robot" are caught and "talkpool" is not.
 */
static const char *const foreign_names[] = {
	"kernel test robot",
	"kbuild test robot",
	"0 day",
	"0day",
	"lkp",
	"intel com",
	"syzbot",
	"syzkaller",
	"kernelci",
	"kernel ci",
	"patchwork bot",
	"patchew",
	"regzbot",
	"tip bot",
	"bugzilla daemon",
	"linaro tcwg",
	"cki project",
};

static char *as_words(const char *text)
{
	g_autoptr(GString) words = g_string_new(" ");

	for (; *text != '\0'; text++) {
		if (g_ascii_isalnum(*text))
			g_string_append_c(words, g_ascii_tolower(*text));
		else if (words->str[words->len - 1] != ' ')
			g_string_append_c(words, ' ');
	}
	if (words->str[words->len - 1] != ' ')
		g_string_append_c(words, ' ');
	return g_string_free(g_steal_pointer(&words), FALSE);
}

const char *identity_is_foreign(const char *text)
{
	g_autofree char *words = as_words(text == NULL ? "" : text);

	for (size_t i = 0; i < G_N_ELEMENTS(foreign_names); i++) {
		g_autofree char *name = g_strconcat(" ", foreign_names[i], " ", NULL);
		if (strstr(words, name) != NULL)
			return foreign_names[i];
	}
	return NULL;
}

static void check_identity_of(Faults *faults, const char *key, const char *text)
{
	const char *foreign = identity_is_foreign(text);

	if (foreign != NULL)
		faults_add(
			faults, "bot", NULL, key,
			"\"%s\" would pose as another robot (\"%s\"); choose an own name, address "
			"and footer",
			text, foreign);
}

static bool is_domain(const char *text)
{
	return *text != '\0' && *text != '.' && *text != '-' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") ==
		       strlen(text);
}

/* Elsewhere 0 switches a limit off, so who writes it here may have meant that. */
static void refuse_zero(Faults *faults, const char *section, const char *key, int64_t value,
			const char *what)
{
	if (value == 0)
		faults_add(faults, section, NULL, key, "0 would %s", what);
}

static void check_bot(const BotSection *bot, Faults *faults)
{
	check_identity_of(faults, "name", bot->name);
	check_identity_of(faults, "footer", bot->footer);
	check_identity_of(faults, "idDomain", bot->id_domain);
	if (bot->address != NULL) {
		check_identity_of(faults, "address", bot->address->name);
		check_identity_of(faults, "address", bot->address->addr);
	}
	refuse_zero(faults, "bot", "maxAgePatches", bot->max_age_patches_us,
		    "test no series unasked; list.unasked = none says so, 7d is usual");
	refuse_zero(faults, "bot", "maxAgeRequests", bot->max_age_requests_us,
		    "answer no request; 30d is usual");
	refuse_zero(faults, "bot", "requestsPerSender", bot->requests_per_sender,
		    "answer no request; 20 is usual");
	refuse_zero(faults, "bot", "requestsPerDay", bot->requests_per_day,
		    "answer no request; 100 is usual");
	if (bot->id_domain != NULL && !is_domain(bot->id_domain))
		faults_add(faults, "bot", NULL, "idDomain", "\"%s\" is no domain name",
			   bot->id_domain);
}

/* ---- required keys, names ---- */

static void check_required(const SectionKind *kind, const char *name, void *section, void *payload)
{
	Faults *faults = payload;
	size_t n = 0;
	const Key *keys = keys_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].section, kind->name) == 0 && (keys[i].flags & KEY_REQUIRED) &&
		    !value_is_set(&keys[i], section) &&
		    !faults_mentioned(faults, kind->name, name, keys[i].name))
			faults_add(faults, kind->name, name, NULL, "%s is missing: %s",
				   keys[i].name, keys[i].help);
	}
}

/* ---- places ---- */

static void check_place(Faults *faults, const SectionKind *kind, const char *name, const Key *key,
			const char *path, bool folder)
{
	g_autofree char *flaw = g_path_is_absolute(path) ? flaw_of_place(path, folder) : NULL;

	if (flaw != NULL)
		faults_add(faults, kind->name, name, key->name, "%s %s", path, flaw);
}

static void check_places_of(const SectionKind *kind, const char *name, const void *section,
			    const Key *key, Faults *faults)
{
	const void *at = (const char *)section + key->offset;

	if (key->type == KEY_FOLDERS) {
		const GStrv paths = *(const GStrv *)at;
		for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
			check_place(faults, kind, name, key, paths[i], true);
		return;
	}
	const char *text = *(char *const *)at;
	const char *path;
	bool is_folder;

	if (text == NULL)
		return;
	if (key->type == KEY_FOLDER || key->type == KEY_LOCATION)
		check_place(faults, kind, name, key, text, true);
	else if (key->type == KEY_FILE || key->type == KEY_SECRET_FILE)
		check_place(faults, kind, name, key, text, false);
	else if (key->type == KEY_SOURCE_URL && (path = source_place(text, &is_folder)) != NULL)
		check_place(faults, kind, name, key, path, is_folder);
}

static bool is_place(KeyType type)
{
	return type == KEY_FOLDER || type == KEY_FOLDERS || type == KEY_FILE ||
	       type == KEY_SECRET_FILE || type == KEY_LOCATION || type == KEY_SOURCE_URL;
}

static void check_places(const SectionKind *kind, const char *name, void *section, void *payload)
{
	size_t n = 0;
	const Key *keys = keys_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].section, kind->name) == 0 && is_place(keys[i].type))
			check_places_of(kind, name, section, &keys[i], payload);
	}
}

/* ---- how to log in, and to whom in clear ---- */

typedef struct {
	const char *section;
	const char *name;
	const char *url;
	const char *user;
	bool has_file, has_command;
	bool clear_text;
	const char *mechanism; /* NULL */
} Login;

static bool is_loopback(const char *url)
{
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL);
	const char *host = uri == NULL ? NULL : g_uri_get_host(uri);

	if (host == NULL)
		return false;
	g_autoptr(GInetAddress) address = g_inet_address_new_from_string(host);
	return address == NULL ? g_ascii_strcasecmp(host, "localhost") == 0
			       : g_inet_address_get_is_loopback(address);
}

static bool is_anonymous(const Login *login)
{
	return g_strcmp0(login->mechanism, "ANONYMOUS") == 0;
}

static bool is_imap(const char *url)
{
	return g_ascii_strncasecmp(url, "imap", strlen("imap")) == 0;
}

static void check_mechanism(const Login *login, Faults *faults)
{
	static const char *const of_sources[] = {"ANONYMOUS", "PLAIN",       "LOGIN",
						 "XOAUTH2",   "OAUTHBEARER", NULL};
	bool may_be_anonymous = strcmp(login->section, "source") == 0;
	const char *const *known = of_sources + (may_be_anonymous ? 0 : 1);

	if (login->mechanism == NULL || g_strv_contains(known, login->mechanism))
		return;
	g_autofree char *all = g_strjoinv(", ", (GStrv)(gsize)known);
	faults_add(faults, login->section, login->name, "mechanism",
		   "\"%s\" is not known; write one of %s", login->mechanism, all);
}

static void check_login(const Login *login, Faults *faults)
{
	bool any = login->user != NULL || login->has_file || login->has_command;

	check_mechanism(login, faults);
	if (is_anonymous(login)) {
		if (any)
			faults_add(faults, login->section, login->name, "mechanism",
				   "ANONYMOUS takes neither user nor password; take them out");
		return;
	}
	if (!any && login->url != NULL && is_imap(login->url))
		faults_add(faults, login->section, login->name, "url",
			   "nothing to log in with; set user and passwordFile, or mechanism = "
			   "ANONYMOUS");
	if (login->has_file && login->has_command)
		faults_add(faults, login->section, login->name, "passwordCommand",
			   "passwordFile is set, too; keep one of them");
	if ((login->has_file || login->has_command) && login->user == NULL)
		faults_add(faults, login->section, login->name, NULL,
			   "a password without user; set user");
	if (login->user != NULL && !login->has_file && !login->has_command)
		faults_add(faults, login->section, login->name, "user",
			   "no password; set passwordFile or passwordCommand");
	if (login->clear_text && login->url != NULL && !is_loopback(login->url))
		faults_add(faults, login->section, login->name, "clearText",
			   "allowed for a loopback host only; use TLS for %s", login->url);
}

static void check_source(const SourceSection *source, Faults *faults)
{
	Login login = {"source",
		       source->name,
		       source->url,
		       source->user,
		       source->password_file != NULL,
		       source->password_command != NULL,
		       source->clear_text,
		       source->mechanism};

	check_login(&login, faults);
	if (source->fetch != NULL && source->url != NULL &&
	    !g_str_has_prefix(source->url, "public-inbox:"))
		faults_add(faults, "source", source->name, "fetch",
			   "only a public-inbox:FOLDER is fetched, not %s", source->url);
	if (source->fetch_every_us < CLOCK_US_PER_S)
		faults_add(faults, "source", source->name, "fetchEvery",
			   "less than a second; 5m is usual");
	if (source->since_us > g_get_real_time())
		faults_add(faults, "source", source->name, "since",
			   "is in the future; mail that comes before it would never be read");
	if (source->max_connections == 0)
		faults_add(faults, "source", source->name, "maxConnections",
			   "0 would never connect; set what the server allows, at least 1");
}

static void check_send(const SendSection *send, Faults *faults)
{
	Login login = {"send",
		       NULL,
		       send->url,
		       send->user,
		       send->password_file != NULL,
		       send->password_command != NULL,
		       send->clear_text,
		       send->mechanism};

	check_login(&login, faults);
	refuse_zero(faults, "send", "maxPerDay", send->max_per_day,
		    "let no mail leave; transport = dry-run shows them instead, 50 is usual");
	refuse_zero(faults, "send", "unknownAfter", send->unknown_after_us,
		    "send a mail again while its first copy is under way; 1h is usual");
	if (send->transport == TRANSPORT_SMTP && send->url == NULL)
		faults_add(faults, "send", NULL, "transport", "smtp needs url");
	if (send->transport == TRANSPORT_FILE && send->directory == NULL)
		faults_add(faults, "send", NULL, "transport", "file needs directory");
}

/* ---- lists and runs ---- */

static const char *suggest_tree(const Config *config, const char *wrong)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < config->trees->len; i++)
		g_ptr_array_add(names, ((TreeSection *)config->trees->pdata[i])->name);
	g_ptr_array_add(names, NULL);
	return suggest(wrong, (const char *const *)names->pdata);
}

static bool holds_suite(const char *folder, const char *suite)
{
	g_autofree char *file = g_strconcat(suite, ".yaml", NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static void add_suites_of(const char *folder, GPtrArray *names)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *file;

	while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
		if (g_str_has_suffix(file, ".yaml"))
			g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(".yaml")));
	}
}

/* What the suites say is for those who run them; that they are there can be seen from here. */
static void check_suite(const RunSection *run, const ListSection *list, const char *suite,
			Faults *faults)
{
	g_autofree char *shared = fs_share_path("suites", "");
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	if (holds_suite(shared, suite))
		return;
	for (guint i = 0; run->suite_dirs[i] != NULL; i++) {
		if (holds_suite(run->suite_dirs[i], suite))
			return;
		add_suites_of(run->suite_dirs[i], names);
	}
	add_suites_of(shared, names);
	g_ptr_array_add(names, NULL);
	const char *near = suggest(suite, (const char *const *)names->pdata);
	if (near != NULL)
		faults_add(faults, "list", list->name, "suite",
			   "there is no suite \"%s\"; did you mean \"%s\"?", suite, near);
	else
		faults_add(faults, "list", list->name, "suite",
			   "there is no %s.yaml in run.suiteDir, nor in %s", suite, shared);
}

static void check_list(const Config *config, const ListSection *list, Faults *faults)
{
	for (guint i = 0; list->suites[i] != NULL; i++)
		check_suite(&config->run, list, list->suites[i], faults);
	for (guint i = 0; list->trees != NULL && list->trees[i] != NULL; i++) {
		const char *near = suggest_tree(config, list->trees[i]);

		if (config_find_tree(config, list->trees[i]) != NULL)
			continue;
		if (near != NULL)
			faults_add(faults, "list", list->name, "tree",
				   "there is no [tree \"%s\"]; did you mean \"%s\"?",
				   list->trees[i], near);
		else
			faults_add(faults, "list", list->name, "tree", "there is no [tree \"%s\"]",
				   list->trees[i]);
	}
}

static void check_carried(const Config *config, const SourceSection *source, Faults *faults)
{
	for (guint i = 0; source->lists != NULL && source->lists[i] != NULL; i++) {
		if (config_find_list(config, source->lists[i]) == NULL)
			faults_add(faults, "source", source->name, "list",
				   "there is no [list \"%s\"]", source->lists[i]);
	}
}

static void check_run(const RunSection *run, Faults *faults)
{
	if (run->runs < 3 || run->runs > 1000)
		faults_add(faults, "run", NULL, "runs", "%u is not within 3 and 1000", run->runs);
	if (run->uid == 0)
		faults_add(faults, "run", NULL, "uid",
			   "0 is root, whom no limit binds; use a user id of its own");
	if (strcmp(run->engine, "local") != 0)
		faults_add(faults, "run", NULL, "engine", "\"%s\" is unknown; known is: local",
			   run->engine);
}

static void check_fetch(const FetchSection *fetch, Faults *faults)
{
	if (fetch->timeout_ms < 1000)
		faults_add(faults, "fetch", NULL, "timeout",
			   "less than a second, in which nothing is fetched; 10m is usual");
	refuse_zero(faults, "fetch", "maxBytes", fetch->max_bytes != 0,
		    "fetch nothing; 2g is usual");
	for (guint i = 0; fetch->allow_hosts[i] != NULL; i++) {
		if (strchr(fetch->allow_hosts[i], '/') != NULL)
			faults_add(faults, "fetch", NULL, "allowHost",
				   "\"%s\" is no host; write it without scheme and path, like "
				   "git.example.org",
				   fetch->allow_hosts[i]);
	}
}

void check_all(const Config *config, Faults *faults)
{
	section_each(config, check_required, faults);
	section_each(config, check_places, faults);
	check_bot(&config->bot, faults);
	check_run(&config->run, faults);
	check_fetch(&config->fetch, faults);
	check_send(&config->send, faults);
	for (guint i = 0; i < config->sources->len; i++) {
		check_source(config->sources->pdata[i], faults);
		check_carried(config, config->sources->pdata[i], faults);
	}
	for (guint i = 0; i < config->lists->len; i++)
		check_list(config, config->lists->pdata[i], faults);
}

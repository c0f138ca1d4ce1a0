/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "config/config.h"
#include "mailparse/mailparse.h"
#include "tests/unit/check_main.h"

#include <glib/gstdio.h>
#include <string.h>

#define MINIMAL "[bot]\naddress = robot@lab.example.org\nstateDir = state\n"

typedef struct {
	char *dir;
	char *path;
} Folder;

static void folder_open(Folder *folder)
{
	folder->dir = g_dir_make_tmp("lorebot-config-XXXXXX", NULL);
	folder->path = g_build_filename(folder->dir, "lorebot.conf", NULL);
}

static void folder_close(Folder *folder)
{
	ck_assert(fs_remove_tree(folder->dir, NULL));
	g_free(folder->dir);
	g_free(folder->path);
}

#define FOLDER(name)                                                                               \
	__attribute__((cleanup(folder_close))) Folder name = {0};                                  \
	folder_open(&name)

static void write_file(const Folder *folder, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(folder->dir, name, NULL);
	ck_assert(g_file_set_contents(path, text, -1, NULL));
}

static Config *load(const Folder *folder, const char *text)
{
	g_autoptr(GError) error = NULL;

	write_file(folder, "lorebot.conf", text);
	Config *config = config_load(folder->path, &error);
	ck_assert_msg(config != NULL, "%s", error == NULL ? "" : error->message);
	return config;
}

/* What is told of @text, which must not load. */
static char *fault(const Folder *folder, const char *text)
{
	g_autoptr(GError) error = NULL;

	write_file(folder, "lorebot.conf", text);
	Config *config = config_load(folder->path, &error);
	ck_assert_msg(config == NULL, "loaded: %s", text);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
	return g_strdup(error->message);
}

#define ck_assert_says(text, part) ck_assert_msg(strstr(text, part) != NULL, "in: %s", text)

START_TEST(the_example_loads_and_is_safe)
{
	g_autofree char *path = g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "..", "config",
						 "share", "example.config", NULL);
	g_autoptr(GError) error = NULL;

	g_autoptr(Config) config = config_load(path, &error);

	ck_assert_msg(config != NULL, "%s", error == NULL ? "" : error->message);
	const ListSection *list = config_find_list(config, "lab@lists.example.org");
	ck_assert_int_eq(config->send.transport, TRANSPORT_DRY_RUN);
	ck_assert(list->hold);
	ck_assert_ptr_null(list->consent);
}
END_TEST

START_TEST(every_key_has_its_default)
{
	FOLDER(f);

	g_autoptr(Config) config = load(&f, MINIMAL);

	ck_assert_str_eq(config->bot.name, "lorebot");
	ck_assert_str_eq(config->bot.id_domain, "lab.example.org");
	ck_assert_ptr_null(config->bot.footer);
	ck_assert_int_eq(config->bot.max_age_patches_us, INT64_C(7) * 86400 * CLOCK_US_PER_S);
	ck_assert_int_eq(config->bot.max_age_requests_us, INT64_C(30) * 86400 * CLOCK_US_PER_S);
	ck_assert_str_eq(config->run.engine, "local");
	ck_assert_uint_ne(config->run.uid, 0);
	ck_assert_ptr_nonnull(config->run.tbox_group);
	ck_assert_int_eq(config->fetch.timeout_ms, 600000);
	ck_assert_uint_eq(config->fetch.max_bytes, UINT64_C(2) << 30);
	ck_assert_int_eq(config->send.transport, TRANSPORT_DRY_RUN);
	ck_assert_int_eq(config->send.unknown_after_us, INT64_C(3600) * CLOCK_US_PER_S);
}
END_TEST

START_TEST(every_kind_of_section_is_read)
{
	FOLDER(f);

	g_autoptr(Config) config = load(
		&f, MINIMAL
		"[source \"a.b\"]\nurl = imap://[::1]:143/INBOX\nmechanism = "
		"ANONYMOUS\nclearText\nsince = 2026-01-31\n"
		"[source \"second\"]\nurl = maildir:box\nobserve = yes\nconfirms = on\n"
		"list = Lab@lists.example.org\n"
		"[list \"Lab@lists.example.org\"]\nconsent = https://x.example.org/yes\nhold = "
		"false\n"
		"tree = one\ntree = two\nunasked = all\narchiveUrl = https://x.example.org/%s/\n"
		"[tree \"one\"]\nurl = /srv/one.git\npublish = git@x.example.org:robot.git\n"
		"[tree \"two\"]\nurl = https://x.example.org/two.git\nmirror = two.git\n"
		"[fetch]\nallowHost = x.example.org\nallowHost = y.example.org\nmaxBytes = 500m\n"
		"[send]\ntransport = file\ndirectory = sent\nunknownAfter = 90s\n");

	const SourceSection *first = config_find_source(config, "a.b");
	const SourceSection *second = config_find_source(config, "second");
	const ListSection *list = config->lists->pdata[0];
	const TreeSection *two = config_find_tree(config, "two");
	g_autofree char *box = g_strdup_printf("maildir:%s/box", f.dir);
	g_autofree char *mirror = g_build_filename(f.dir, "two.git", NULL);
	g_autofree char *sent = g_build_filename(f.dir, "sent", NULL);
	g_autofree char *state = g_build_filename(f.dir, "state", NULL);
	ck_assert(first->clear_text);
	ck_assert_int_eq(first->since_us, INT64_C(1769817600) * CLOCK_US_PER_S);
	ck_assert_str_eq(second->url, box);
	ck_assert(second->observe && second->confirms);
	ck_assert_str_eq(second->lists[0], "Lab@lists.example.org");
	ck_assert_ptr_null(first->lists[0]);
	ck_assert_str_eq(list->address, "Lab@lists.example.org");
	ck_assert(!list->hold);
	ck_assert_int_eq(list->unasked, UNASKED_ALL);
	ck_assert_str_eq(list->trees[1], "two");
	ck_assert_str_eq(two->mirror, mirror);
	ck_assert_str_eq(config_find_tree(config, "one")->publish, "git@x.example.org:robot.git");
	ck_assert_str_eq(config->fetch.allow_hosts[1], "y.example.org");
	ck_assert_uint_eq(config->fetch.max_bytes, 500u << 20);
	ck_assert_str_eq(config->send.directory, sent);
	ck_assert_str_eq(config->bot.state_dir, state);
	ck_assert_int_eq(config->send.unknown_after_us, INT64_C(90) * CLOCK_US_PER_S);
	ck_assert_ptr_null(config_find_list(config, "other"));
}
END_TEST

START_TEST(a_list_named_by_its_list_id_is_known_by_it)
{
	FOLDER(f);

	g_autoptr(Config) config = load(&f, MINIMAL "[list \"lab.lists.example.org\"]\n");

	const ListSection *list = config->lists->pdata[0];
	ck_assert_str_eq(list->list_id, "lab.lists.example.org");
	ck_assert_ptr_null(list->address);
}
END_TEST

START_TEST(an_unknown_key_is_told_with_line_and_suggestion)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[source \"lab\"]\n"
						  "\turl = maildir:x\n\tsinse = 2026-01-31\n");

	ck_assert_says(text, "lorebot.conf:6: [source \"lab\"] sinse: unknown key");
	ck_assert_says(text, "did you mean \"since\"?");
}
END_TEST

START_TEST(an_unknown_section_is_told_with_a_suggestion)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[sorce \"lab\"]\nurl = maildir:x\n");

	ck_assert_says(text, "lorebot.conf:4: [sorce \"lab\"]: unknown section");
	ck_assert_says(text, "did you mean \"source\"?");
}
END_TEST

START_TEST(a_word_like_nothing_gets_no_suggestion)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[bot]\nquux = 1\n");

	ck_assert_says(text, "quux: unknown key; `lorebot config explain`");
}
END_TEST

START_TEST(all_faults_are_told_at_once)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, "[bot]\naddress = nobody\nmaxAgePatches = 7\n"
			  "[source \"lab\"]\nobserve = maybe\n[run]\nuid = 0\nruns = x\n");

	ck_assert_says(text, "address: \"nobody\" is no mail address");
	ck_assert_says(text, "maxAgePatches: \"7\" is no duration");
	ck_assert_says(text, "stateDir is missing");
	ck_assert_says(text, "url is missing");
	ck_assert_says(text, "observe: \"maybe\" is neither true nor false");
	ck_assert_says(text, "uid: 0 is root");
	ck_assert_says(text, "runs: \"x\" is no number");
	ck_assert_ptr_null(strstr(text, "address is missing"));
}
END_TEST

START_TEST(a_section_without_keys_still_lacks_its_required_ones)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[tree \"main\"]\n");

	ck_assert_says(text, "lorebot.conf:4: [tree \"main\"]: url is missing");
}
END_TEST

START_TEST(names_are_asked_where_they_belong_and_nowhere_else)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, MINIMAL "[source]\nurl = maildir:x\n[run \"x\"]\nruns = 5\n");

	ck_assert_says(text, "[source]: needs a name");
	ck_assert_says(text, "[run \"x\"]: has no name");
}
END_TEST

START_TEST(a_source_of_an_unknown_scheme_is_told_the_known_ones)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[source \"a\"]\nurl = nntp://x.example.org/g\n");

	ck_assert_says(text, "unknown scheme; known are: imaps:// imap:// maildir:");
}
END_TEST

START_TEST(a_mailbox_that_no_server_can_be_asked_for_is_refused)
{
	FOLDER(f);
	static const char *const names[] = {"a%00b", "a%0D%0Ab", "a%FF", "%7f"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *section = g_strdup_printf(
			MINIMAL "[source \"a\"]\nurl = imaps://x.example.org/%s\n", names[i]);
		g_autofree char *text = fault(&f, section);
		ck_assert_says(text, "the mailbox of \"imaps://x.example.org/");
	}
}
END_TEST

START_TEST(what_would_never_work_is_refused)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, MINIMAL "[fetch]\ntimeout = 0s\nmaxBytes = 0\n"
				  "[source \"a\"]\nurl = maildir:x\nsince = 2999-01-01\n"
				  "[bot]\nmaxAgePatches = 0\nmaxAgeRequests = 0\n"
				  "requestsPerSender = 0\nrequestsPerDay = 0\n"
				  "[send]\nmaxPerDay = 0\nunknownAfter = 0\n");

	ck_assert_says(text, "[fetch] timeout: less than a second");
	ck_assert_says(text, "[fetch] maxBytes: 0 would fetch nothing");
	ck_assert_says(text, "[source \"a\"] since: is in the future");
	ck_assert_says(text, "[bot] maxAgePatches: 0 would test no series unasked");
	ck_assert_says(text, "[bot] maxAgeRequests: 0 would answer no request");
	ck_assert_says(text, "[bot] requestsPerSender: 0 would answer no request");
	ck_assert_says(text, "[bot] requestsPerDay: 0 would answer no request");
	ck_assert_says(text, "[send] maxPerDay: 0 would let no mail leave");
	ck_assert_says(text, "[send] unknownAfter: 0 would send a mail again");
}
END_TEST

START_TEST(what_0_switches_off_needs_no_unit)
{
	FOLDER(f);
	g_autoptr(Config) config = load(&f, MINIMAL "[bot]\noutageAfter = 0\n"
						    "[source \"a\"]\nurl = maildir:x\n"
						    "silentAfter = 0\n");

	ck_assert_int_eq(config->bot.outage_after_us, 0);
	ck_assert_int_eq(config_find_source(config, "a")->silent_after_us, 0);
}
END_TEST

START_TEST(what_is_set_twice_is_refused_with_the_line_of_the_second)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, MINIMAL "[source \"a\"]\nurl = maildir:x\nlist = l\nlist = m\n"
				  "[source \"a\"]\nurl = maildir:y\n");

	ck_assert_says(text, "lorebot.conf:9: [source \"a\"] url: is set above already");
	ck_assert_ptr_null(strstr(text, "list: is set above"));
}
END_TEST

START_TEST(a_password_in_a_url_is_refused_and_not_repeated)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, MINIMAL "[source \"a\"]\nurl = imaps://me:hunter2@x.example.org/INBOX\n");

	ck_assert_says(text, "passwordFile");
	ck_assert_ptr_null(strstr(text, "hunter2"));
}
END_TEST

START_TEST(clear_text_is_for_loopback_only)
{
	static const char *const loopback[] = {"localhost", "127.0.0.1:1143", "[::1]", NULL};
	static const char *const outside[] = {"mail.example.org", "10.0.0.1",
					      "localhost.example.org", "127.0.0.1.example.org",
					      NULL};
	FOLDER(f);

	for (int i = 0; loopback[i] != NULL; i++) {
		g_autofree char *text = g_strdup_printf(
			MINIMAL "[send]\nurl = smtp://%s\nclearText = true\n", loopback[i]);
		config_free(load(&f, text));
	}
	for (int i = 0; outside[i] != NULL; i++) {
		g_autofree char *text = g_strdup_printf(
			MINIMAL "[send]\nurl = smtp://%s\nclearText = true\n", outside[i]);
		g_autofree char *told = fault(&f, text);
		ck_assert_says(told, "clearText: allowed for a loopback host only");
	}
}
END_TEST

START_TEST(a_login_is_whole_and_its_mechanism_known)
{
	static const struct {
		const char *keys, *want;
	} wrong[] = {
		{"", "url: nothing to log in with; set user and passwordFile"},
		{"user = me\n", "user: no password"},
		{"mechanism = CRAM-MD5\nuser = me\npasswordCommand = x\n",
		 "mechanism: \"CRAM-MD5\" is not known; write one of ANONYMOUS, PLAIN"},
		{"mechanism = anonymous\n", "mechanism: \"anonymous\" is not known"},
		{"mechanism = ANONYMOUS\nuser = me\n",
		 "mechanism: ANONYMOUS takes neither user nor password"},
	};
	FOLDER(f);

	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *text = g_strconcat(MINIMAL "[source \"a\"]\nurl = imaps://h/x\n",
						    wrong[i].keys, NULL);
		g_autofree char *told = fault(&f, text);
		ck_assert_says(told, wrong[i].want);
	}
	g_autofree char *send =
		fault(&f, MINIMAL "[send]\nurl = smtps://h\nmechanism = ANONYMOUS\n");
	ck_assert_says(send, "write one of PLAIN, LOGIN");
}
END_TEST

START_TEST(a_public_archive_is_named_by_folder_and_fetch)
{
	FOLDER(f);
	g_autofree char *url =
		fault(&f, MINIMAL "[source \"a\"]\nurl = https://lore.example.org/lab\n");
	g_autofree char *place = fault(
		&f, MINIMAL "[source \"a\"]\nurl = public-inbox:https://lore.example.org/lab\n");

	ck_assert_says(url, "a public archive is public-inbox:FOLDER with fetch = URL");
	ck_assert_says(place, "is a URL; what is fetched from there is named by fetch");
}
END_TEST

START_TEST(sources_on_this_machine_are_named_by_absolute_paths)
{
	static const char *const schemes[] = {"maildir:", "mbox:", "mboxrd:", "public-inbox:"};
	FOLDER(f);

	for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++) {
		g_autofree char *text =
			g_strdup_printf(MINIMAL "[source \"a\"]\nurl = %sx/y\n", schemes[i]);
		g_autofree char *want = g_strdup_printf("%s%s/x/y", schemes[i], f.dir);
		g_autofree char *empty =
			g_strdup_printf(MINIMAL "[source \"a\"]\nurl = %s\n", schemes[i]);
		g_autoptr(Config) config = load(&f, text);
		g_autofree char *told = fault(&f, empty);

		ck_assert_str_eq(config_find_source(config, "a")->url, want);
		ck_assert_says(told, "a path is missing behind");
	}
	g_autofree char *folder = fault(&f, MINIMAL "[source \"a\"]\nurl = mbox:.\n");
	ck_assert_says(folder, "url: ");
	g_autofree char *file =
		fault(&f, MINIMAL "[source \"a\"]\nurl = public-inbox:lorebot.conf\n");
	ck_assert_says(file, "url: ");
}
END_TEST

START_TEST(only_a_public_inbox_is_fetched_from_https_or_git)
{
	FOLDER(f);
	g_autoptr(Config) config =
		load(&f, MINIMAL "[source \"a\"]\nurl = public-inbox:x\n"
				 "fetch = https://lore.example.org/lab\nfetchEvery = 90s\n"
				 "[source \"b\"]\nurl = public-inbox:y\nfetch = git://h/lab\n");

	ck_assert_str_eq(config_find_source(config, "a")->fetch, "https://lore.example.org/lab");
	ck_assert_int_eq(config_find_source(config, "a")->fetch_every_us, 90 * INT64_C(1000000));
	ck_assert_int_eq(config_find_source(config, "b")->fetch_every_us, 300 * INT64_C(1000000));
	g_autofree char *maildir =
		fault(&f, MINIMAL "[source \"a\"]\nurl = maildir:x\nfetch = https://h/lab\n");
	ck_assert_says(maildir, "fetch: only a public-inbox:FOLDER is fetched");
	g_autofree char *file =
		fault(&f, MINIMAL "[source \"a\"]\nurl = public-inbox:x\nfetch = file:///lab\n");
	ck_assert_says(file, "unknown scheme; known are: https:// git://");
	g_autofree char *never = fault(&f, MINIMAL "[source \"a\"]\nurl = public-inbox:x\n"
						   "fetch = https://h/lab\nfetchEvery = 0s\n");
	ck_assert_says(never, "fetchEvery: ");
	g_autofree char *nothing =
		fault(&f, MINIMAL "[source \"a\"]\nurl = imaps://h/x\nmaxConnections = 0\n");
	ck_assert_says(nothing, "maxConnections: ");
}
END_TEST

START_TEST(posing_as_another_robot_is_refused)
{
	static const char *const borrowed[] = {
		"name = kernel test robot",
		"name = \"Kernel  Test-Robot\"",
		"footer = 0-DAY CI Kernel Test Service",
		"address = lkp@intel.com",
		"address = kernel test robot <robot@example.org>",
		"address = robot@ci.intel.com",
		"address = syzbot+abc@example.org",
		"address = bot@kernelci.org",
		"address = patchwork-bot+lab@example.org",
		"idDomain = intel.com",
		NULL,
	};
	FOLDER(f);

	for (int i = 0; borrowed[i] != NULL; i++) {
		g_autofree char *text = g_strdup_printf(MINIMAL "%s\n", borrowed[i]);
		g_autofree char *told = fault(&f, text);
		ck_assert_says(told, "would pose as another robot");
	}
}
END_TEST

START_TEST(names_that_only_look_alike_are_fine)
{
	static const char *const own[] = {
		"name = talkpool",
		"address = robot@notintel.com",
		"address = Elkpen Lab <elkp@example.org>",
		"footer = https://lab.example.org/day0",
		NULL,
	};
	FOLDER(f);

	for (int i = 0; own[i] != NULL; i++) {
		const char *address = g_str_has_prefix(own[i], "address")
					      ? ""
					      : "address = robot@lab.example.org\n";
		g_autofree char *text =
			g_strdup_printf("[bot]\nstateDir = state\n%s%s\n", address, own[i]);
		config_free(load(&f, text));
	}
}
END_TEST

START_TEST(consent_must_be_a_link_and_not_a_no)
{
	FOLDER(f);

	static const char *const refused[] = {"no", "none", "-", "https:/", "https://", "yes"};

	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autofree char *bytes = g_strdup_printf(
			MINIMAL "[list \"a@x.example.org\"]\nconsent = %s\n", refused[i]);
		g_autofree char *says = g_strdup_printf("consent: \"%s\" is no link", refused[i]);
		g_autofree char *text = fault(&f, bytes);

		ck_assert_says(text, says);
	}
}
END_TEST

START_TEST(a_list_may_only_name_trees_there_are)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, MINIMAL "[list \"a@x.example.org\"]\ntree = mian\n"
				  "[tree \"main\"]\nurl = https://x.example.org/m.git\n");

	ck_assert_says(text, "there is no [tree \"mian\"]; did you mean \"main\"?");
}
END_TEST

START_TEST(a_missing_suite_is_told_with_all_else_and_what_was_meant)
{
	FOLDER(f);
	write_file(&f, "gauge.yaml", "suite: gauge\n");

	g_autofree char *text = fault(&f, MINIMAL "[run]\nsuiteDir = .\nuid = 0\n"
						  "[list \"a@x.example.org\"]\nsuite = gauge\n"
						  "suite = guage\nsuite = make-chekc\n"
						  "suite = nothing-of-the-kind\n");

	ck_assert_says(text, "[run] uid: 0 is root");
	ck_assert_says(text, "suite: there is no suite \"guage\"; did you mean \"gauge\"?");
	ck_assert_says(text, "did you mean \"make-check\"?");
	ck_assert_says(text, "there is no nothing-of-the-kind.yaml in run.suiteDir, nor in /");
	ck_assert_ptr_null(strstr(text, "suite \"gauge\""));
}
END_TEST

START_TEST(swapped_letters_are_near)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[source \"a\"]\nulr = maildir:x\n");

	ck_assert_says(text, "did you mean \"url\"?");
}
END_TEST

START_TEST(an_allowed_host_is_a_host)
{
	static const char *const wrong[] = {"https://x.example.org", "x.example.org/lab", NULL};
	FOLDER(f);

	for (int i = 0; wrong[i] != NULL; i++) {
		g_autofree char *text =
			g_strconcat(MINIMAL "[fetch]\nallowHost = ", wrong[i], "\n", NULL);
		g_autofree char *told = fault(&f, text);
		ck_assert_says(told, ":5: [fetch] allowHost: \"");
		ck_assert_says(told, "is no host");
	}
}
END_TEST

START_TEST(a_source_may_only_name_lists_there_are)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[source \"a\"]\nurl = maildir:b\nlist = lab\n");

	ck_assert_says(text, "there is no [list \"lab\"]");
}
END_TEST

START_TEST(a_transport_needs_its_target)
{
	FOLDER(f);

	g_autofree char *smtp = fault(&f, MINIMAL "[send]\ntransport = smtp\n");
	g_autofree char *file = fault(&f, MINIMAL "[send]\ntransport = file\n");
	g_autofree char *other = fault(&f, MINIMAL "[send]\ntransport = pigeon\n");

	ck_assert_says(smtp, "smtp needs url");
	ck_assert_says(file, "file needs directory");
	ck_assert_says(other, "\"pigeon\" is none of: dry-run, file, smtp");
}
END_TEST

START_TEST(a_password_needs_a_user_and_one_place)
{
	FOLDER(f);

	g_autofree char *two = fault(&f, MINIMAL "[send]\nuser = a\npasswordFile = a\n"
						 "passwordCommand = pass x\n");
	g_autofree char *none = fault(&f, MINIMAL "[send]\nuser = a\n");
	g_autofree char *nobody = fault(&f, MINIMAL "[send]\npasswordFile = a\n");

	ck_assert_says(two, "keep one of them");
	ck_assert_says(none, "set passwordFile or passwordCommand");
	ck_assert_says(nobody, "set user");
}
END_TEST

START_TEST(durations_and_sizes_are_exact_or_refused)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
	} cases[] = {
		{"90s", 90},
		{"30m", 1800},
		{"12h", 43200},
		{"7d", 604800},
		{"2w", 1209600},
		{"7", -1},
		{"-7d", -1},
		{"7 d", -1},
		{"7days", -1},
		{"d", -1},
		{"99999999999999999d", -1},
		{"1.5h", -1},
	};
	FOLDER(f);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
			g_strdup_printf(MINIMAL "maxAgePatches = %s\n", cases[i].text);
		if (cases[i].seconds < 0) {
			g_autofree char *told = fault(&f, text);
			ck_assert_says(told, "is no duration");
			continue;
		}
		g_autoptr(Config) config = load(&f, text);
		ck_assert_int_eq(config->bot.max_age_patches_us, cases[i].seconds * CLOCK_US_PER_S);
	}
}
END_TEST

START_TEST(a_quote_that_is_never_closed_is_told_with_its_line)
{
	static const struct {
		const char *text;
		const char *told; /* NULL: it is fine */
	} cases[] = {
		{"[bot]\nname = \"lorebot\n", ":5: [bot] name: the quote is not closed"},
		{"[bot]\nfooter = a \" b\nname = x\n", ":5: [bot] footer: the quote is not closed"},
		{"[list \"l\"] consent = \"https://x.example.org/ ; c\n",
		 ":4: [list \"l\"] consent: "},
		{"[bot]\nfooter = \"a \\\n b\nname = x\n", ":5: [bot] footer: the quote"},
		{"[bot]\nname = \"x", ":5: [bot] name: the quote"},
		{"[bot]\nname = \"lorebot\" ; a \" is fine in a comment\n", NULL},
		{"# \" here, too\n[bot]\nfooter = a \\\" b\n", NULL},
		{"[bot]\nfooter = \"a \\\n b\"\r\n", NULL},
	};
	FOLDER(f);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(MINIMAL, cases[i].text, NULL);
		if (cases[i].told == NULL) {
			config_free(load(&f, text));
			continue;
		}
		g_autofree char *told = fault(&f, text);
		ck_assert_says(told, cases[i].told);
	}
}
END_TEST

START_TEST(an_open_quote_of_an_included_file_is_told_with_that_file)
{
	FOLDER(f);
	write_file(&f, "more.conf", "[bot]\n\nname = \"x\n");

	g_autofree char *text = fault(&f, MINIMAL "[include]\npath = more.conf\n");

	ck_assert_says(text, "more.conf:3: [bot] name: the quote is not closed");
}
END_TEST

START_TEST(control_bytes_never_get_into_a_value)
{
	static const char *const keys[] = {
		"address = \"a\\nb@x\"", "name = lore\\tbot",     "footer = x\\nBcc: v@example.org",
		"footer = a\001b",       "footer = a\302\2333mb", "footer = caf\351",
		"idDomain = a\\nb",      "stateDir = a\\nb",      NULL,
	};
	FOLDER(f);

	for (int i = 0; keys[i] != NULL; i++) {
		g_autofree char *text = g_strdup_printf("[bot]\naddress = a@x.example.org\n"
							"stateDir = s\n%s\n",
							keys[i]);
		g_autofree char *told = fault(&f, text);
		ck_assert_says(told, "lorebot.conf:4: [bot] ");
		ck_assert_msg(strstr(told, "control byte") || strstr(told, "UTF-8"), "%s", told);
		ck_assert(g_utf8_validate(told, -1, NULL) && strpbrk(told, "\n\t\001") == NULL);
	}
}
END_TEST

START_TEST(a_suite_is_a_plain_name_and_each_wrong_one_is_told)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[list \"a@x.example.org\"]\n"
						  "suite = ../../etc\nsuite = fine\nsuite = /x\n");

	ck_assert_says(text,
		       ":5: [list \"a@x.example.org\"] suite: \"../../etc\" is no plain name");
	ck_assert_says(text, ":7: [list \"a@x.example.org\"] suite: \"/x\" is no plain name");
}
END_TEST

START_TEST(names_that_become_refs_must_be_ones_of_git)
{
	FOLDER(f);

	g_autofree char *text =
		fault(&f, MINIMAL "[tree \"../x\"]\nurl = https://x.example.org/m.git\n"
				  "branch = main\n[tree \"m\"]\nurl = https://x.example.org/m.git\n"
				  "branch = a..b\n");

	ck_assert_says(text, ":4: [tree \"../x\"]: the name is no name git takes");
	ck_assert_says(text, ":9: [tree \"m\"] branch: \"a..b\" is no name git takes");
	ck_assert_ptr_eq(strstr(text, "../x"), g_strrstr(text, "../x"));
}
END_TEST

START_TEST(a_place_that_cannot_be_is_told)
{
	static const char *const wrong[] = {
		"[send]\ndirectory = /dev/null/x",
		"[send]\ndirectory = lorebot.conf",
		"[send]\ncaFile = /tmp",
		"[send]\nuser = a\npasswordFile = /dev/null/x/y",
		"[run]\nsuiteDir = /dev/null",
		"[source \"a\"]\nurl = maildir:lorebot.conf/x",
		"[tree \"a\"]\nurl = https://x.example.org/m.git\nmirror = /dev/null/m",
		"[bot]\nstateDir = lorebot.conf",
		NULL,
	};
	FOLDER(f);

	for (int i = 0; wrong[i] != NULL; i++) {
		g_autofree char *text = g_strconcat(MINIMAL, wrong[i], "\n", NULL);
		g_autofree char *told = fault(&f, text);
		ck_assert_msg(strstr(told, "; name a ") != NULL, "%s: %s", wrong[i], told);
	}
	config_free(load(&f, MINIMAL "[send]\ndirectory = not/yet/there\n"));
}
END_TEST

START_TEST(a_public_archive_is_a_web_link)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[list \"l\"]\narchiveUrl = lore/%s\n");

	ck_assert_says(text, ":5: [list \"l\"] archiveUrl: \"lore/%s\" is no link");
}
END_TEST

START_TEST(included_files_are_read_relative_to_the_file)
{
	FOLDER(f);
	write_file(&f, "lists.conf", "[list \"a@x.example.org\"]\nhold = no\n");

	g_autoptr(Config) config = load(&f, MINIMAL "[include]\npath = lists.conf\n");

	ck_assert(!config_find_list(config, "a@x.example.org")->hold);
}
END_TEST

START_TEST(a_fault_in_an_included_file_has_no_wrong_line)
{
	FOLDER(f);
	write_file(&f, "more.conf", "[run]\nruns = many\n");

	g_autofree char *text = fault(&f, MINIMAL "[include]\npath = more.conf\n");

	ck_assert_says(text, "lorebot.conf or what it includes: [run] runs: \"many\" is no number");
}
END_TEST

START_TEST(a_missing_included_file_is_told)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, MINIMAL "[include]\npath = gone.conf\n");

	ck_assert_says(text, "gone.conf: No such file");
}
END_TEST

START_TEST(a_missing_file_and_a_broken_one_are_config_errors)
{
	FOLDER(f);
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(config_load(f.path, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
	g_autofree char *broken = fault(&f, MINIMAL "[source \"x\nurl\n");

	ck_assert_says(broken, "lorebot.conf");
}
END_TEST

START_TEST(an_empty_file_lacks_what_is_required)
{
	FOLDER(f);

	g_autofree char *text = fault(&f, "");

	ck_assert_says(text, "lorebot.conf: [bot]: address is missing");
}
END_TEST

START_TEST(bytes_cut_anywhere_never_crash)
{
	FOLDER(f);
	static const char whole[] = MINIMAL "[source \"a\"]\nurl = \"maildir:x\" ; c\n\tsince = "
					    "2026-01-31\n[list \"l\"] hold = off\n";

	for (size_t len = 0; len < sizeof(whole); len++) {
		g_autofree char *part = g_strndup(whole, len);
		write_file(&f, "lorebot.conf", part);
		config_free(config_load(f.path, NULL));
	}
}
END_TEST

START_TEST(the_hash_is_of_values_and_not_of_secrets_places)
{
	FOLDER(f);
	g_autoptr(Config) plain = load(&f, MINIMAL);
	g_autoptr(Config) spelled =
		load(&f, "# c\n[BOT]\nname=lorebot\nADDRESS=robot@lab.example.org\n"
			 "stateDir = ./state\n");
	g_autoptr(Config) other = load(&f, MINIMAL "[run]\nruns = 9\n");
	g_autoptr(Config) secret = load(&f, MINIMAL "[send]\nuser = a\npasswordFile = /one\n");
	g_autoptr(Config) moved = load(&f, MINIMAL "[send]\nuser = a\npasswordFile = /two\n");

	g_autofree char *a = config_hash(plain);
	g_autofree char *b = config_hash(spelled);
	g_autofree char *c = config_hash(other);
	g_autofree char *d = config_hash(secret);
	g_autofree char *e = config_hash(moved);
	ck_assert_str_eq(a, b);
	ck_assert_str_ne(a, c);
	ck_assert_str_eq(d, e);
	ck_assert_uint_eq(strlen(a), 64);
}
END_TEST

START_TEST(explain_tells_type_default_and_meaning)
{
	g_autofree char *one = config_explain("list.hold");
	g_autofree char *section = config_explain("fetch");
	g_autofree char *all = config_explain(NULL);

	ck_assert_says(one, "list.hold (true or false; default true)");
	ck_assert_ptr_null(strstr(one, "consent"));
	ck_assert_says(section, "fetch.maxBytes");
	ck_assert_says(all, "[source \"NAME\"]");
	ck_assert_says(all,
		       "bot.stateDir (path, relative to the configuration's folder; required)");
	ck_assert_ptr_null(config_explain("list.held"));
}
END_TEST

CHECK_MAIN("config", the_example_loads_and_is_safe, every_key_has_its_default,
	   every_kind_of_section_is_read, a_login_is_whole_and_its_mechanism_known,
	   a_public_archive_is_named_by_folder_and_fetch,
	   sources_on_this_machine_are_named_by_absolute_paths,
	   only_a_public_inbox_is_fetched_from_https_or_git,
	   a_list_named_by_its_list_id_is_known_by_it,
	   an_unknown_key_is_told_with_line_and_suggestion,
	   an_unknown_section_is_told_with_a_suggestion, a_word_like_nothing_gets_no_suggestion,
	   all_faults_are_told_at_once, a_section_without_keys_still_lacks_its_required_ones,
	   names_are_asked_where_they_belong_and_nowhere_else,
	   a_source_of_an_unknown_scheme_is_told_the_known_ones,
	   a_mailbox_that_no_server_can_be_asked_for_is_refused, what_would_never_work_is_refused,
	   what_0_switches_off_needs_no_unit,
	   what_is_set_twice_is_refused_with_the_line_of_the_second,
	   a_password_in_a_url_is_refused_and_not_repeated, clear_text_is_for_loopback_only,
	   posing_as_another_robot_is_refused, names_that_only_look_alike_are_fine,
	   consent_must_be_a_link_and_not_a_no, a_list_may_only_name_trees_there_are,
	   a_missing_suite_is_told_with_all_else_and_what_was_meant, swapped_letters_are_near,
	   an_allowed_host_is_a_host, a_source_may_only_name_lists_there_are,
	   a_transport_needs_its_target, a_password_needs_a_user_and_one_place,
	   a_quote_that_is_never_closed_is_told_with_its_line,
	   an_open_quote_of_an_included_file_is_told_with_that_file,
	   control_bytes_never_get_into_a_value, a_suite_is_a_plain_name_and_each_wrong_one_is_told,
	   names_that_become_refs_must_be_ones_of_git, a_place_that_cannot_be_is_told,
	   a_public_archive_is_a_web_link, durations_and_sizes_are_exact_or_refused,
	   included_files_are_read_relative_to_the_file,
	   a_fault_in_an_included_file_has_no_wrong_line, a_missing_included_file_is_told,
	   a_missing_file_and_a_broken_one_are_config_errors, an_empty_file_lacks_what_is_required,
	   bytes_cut_anywhere_never_crash, the_hash_is_of_values_and_not_of_secrets_places,
	   explain_tells_type_default_and_meaning)

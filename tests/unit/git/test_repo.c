/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/base/error.h"
#include "bot/base/spawn.h"
#include "tests/unit/git/fixture.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const FixtureFile files[] = {{"a", "1\n", 0}, {NULL, NULL, 0}};

/* A second repository with two commits, branches main and topic/x, and an annotated tag v1. */
typedef struct {
	char *path;
	Repo *repo;
	git_oid first, second;
} Other;

static Other other_new(const Fixture *fixture, const char *name)
{
	Other other = {.path = g_build_filename(fixture->dir, name, NULL)};
	g_autoptr(git_object) target = NULL;
	g_autoptr(git_signature) who = NULL;
	git_oid tag;

	other.repo = repo_open(other.path, NULL);
	ck_assert_ptr_nonnull(other.repo);
	other.first = fixture_commit(other.repo, files, NULL);
	other.second = fixture_commit(other.repo, files, &other.first);
	ck_assert(repo_set_ref(other.repo, "refs/heads/main", &other.second, NULL));
	ck_assert(repo_set_ref(other.repo, "refs/heads/topic/x", &other.first, NULL));
	ck_assert_int_eq(git_object_lookup(&target, repo_handle(other.repo), &other.first,
					   GIT_OBJECT_COMMIT),
			 0);
	ck_assert_int_eq(git_signature_new(&who, "A", "a@example.org", FIXTURE_TIME, 0), 0);
	ck_assert_int_eq(
		git_tag_create(&tag, repo_handle(other.repo), "v1", target, who, "v1\n", 0), 0);
	return other;
}

static void other_clear(Other *other)
{
	repo_close(other->repo);
	g_free(other->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Other, other_clear)

static bool has_ref(Repo *repo, const char *name)
{
	git_oid oid;

	return git_reference_name_to_id(&oid, repo_handle(repo), name) == 0;
}

static void check_finds(Repo *repo, const char *spec, const char *prefix, const git_oid *expected)
{
	g_autoptr(GError) error = NULL;
	git_oid found;

	ck_assert_msg(repo_find_commit(repo, spec, prefix, &found, &error), "%s", error->message);
	ck_assert(git_oid_equal(&found, expected));
}

START_TEST(a_mirror_lends_its_objects_and_refs)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "mirror.git");
	RepoTree tree = {.name = "lab", .url = "https://git.example.org/lab", .mirror = other.path};
	g_autoptr(GError) error = NULL;
	git_oid tip;

	ck_assert_msg(repo_update_tree(fixture.repo, &tree, NULL, &error), "%s", error->message);

	check_finds(fixture.repo, "main", "refs/trees/lab/", &other.second);
	check_finds(fixture.repo, "topic/x", "refs/trees/lab/", &other.first);
	check_finds(fixture.repo, "v1", "refs/trees/lab/", &other.first);
	ck_assert(repo_tree_tip(fixture.repo, &tree, &tip, NULL));
	ck_assert(git_oid_equal(&tip, &other.second));
	tree.branch = "topic/x";
	ck_assert(repo_tree_tip(fixture.repo, &tree, &tip, NULL));
	ck_assert(git_oid_equal(&tip, &other.first));
}
END_TEST

START_TEST(refs_that_are_gone_from_the_mirror_go)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "mirror.git");
	RepoTree tree = {.name = "lab", .url = "/x", .mirror = other.path};

	ck_assert(repo_update_tree(fixture.repo, &tree, NULL, NULL));
	ck_assert_int_eq(git_reference_remove(repo_handle(other.repo), "refs/heads/topic/x"), 0);
	ck_assert(repo_set_ref(other.repo, "refs/heads/topic", &other.second, NULL));
	ck_assert(repo_update_tree(fixture.repo, &tree, NULL, NULL));

	ck_assert(!has_ref(fixture.repo, "refs/trees/lab/heads/topic/x"));
	check_finds(fixture.repo, "topic", "refs/trees/lab/", &other.second);
}
END_TEST

START_TEST(a_reopened_repository_still_sees_the_mirror)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "mirror.git");
	RepoTree tree = {.name = "lab", .url = "/x", .mirror = other.path};
	g_autofree char *path = g_build_filename(fixture.dir, "repo.git", NULL);

	ck_assert(repo_update_tree(fixture.repo, &tree, NULL, NULL));
	g_autoptr(Repo) again = repo_open(path, NULL);

	check_finds(again, "main", "refs/trees/lab/", &other.second);
	g_autofree char *subject = repo_commit_subject(again, &other.second, NULL);
	ck_assert_str_eq(subject, "a commit");
}
END_TEST

static void write_alternates(const char *repo_path, const char *text)
{
	g_autofree char *path = g_build_filename(repo_path, "objects", "info", "alternates", NULL);

	ck_assert(fs_write_durable(path, text, strlen(text), 0644, NULL));
}

START_TEST(relative_alternates_of_a_mirror_are_followed)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) lender = other_new(&fixture, "lender.git");
	g_autofree char *path = g_build_filename(fixture.dir, "mirror.git", NULL);
	g_autoptr(Repo) mirror = repo_open(path, NULL);
	RepoTree tree = {.name = "lab", .url = "/x", .mirror = path};
	g_autoptr(GError) error = NULL;

	write_alternates(path, "# comment\n../../lender.git/objects\n");
	g_clear_pointer(&mirror, repo_close);
	mirror = repo_open(path, NULL);
	ck_assert(repo_set_ref(mirror, "refs/heads/main", &lender.second, NULL));
	ck_assert_msg(repo_update_tree(fixture.repo, &tree, NULL, &error), "%s", error->message);

	check_finds(fixture.repo, "main", "refs/trees/lab/", &lender.second);
}
END_TEST

START_TEST(alternates_that_loop_are_refused)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) a = other_new(&fixture, "a.git");
	g_auto(Other) b = other_new(&fixture, "b.git");
	RepoTree tree = {.name = "lab", .url = "/x", .mirror = a.path};
	g_autoptr(GError) error = NULL;

	write_alternates(a.path, "../../b.git/objects\n");
	write_alternates(b.path, "../../a.git/objects\n");
	ck_assert(!repo_update_tree(fixture.repo, &tree, NULL, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	g_clear_error(&error);

	write_alternates(b.path, "../../repo.git/objects\n");
	ck_assert(!repo_update_tree(fixture.repo, &tree, NULL, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
}
END_TEST

START_TEST(a_mirror_that_is_not_there_is_not_found)
{
	g_auto(Fixture) fixture = fixture_new();
	RepoTree tree = {.name = "lab", .url = "/x", .mirror = "/nonexistent"};
	g_autoptr(GError) error = NULL;

	ck_assert(!repo_update_tree(fixture.repo, &tree, NULL, &error));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

START_TEST(commits_are_found_by_id_and_ambiguity_is_said)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid commit = fixture_commit(fixture.repo, files, NULL);
	git_oid tree = fixture_tree(fixture.repo, files);
	char hex[GIT_OID_HEXSZ + 1];
	g_autoptr(GError) error = NULL;
	git_oid found;

	git_oid_tostr(hex, sizeof(hex), &commit);
	check_finds(fixture.repo, hex, NULL, &commit);
	hex[7] = '\0';
	check_finds(fixture.repo, hex, "refs/trees/lab/", &commit);
	git_oid_tostr(hex, sizeof(hex), &tree);
	ck_assert(!repo_find_commit(fixture.repo, hex, NULL, &found, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert(!repo_find_commit(fixture.repo, "../../x", "refs/trees/lab/", &found, NULL));
	ck_assert(!repo_find_commit(fixture.repo, "", "refs/trees/lab/", &found, NULL));
	ck_assert(!repo_find_commit(fixture.repo, ":/a", NULL, &found, NULL));
}
END_TEST

START_TEST(a_prefix_hides_what_is_outside_of_it)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid mine = fixture_commit(fixture.repo, files, NULL);
	git_oid other = fixture_commit(fixture.repo, files, &mine);
	git_oid found;

	ck_assert(repo_set_ref(fixture.repo, "refs/heads/main", &other, NULL));
	ck_assert(repo_set_ref(fixture.repo, "refs/requests/2/heads/x", &other, NULL));
	ck_assert(repo_set_ref(fixture.repo, "refs/requests/1/HEAD", &mine, NULL));
	ck_assert(repo_set_ref(fixture.repo, "refs/requests/1/heads/y", &mine, NULL));

	check_finds(fixture.repo, "HEAD", "refs/requests/1/", &mine);
	check_finds(fixture.repo, "refs/heads/y", "refs/requests/1/", &mine);
	check_finds(fixture.repo, "HEAD", NULL, &other);
	ck_assert(!repo_find_commit(fixture.repo, "main", "refs/requests/1/", &found, NULL));
	ck_assert(!repo_find_commit(fixture.repo, "refs/requests/2/heads/x", "refs/requests/1/",
				    &found, NULL));
}
END_TEST

START_TEST(a_trees_url_is_served_from_its_mirror)
{
	static const char *const spellings[] = {
		"https://git.example.org/pub/lab.git",
		"https://git.example.org/pub/lab/",
		"git://git.example.org/pub/lab",
	};
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "mirror.git");
	RepoTree tree = {
		.name = "lab", .url = "https://git.example.org/pub/lab.git", .mirror = other.path};
	g_autoptr(GPtrArray) trees = g_ptr_array_new();
	RepoFetchLimits none = {0};

	g_ptr_array_add(trees, &tree);
	for (size_t i = 0; i < G_N_ELEMENTS(spellings); i++) {
		g_autofree char *prefix = g_strdup_printf("refs/requests/%zu/", i);
		g_autoptr(GError) error = NULL;

		ck_assert_msg(repo_fetch_url(fixture.repo, spellings[i], "topic/x", trees, prefix,
					     &none, &error),
			      "%s", error ? error->message : "");
		check_finds(fixture.repo, "topic/x", prefix, &other.first);
		check_finds(fixture.repo, "HEAD", prefix, &other.first);
	}
	ck_assert(!has_ref(fixture.repo, "refs/requests/0/heads/main"));
}
END_TEST

START_TEST(a_branch_pasted_behind_a_trees_url_is_its_branch)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "mirror.git");
	RepoTree tree = {
		.name = "lab", .url = "https://git.example.org/pub/lab.git", .mirror = other.path};
	g_autoptr(GPtrArray) trees = g_ptr_array_new();
	RepoFetchLimits none = {0};
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(trees, &tree);
	ck_assert(repo_fetch_url(fixture.repo, "https://git.example.org/pub/lab.git/topic/x", NULL,
				 trees, "refs/requests/1/", &none, NULL));
	check_finds(fixture.repo, "topic/x", "refs/requests/1/", &other.first);

	ck_assert(!repo_fetch_url(fixture.repo, "https://git.example.org/pub/labour", NULL, trees,
				  "refs/requests/2/", &none, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
}
END_TEST

START_TEST(a_hash_in_the_branchs_place_is_looked_for)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "mirror.git");
	RepoTree tree = {.name = "lab", .url = other.path};
	g_autoptr(GPtrArray) trees = g_ptr_array_new();
	RepoFetchLimits none = {0};
	char hex[GIT_OID_HEXSZ + 1];
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(trees, &tree);
	git_oid_tostr(hex, sizeof(hex), &other.first);
	ck_assert(repo_fetch_url(fixture.repo, other.path, hex, trees, "refs/requests/1/", &none,
				 NULL));
	ck_assert(!repo_fetch_url(fixture.repo, other.path, "gone", trees, "refs/requests/2/",
				  &none, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

START_TEST(a_fetched_tree_serves_its_url_from_its_refs)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid commit = fixture_commit(fixture.repo, files, NULL);
	RepoTree tree = {.name = "lab", .url = "https://git.example.org/lab"};
	g_autoptr(GPtrArray) trees = g_ptr_array_new();
	RepoFetchLimits none = {0};

	g_ptr_array_add(trees, &tree);
	ck_assert(repo_set_ref(fixture.repo, "refs/trees/lab/heads/main", &commit, NULL));
	ck_assert(repo_fetch_url(fixture.repo, "https://git.example.org/lab", "main", trees,
				 "refs/requests/1/", &none, NULL));

	check_finds(fixture.repo, "main", "refs/requests/1/", &commit);
}
END_TEST

static int free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static bool can_connect(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				      .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	close(fd);
	return ok;
}

/* git daemon on a loopback port, all repositories of @dir. */
static pid_t start_daemon(const char *dir, int port)
{
	g_autofree char *base = g_strdup_printf("--base-path=%s", dir);
	g_autofree char *port_option = g_strdup_printf("--port=%d", port);
	pid_t pid = fork();

	/* It stays in the test's process group, which Check kills when the test fails. */
	if (pid == 0) {
		execlp("git", "git", "-c", "safe.directory=*", "daemon", "--export-all",
		       "--reuseaddr", "--listen=127.0.0.1", base, port_option, dir, NULL);
		_exit(127);
	}
	for (int i = 0; i < 200 && !can_connect(port); i++)
		g_usleep(20000);
	ck_assert(can_connect(port));
	return pid;
}

static void stop_daemon(pid_t pid)
{
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

START_TEST(a_remote_tree_is_fetched_within_its_limits)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "remote.git");
	int port = free_port();
	pid_t server = start_daemon(fixture.dir, port);
	g_autofree char *url = g_strdup_printf("git://127.0.0.1:%d/remote.git", port);
	g_autofree char *missing = g_strdup_printf("git://127.0.0.1:%d/missing.git", port);
	g_autofree char *host = g_strdup_printf("127.0.0.1:%d", port);
	const char *hosts[] = {host, NULL};
	RepoTree tree = {.name = "lab", .url = url};
	RepoTree no_tree = {.name = "gone", .url = missing};
	RepoFetchLimits limits = {20000, 1 << 20, hosts, true};
	g_autoptr(GPtrArray) trees = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	/* Too small a limit, before anything is here. */
	limits.max_bytes = 10;
	ck_assert(!repo_update_tree(fixture.repo, &tree, &limits, &error));
	ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT), "%s", error->message);
	g_clear_error(&error);

	limits.max_bytes = 1 << 20;
	ck_assert_msg(repo_update_tree(fixture.repo, &tree, &limits, &error), "%s",
		      error ? error->message : "");
	check_finds(fixture.repo, "main", "refs/trees/lab/", &other.second);
	check_finds(fixture.repo, "v1", "refs/trees/lab/", &other.first);
	ck_assert(has_ref(fixture.repo, "refs/trees/lab/HEAD"));

	/* As a request's URL, not a tree's. */
	ck_assert(repo_fetch_url(fixture.repo, url, "topic/x", trees, "refs/requests/1/", &limits,
				 NULL));
	check_finds(fixture.repo, "topic/x", "refs/requests/1/", &other.first);
	ck_assert(!repo_fetch_url(fixture.repo, url, "gone", trees, "refs/requests/2/", &limits,
				  &error));
	ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND), "%s", error->message);
	g_clear_error(&error);

	limits.allow_private = false;
	ck_assert(!repo_update_tree(fixture.repo, &tree, &limits, NULL));
	limits.allow_private = true;
	ck_assert(!repo_update_tree(fixture.repo, &no_tree, &limits, NULL));
	stop_daemon(server);
	ck_assert(!repo_update_tree(fixture.repo, &tree, &limits, &error));
	ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_TRANSIENT), "%s", error->message);
}
END_TEST

START_TEST(a_server_that_says_nothing_meets_the_deadline)
{
	g_auto(Fixture) fixture = fixture_new();
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, len), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	g_autofree char *host = g_strdup_printf("127.0.0.1:%d", ntohs(address.sin_port));
	g_autofree char *url = g_strdup_printf("git://%s/x", host);
	const char *hosts[] = {host, NULL};
	RepoTree tree = {.name = "lab", .url = url};
	RepoFetchLimits limits = {300, 1 << 20, hosts, true};
	g_autoptr(GError) error = NULL;
	int64_t before = g_get_monotonic_time();

	ck_assert(!repo_update_tree(fixture.repo, &tree, &limits, &error));

	ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_TRANSIENT), "%s", error->message);
	ck_assert_int_lt(g_get_monotonic_time() - before, 5 * G_USEC_PER_SEC);
	close(fd);
}
END_TEST

START_TEST(publishing_pushes_one_branch)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(Other) other = other_new(&fixture, "public.git");
	git_oid commit = fixture_commit(fixture.repo, files, NULL);
	git_oid another = fixture_commit(fixture.repo, files, &commit);
	g_autoptr(GError) error = NULL;

	ck_assert(repo_set_ref(fixture.repo, "refs/heads/r/x", &another, NULL));
	ck_assert(repo_set_ref(fixture.repo, "refs/heads/secret", &commit, NULL));
	ck_assert_msg(
		repo_publish(fixture.repo, "refs/heads/r/x", other.path, "r/x", 20000, &error),
		"%s", error ? error->message : "");

	check_finds(other.repo, "refs/heads/r/x", NULL, &another);
	ck_assert(!has_ref(other.repo, "refs/heads/secret"));
	/* A branch that is there and is no ancestor is not overwritten. */
	ck_assert(repo_set_ref(fixture.repo, "refs/heads/r/x", &commit, NULL));
	ck_assert(!repo_publish(fixture.repo, "refs/heads/r/x", other.path, "r/x", 20000, NULL));
	check_finds(other.repo, "refs/heads/r/x", NULL, &another);
}
END_TEST

START_TEST(a_commits_patch_id_is_that_of_git)
{
	const FixtureFile before[] = {
		{"a", "1\n2\n3\n4\n", 0}, {"old", "x\ny\nz\n", 0}, {NULL, NULL, 0}};
	const FixtureFile after[] = {
		{"a", "1\n2\nx\n4\n", 0}, {"new", "x\ny\nz\n", 0}, {NULL, NULL, 0}};
	g_auto(Fixture) fixture = fixture_new();
	git_oid first = fixture_commit(fixture.repo, before, NULL);
	git_oid second = fixture_commit(fixture.repo, after, &first);
	g_autofree char *path = g_build_filename(fixture.dir, "repo.git", NULL);
	const char *show[] = {"git", "-C", path, "show", git_oid_tostr_s(&second), NULL};
	const char *patch_id[] = {"git", "patch-id", "--stable", NULL};
	SpawnOptions options = {.argv = show, .max_output = 100000};
	g_auto(SpawnResult) shown = {0};
	g_auto(SpawnResult) printed = {0};

	g_autofree char *ours = repo_commit_patch_id(fixture.repo, &second, NULL);
	ck_assert(spawn_run(&options, &shown, NULL));
	g_autoptr(GBytes) text = g_bytes_new(shown.out, shown.out_len);
	options.argv = patch_id;
	options.input = text;
	ck_assert(spawn_run(&options, &printed, NULL));

	ck_assert_ptr_nonnull(ours);
	ck_assert_uint_gt(printed.out_len, 40);
	ck_assert_mem_eq(ours, printed.out, 40);
}
END_TEST

START_TEST(a_new_repository_runs_no_hooks)
{
	g_auto(Fixture) fixture = fixture_new();
	g_autoptr(git_config) config = NULL;
	int32_t gc = 1;

	ck_assert(git_repository_is_bare(repo_handle(fixture.repo)));
	ck_assert_int_eq(git_repository_config(&config, repo_handle(fixture.repo)), 0);
	ck_assert_int_eq(git_config_get_int32(&gc, config, "gc.auto"), 0);
	ck_assert_int_eq(gc, 0);
}
END_TEST

CHECK_MAIN("repo", a_mirror_lends_its_objects_and_refs, refs_that_are_gone_from_the_mirror_go,
	   a_reopened_repository_still_sees_the_mirror,
	   relative_alternates_of_a_mirror_are_followed, alternates_that_loop_are_refused,
	   a_mirror_that_is_not_there_is_not_found, commits_are_found_by_id_and_ambiguity_is_said,
	   a_prefix_hides_what_is_outside_of_it, a_trees_url_is_served_from_its_mirror,
	   a_branch_pasted_behind_a_trees_url_is_its_branch,
	   a_hash_in_the_branchs_place_is_looked_for, a_fetched_tree_serves_its_url_from_its_refs,
	   a_remote_tree_is_fetched_within_its_limits,
	   a_server_that_says_nothing_meets_the_deadline, publishing_pushes_one_branch,
	   a_commits_patch_id_is_that_of_git, a_new_repository_runs_no_hooks)

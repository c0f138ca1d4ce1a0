/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/git.h"
#include "bot/intake/source.h"
#include "mailparse/limits.h"
#include "tests/unit/check_main.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* 2024-01-10 12:00:00 UTC */
#define NOON_S INT64_C(1704888000)
#define SINCE_NOON (NOON_S * CLOCK_US_PER_S)

G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_treebuilder, git_treebuilder_free)

typedef struct {
	char *dir;
	char *url;
	Source *source;
	SourceBatch batch;
	GError *error;
	char *cursor; /* of the last batch that had one */
	GHashTable *known;
} Scene;

static Scene set_scene(void)
{
	Scene scene = {.dir = g_dir_make_tmp("inbox-XXXXXX", NULL)};

	git_start();
	scene.url = g_strconcat("public-inbox:", scene.dir, NULL);
	scene.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return scene;
}

static void strike(Scene *scene)
{
	source_batch_clear(&scene->batch);
	source_close(scene->source);
	g_clear_error(&scene->error);
	ck_assert(fs_remove_tree(scene->dir, NULL));
	g_hash_table_unref(scene->known);
	g_free(scene->dir);
	g_free(scene->url);
	g_free(scene->cursor);
}

/* ---- making epochs ---- */

static char *epoch_path(const Scene *scene, unsigned number)
{
	return g_strdup_printf("%s/git/%u.git", scene->dir, number);
}

static git_repository *epoch(const Scene *scene, unsigned number)
{
	g_autofree char *path = epoch_path(scene, number);
	git_repository *repo = NULL;

	if (git_repository_open_bare(&repo, path) != 0) {
		git_repository_init_options options;

		git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
		options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH;
		options.initial_head = "master";
		ck_assert_int_eq(git_repository_init_ext(&repo, path, &options), 0);
	}
	return repo;
}

static git_oid blob_of(git_repository *repo, const char *text)
{
	git_oid id;

	ck_assert_int_eq(git_blob_create_from_buffer(&id, repo, text, strlen(text)), 0);
	return id;
}

/* A tree with one entry; @name NULL: an empty one. */
static git_oid tree_of(git_repository *repo, const char *name, const git_oid *id,
		       git_filemode_t mode)
{
	g_autoptr(git_treebuilder) builder = NULL;
	git_oid tree;

	ck_assert_int_eq(git_treebuilder_new(&builder, repo, NULL), 0);
	if (name)
		ck_assert_int_eq(git_treebuilder_insert(NULL, builder, name, id, mode), 0);
	ck_assert_int_eq(git_treebuilder_write(&tree, builder), 0);
	return tree;
}

/* On the parents given, at noon plus @after_s; the branch is set to it. */
static git_oid commit_tree(git_repository *repo, const git_oid *tree_id, int64_t after_s,
			   size_t n_parents, const git_oid *parents)
{
	g_autoptr(git_signature) who = NULL;
	g_autoptr(git_tree) tree = NULL;
	g_autoptr(git_reference) branch = NULL;
	git_commit *found[4] = {NULL};
	git_oid id;

	ck_assert_int_eq(git_signature_new(&who, "A", "a@example.org", NOON_S + after_s, 0), 0);
	ck_assert_int_eq(git_tree_lookup(&tree, repo, tree_id), 0);
	for (size_t i = 0; i < n_parents; i++)
		ck_assert_int_eq(git_commit_lookup(&found[i], repo, &parents[i]), 0);
	ck_assert_int_eq(git_commit_create(&id, repo, NULL, who, who, NULL, "x", tree, n_parents,
					   (const git_commit **)(gpointer)found),
			 0);
	for (size_t i = 0; i < n_parents; i++)
		git_commit_free(found[i]);
	ck_assert_int_eq(git_reference_create(&branch, repo, "refs/heads/master", &id, true, NULL),
			 0);
	return id;
}

/* On top of the branch, if there is any commit on it. */
static git_oid add_tree(git_repository *repo, const git_oid *tree, int64_t after_s)
{
	git_oid tip;
	bool any = git_reference_name_to_id(&tip, repo, "refs/heads/master") == 0;

	return commit_tree(repo, tree, after_s, any, &tip);
}

static void add_entry(const Scene *scene, unsigned number, const char *name, const char *text,
		      int64_t after_s)
{
	g_autoptr(git_repository) repo = epoch(scene, number);
	git_oid blob = blob_of(repo, text);
	git_oid tree = tree_of(repo, name, &blob, GIT_FILEMODE_BLOB);

	(void)add_tree(repo, &tree, after_s);
}

static void add_mail(const Scene *scene, unsigned number, const char *text, int64_t after_s)
{
	add_entry(scene, number, "m", text, after_s);
}

static void drop_branch(const Scene *scene, unsigned number)
{
	g_autoptr(git_repository) repo = epoch(scene, number);

	ck_assert_int_eq(git_reference_remove(repo, "refs/heads/master"), 0);
}

/* ---- reading them ---- */

static bool is_known(const char *locator, void *payload)
{
	return g_hash_table_contains(payload, locator);
}

static void open_with(Scene *scene, SourceOptions options)
{
	g_clear_pointer(&scene->source, source_close);
	options.name = "list";
	options.url = scene->url;
	options.is_known = is_known;
	options.payload = scene->known;
	if (options.stop_fd == 0)
		options.stop_fd = -1;
	scene->source = source_open(&options, &scene->error);
	ck_assert_msg(scene->source != NULL, "%s", scene->error ? scene->error->message : "");
}

static void reopen(Scene *scene)
{
	open_with(scene, (SourceOptions){.cursor = scene->cursor});
}

static void next_of(Scene *scene, size_t max_mails)
{
	source_batch_clear(&scene->batch);
	bool fine = source_next(scene->source, max_mails, &scene->batch, &scene->error);
	ck_assert_msg(fine, "%s", scene->error ? scene->error->message : "");
}

/* As the stage does: stored, then acknowledged. */
static void ack(Scene *scene)
{
	for (guint i = 0; i < scene->batch.mails->len; i++) {
		const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
		g_hash_table_add(scene->known, g_strdup(mail->locator));
	}
	if (scene->batch.cursor) {
		g_free(scene->cursor);
		scene->cursor = g_strdup(scene->batch.cursor);
	}
	ck_assert(source_ack(scene->source, &scene->error));
}

/* The mails of the batch joined by blanks; "!" for one that is refused. */
static void assert_batch(const Scene *scene, const char *want)
{
	g_autoptr(GString) found = g_string_new(NULL);

	for (guint i = 0; i < scene->batch.mails->len; i++) {
		const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
		gsize len = 0;
		const char *data = mail->bytes ? g_bytes_get_data(mail->bytes, &len) : "!";

		ck_assert_uint_eq(strlen(mail->locator), 40);
		g_string_append(found, i ? " " : "");
		g_string_append_len(found, data, mail->bytes ? (gssize)len : 1);
	}
	ck_assert_msg(strcmp(found->str, want) == 0, "got %s, want %s", found->str, want);
}

static void read_all(Scene *scene, const char *want)
{
	next_of(scene, 500);
	assert_batch(scene, want);
	ack(scene);
}

static void assert_anomaly(const Scene *scene, const char *part)
{
	if (!part)
		ck_assert_msg(!scene->batch.anomaly, "told: %s", scene->batch.anomaly);
	else
		ck_assert_msg(scene->batch.anomaly && strstr(scene->batch.anomaly, part),
			      "told: %s", scene->batch.anomaly);
}

static void assert_next_fails(Scene *scene, BotError code, const char *part)
{
	source_batch_clear(&scene->batch);
	ck_assert(!source_next(scene->source, 500, &scene->batch, &scene->error));
	ck_assert_msg(g_error_matches(scene->error, BOT_ERROR, (int)code) &&
			      strstr(scene->error->message, part),
		      "%d: %s", scene->error->code, scene->error->message);
	g_clear_error(&scene->error);
}

static const SourceMail *mail_at(const Scene *scene, guint index)
{
	ck_assert_uint_lt(index, scene->batch.mails->len);
	return g_ptr_array_index(scene->batch.mails, index);
}

/* Whatever the cursor says cannot be read has been so for two hours. */
static void pass_two_hours(Scene *scene)
{
	char *mark = strchr(scene->cursor, '!');
	ck_assert_ptr_nonnull(mark);
	int64_t since_us = g_ascii_strtoll(mark + 1, NULL, 10) - 2 * 3600 * CLOCK_US_PER_S;
	g_autofree char *rest = g_strdup(mark + 1 + strspn(mark + 1, "0123456789"));

	*mark = '\0';
	char *cursor = g_strdup_printf("%s!%" G_GINT64_FORMAT "%s", scene->cursor, since_us, rest);
	g_free(scene->cursor);
	scene->cursor = cursor;
	reopen(scene);
}

/* ---- tests ---- */

START_TEST(inbox_source_reads_an_epoch_oldest_first_and_then_nothing)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 0, "b", 2);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "a b");

	ck_assert_int_eq(mail_at(&scene, 0)->arrived_us, (NOON_S + 1) * CLOCK_US_PER_S);
	ck_assert_int_eq(mail_at(&scene, 0)->size_bytes, 1);
	ck_assert_str_eq(mail_at(&scene, 0)->locator, "2e65efe2a145dda7ee51d1741299f848e5bf752e");
	ck_assert_int_eq(scene.batch.behind, 0);
	assert_anomaly(&scene, NULL);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.cursor);
	add_mail(&scene, 0, "c", -100);
	read_all(&scene, "c");
	reopen(&scene);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.cursor);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_starting_now_takes_only_what_comes_whatever_its_time)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 1, "b", 2);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON + 3 * CLOCK_US_PER_S});
	read_all(&scene, "");
	ck_assert(g_str_has_prefix(scene.batch.cursor, "start=1704888003000000 newest=1 0="));

	add_mail(&scene, 1, "c", -100);
	add_mail(&scene, 2, "d", -100);
	read_all(&scene, "c d");

	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_starting_in_the_past_goes_by_committer_time_in_any_order)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", -5);
	add_mail(&scene, 0, "b", 5);
	add_mail(&scene, 0, "c", -4);
	add_mail(&scene, 0, "d", 4);
	add_mail(&scene, 0, "e", -3);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON});

	read_all(&scene, "b d");

	read_all(&scene, "");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_keeps_to_the_start_when_it_is_cut_off_at_first_contact)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 0, "b", -1);
	add_mail(&scene, 0, "c", 1);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON});
	next_of(&scene, 1);
	assert_batch(&scene, "a");
	ck_assert_int_eq(scene.batch.behind, 1);
	ck_assert_ptr_nonnull(strstr(scene.batch.cursor, ".."));
	next_of(&scene, 1);
	assert_batch(&scene, "a");
	ack(&scene);

	add_mail(&scene, 0, "d", -1);
	reopen(&scene);
	read_all(&scene, "c d");

	ck_assert_ptr_null(strstr(scene.batch.cursor, ".."));
	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_passes_deletions_over)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_entry(&scene, 0, "d", "a", 2);
	add_mail(&scene, 0, "b", 3);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "a b");

	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_reads_a_rewritten_epoch_again_without_what_is_known)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", -1);
	add_mail(&scene, 0, "b", 2);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON});
	read_all(&scene, "b");

	drop_branch(&scene, 0);
	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 0, "c", 3);
	add_mail(&scene, 0, "x", -1);
	read_all(&scene, "c");
	assert_anomaly(&scene, "epoch 0 was rewritten: read again");

	add_mail(&scene, 0, "d", -1);
	read_all(&scene, "d");
	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_reads_the_next_epoch_from_its_root)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "a");

	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 1, "c", 3);
	add_mail(&scene, 1, "d", 4);
	next_of(&scene, 2);
	assert_batch(&scene, "b c");
	ack(&scene);
	reopen(&scene);
	read_all(&scene, "d");

	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_tells_a_gap_once_and_fills_it_when_it_can)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 2, "c", 3);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON});
	read_all(&scene, "a c");
	assert_anomaly(&scene, "epoch 1 is missing");
	reopen(&scene);
	read_all(&scene, "");
	assert_anomaly(&scene, NULL);

	add_mail(&scene, 1, "old", -1);
	add_mail(&scene, 1, "b", 2);
	read_all(&scene, "b");

	strike(&scene);
}
END_TEST

START_TEST(inbox_source_begins_at_any_epoch)
{
	Scene scene = set_scene();
	add_mail(&scene, 7, "a", 1);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "a");

	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_tells_an_empty_epoch_and_reads_it_when_it_fills)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	git_repository_free(epoch(&scene, 1));
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "a");
	assert_anomaly(&scene, "epoch 1 is empty");
	reopen(&scene);
	read_all(&scene, "");
	assert_anomaly(&scene, NULL);

	add_mail(&scene, 1, "b", 2);
	read_all(&scene, "b");

	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_tells_when_an_epoch_goes_and_goes_on_when_it_comes_back)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 1, "b", 2);
	g_autofree char *path = epoch_path(&scene, 0);
	g_autofree char *aside = g_strconcat(path, ".aside", NULL);
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "a b");

	ck_assert_int_eq(g_rename(path, aside), 0);
	drop_branch(&scene, 1);
	read_all(&scene, "");
	assert_anomaly(&scene, "epoch 0 is gone");
	assert_anomaly(&scene, "epoch 1 is empty now");
	read_all(&scene, "");
	assert_anomaly(&scene, NULL);
	ck_assert_int_eq(g_rename(aside, path), 0);
	add_mail(&scene, 0, "c", 3);

	read_all(&scene, "c");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_tells_what_a_commit_holds_instead_of_a_mail)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid blob = blob_of(repo, "evil");
	git_oid inner = tree_of(repo, "x", &blob, GIT_FILEMODE_BLOB);
	git_oid none = tree_of(repo, NULL, NULL, GIT_FILEMODE_BLOB);
	git_oid hostile[] = {tree_of(repo, "m", &inner, GIT_FILEMODE_TREE),
			     tree_of(repo, "m", &blob, GIT_FILEMODE_LINK),
			     tree_of(repo, "m", &inner, GIT_FILEMODE_COMMIT),
			     tree_of(repo, "n", &blob, GIT_FILEMODE_BLOB)};
	for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++)
		(void)add_tree(repo, &hostile[i], 2);
	(void)add_tree(repo, &none, 2);
	add_mail(&scene, 0, "b", 3);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "a b");

	g_auto(GStrv) told = g_strsplit(scene.batch.anomaly, "; ", -1);
	ck_assert_uint_eq(g_strv_length(told), 4);
	for (size_t i = 0; i < 3; i++)
		ck_assert(g_str_has_suffix(told[i], " was passed over: m is no plain file"));
	ck_assert(g_str_has_suffix(told[3], "its tree holds neither m nor d"));
	read_all(&scene, "");
	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_bounds_what_it_tells)
{
	Scene scene = set_scene();
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid blob = blob_of(repo, "evil");
	git_oid tree = tree_of(repo, "n", &blob, GIT_FILEMODE_BLOB);
	for (int i = 0; i < 200; i++)
		(void)add_tree(repo, &tree, i);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "");

	ck_assert_uint_lt(strlen(scene.batch.anomaly), 1300);
	ck_assert(g_str_has_suffix(scene.batch.anomaly, "; ..."));
	strike(&scene);
}
END_TEST

/* a - b - d - e, with c beside b. */
START_TEST(inbox_source_reads_all_sides_of_a_history_that_forks)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid root, sides[2];
	const char *const texts[] = {"b", "c"};
	ck_assert_int_eq(git_reference_name_to_id(&root, repo, "HEAD"), 0);
	for (size_t i = 0; i < 2; i++) {
		git_oid blob = blob_of(repo, texts[i]);
		git_oid tree = tree_of(repo, "m", &blob, GIT_FILEMODE_BLOB);
		sides[i] = commit_tree(repo, &tree, 2, 1, &root);
	}
	git_oid blob = blob_of(repo, "d");
	git_oid tree = tree_of(repo, "m", &blob, GIT_FILEMODE_BLOB);
	(void)commit_tree(repo, &tree, 3, 2, sides);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON});

	next_of(&scene, 2);
	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ack(&scene);
	add_mail(&scene, 0, "e", -1);
	reopen(&scene);
	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 3);
	ack(&scene);
	read_all(&scene, "");

	ck_assert_uint_eq(g_hash_table_size(scene.known), 5);
	assert_anomaly(&scene, NULL);
	drop_branch(&scene, 0);
	(void)commit_tree(repo, &tree, 3, 2, sides);
	add_mail(&scene, 0, "f", 4);
	read_all(&scene, "f");
	assert_anomaly(&scene, "epoch 0 was rewritten");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_refuses_a_mail_over_the_limit)
{
	Scene scene = set_scene();
	g_autofree char *large = g_strnfill((gsize)MAIL_MAX_BYTES + 1, 'x');
	add_mail(&scene, 0, large, 1);
	add_mail(&scene, 0, "b", 2);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "! b");

	ck_assert_str_eq(mail_at(&scene, 0)->refused,
			 "16.0 MB, more than the 16 MB a mail may have");
	ck_assert_int_eq(mail_at(&scene, 0)->size_bytes, (int64_t)MAIL_MAX_BYTES + 1);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_holds_no_more_than_32_mib_in_a_batch)
{
	Scene scene = set_scene();
	for (int i = 0; i < 4; i++) {
		g_autofree char *text = g_strnfill((gsize)12 * 1024 * 1024, (char)('a' + i));
		add_mail(&scene, 0, text, i);
	}
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ck_assert_int_eq(scene.batch.behind, 2);
	ack(&scene);
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	strike(&scene);
}
END_TEST

static char *object_path(const Scene *scene, const char *hex)
{
	return g_strdup_printf("%s/git/0.git/objects/%.2s/%s", scene->dir, hex, hex + 2);
}

START_TEST(inbox_source_waits_for_a_mail_that_cannot_be_read_and_then_refuses_it)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 0, "c", 3);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid a = blob_of(repo, "a"), b = blob_of(repo, "b");
	g_autofree char *path_a = object_path(&scene, git_oid_tostr_s(&a));
	g_autofree char *path_b = object_path(&scene, git_oid_tostr_s(&b));
	ck_assert_int_eq(g_unlink(path_a), 0);
	ck_assert_int_eq(g_unlink(path_b), 0);
	ck_assert(g_file_set_contents(path_b, "garbage", -1, NULL));
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "");
	assert_anomaly(&scene, "cannot be read");
	assert_anomaly(&scene, "the epoch waits an hour for it");
	assert_next_fails(&scene, BOT_ERROR_TRANSIENT, git_oid_tostr_s(&a));
	reopen(&scene);
	assert_next_fails(&scene, BOT_ERROR_TRANSIENT, git_oid_tostr_s(&a));
	pass_two_hours(&scene);
	read_all(&scene, "! ! c");

	ck_assert_ptr_nonnull(strstr(mail_at(&scene, 0)->refused, git_oid_tostr_s(&a)));
	ck_assert_ptr_nonnull(strstr(mail_at(&scene, 1)->refused, "cannot be read"));
	read_all(&scene, "");
	assert_anomaly(&scene, NULL);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_reads_a_mail_that_is_mended_in_time_and_other_epochs_meanwhile)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 1, "c", 3);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid a = blob_of(repo, "a");
	g_autofree char *path = object_path(&scene, git_oid_tostr_s(&a));
	g_autofree char *away = g_strconcat(path, ".away", NULL);
	ck_assert_int_eq(g_rename(path, away), 0);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "c");
	assert_anomaly(&scene, "epoch 0, commit");
	add_mail(&scene, 1, "d", 4);
	read_all(&scene, "d");
	assert_next_fails(&scene, BOT_ERROR_TRANSIENT, "epoch 0, commit");
	ck_assert_int_eq(g_rename(away, path), 0);
	read_all(&scene, "a b");

	ck_assert_ptr_null(strchr(scene.cursor, '!'));
	read_all(&scene, "");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_refuses_an_empty_mail)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "", 1);
	add_mail(&scene, 0, "b", 2);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "! b");

	ck_assert_str_eq(mail_at(&scene, 0)->refused, "it is empty");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_reads_no_huge_commit_or_tree)
{
	Scene scene = set_scene();
	g_autofree char *text = g_strnfill((gsize)1024 * 1024, 'x');
	add_mail(&scene, 0, "a", 1);
	add_mail(&scene, 1, "b", 2);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	g_autoptr(git_odb) odb = NULL;
	g_autoptr(git_reference) branch = NULL;
	git_oid huge, tip;
	ck_assert_int_eq(git_repository_odb(&odb, repo), 0);
	ck_assert_int_eq(git_reference_name_to_id(&tip, repo, "HEAD"), 0);
	g_autoptr(git_commit) first = NULL;
	ck_assert_int_eq(git_commit_lookup(&first, repo, &tip), 0);
	g_autofree char *tree = g_strdup(git_oid_tostr_s(git_commit_tree_id(first)));
	g_autofree char *commit =
		g_strdup_printf("tree %s\nparent %s\nauthor A <a@example.org> 1 +0000\n"
				"committer A <a@example.org> 1 +0000\n\n%s\n",
				tree, git_oid_tostr_s(&tip), text);
	ck_assert_int_eq(git_odb_write(&huge, odb, commit, strlen(commit), GIT_OBJECT_COMMIT), 0);
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "a b");
	ck_assert_int_eq(
		git_reference_create(&branch, repo, "refs/heads/master", &huge, true, NULL), 0);
	add_mail(&scene, 1, "c", 3);

	read_all(&scene, "c");

	assert_next_fails(&scene, BOT_ERROR_PERMANENT, "bytes");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_stops_with_a_named_error_at_a_commit_that_cannot_be_read)
{
	Scene scene = set_scene();
	add_mail(&scene, 0, "a", 1);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid lost;
	ck_assert_int_eq(git_reference_name_to_id(&lost, repo, "HEAD"), 0);
	add_mail(&scene, 0, "b", 2);
	g_autofree char *path = object_path(&scene, git_oid_tostr_s(&lost));
	ck_assert_int_eq(g_unlink(path), 0);
	open_with(&scene, (SourceOptions){0});

	assert_next_fails(&scene, BOT_ERROR_NOT_FOUND, "0.git: cannot read commit");

	strike(&scene);
}
END_TEST

/* What a crash may leave of a file: @part of @of. */
static void cut_off(const Scene *scene, const git_oid *id, gsize part, gsize of)
{
	g_autofree char *path = object_path(scene, git_oid_tostr_s(id));
	g_autofree char *bytes = NULL;
	gsize len;

	ck_assert(g_file_get_contents(path, &bytes, &len, NULL));
	ck_assert(fs_write_durable(path, bytes, len * part / of, 0644, NULL));
}

START_TEST(inbox_source_says_which_object_is_cut_off_and_what_to_do)
{
	Scene scene = set_scene();
	g_autofree char *text = g_strnfill(100000, 'a');
	add_mail(&scene, 0, text, 1);
	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 0, "c", 3);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid a = blob_of(repo, text), b = blob_of(repo, "b");
	cut_off(&scene, &a, 1, 2);
	cut_off(&scene, &b, 0, 1);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "");
	assert_anomaly(&scene, "is cut off on disk; remove ");
	pass_two_hours(&scene);
	read_all(&scene, "! ! c");

	for (guint i = 0; i < 2; i++)
		ck_assert_ptr_nonnull(
			strstr(mail_at(&scene, i)->refused, "is cut off on disk; remove "));
	strike(&scene);
}
END_TEST

/* The object is put back afterwards. */
static void assert_stops_at(Scene *scene, const git_oid *id, gsize part, gsize of)
{
	g_autofree char *path = object_path(scene, git_oid_tostr_s(id));
	g_autofree char *want = g_strdup_printf("object %s is cut off on disk; remove %s",
						git_oid_tostr_s(id), path);
	g_autofree char *bytes = NULL;
	gsize len;

	ck_assert(g_file_get_contents(path, &bytes, &len, NULL));
	cut_off(scene, id, part, of);
	assert_next_fails(scene, BOT_ERROR_PERMANENT, want);
	ck_assert(fs_write_durable(path, bytes, len, 0644, NULL));
}

START_TEST(inbox_source_stops_at_a_commit_that_is_cut_off)
{
	Scene scene = set_scene();
	git_oid id;
	add_mail(&scene, 0, "a", 1);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	ck_assert_int_eq(git_reference_name_to_id(&id, repo, "HEAD"), 0);
	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 1, "c", 3);
	open_with(&scene, (SourceOptions){0});

	assert_stops_at(&scene, &id, 0, 1);
	assert_stops_at(&scene, &id, 1, 2);
	assert_stops_at(&scene, &id, 9, 10);

	reopen(&scene);
	read_all(&scene, "a b c");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_waits_for_a_tree_that_is_cut_off)
{
	Scene scene = set_scene();
	git_oid id;
	add_mail(&scene, 0, "a", 1);
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	g_autoptr(git_commit) commit = NULL;
	ck_assert_int_eq(git_reference_name_to_id(&id, repo, "HEAD"), 0);
	ck_assert_int_eq(git_commit_lookup(&commit, repo, &id), 0);
	add_mail(&scene, 0, "b", 2);
	add_mail(&scene, 1, "c", 3);
	cut_off(&scene, git_commit_tree_id(commit), 1, 2);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "c");
	assert_anomaly(&scene, "is cut off on disk; remove ");
	pass_two_hours(&scene);
	read_all(&scene, "b");

	assert_anomaly(&scene, "was given up: its tree");
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_says_what_is_wrong_with_folder_or_cursor)
{
	Scene scene = set_scene();
	SourceOptions options = {.name = "list", .url = scene.url, .stop_fd = -1};
	g_autofree char *git = g_build_filename(scene.dir, "git", NULL);
	g_autofree char *objects = g_build_filename(scene.dir, "objects", NULL);

	ck_assert_ptr_null(source_open(&options, &scene.error));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CONFIG));
	ck_assert_ptr_nonnull(strstr(scene.error->message, "there is no folder git in it"));
	g_clear_error(&scene.error);
	ck_assert_int_eq(g_mkdir(objects, 0700), 0);
	ck_assert_ptr_null(source_open(&options, &scene.error));
	ck_assert_ptr_nonnull(strstr(scene.error->message, "first format"));
	g_clear_error(&scene.error);

	ck_assert_int_eq(g_mkdir(git, 0700), 0);
	open_with(&scene, (SourceOptions){0});
	assert_next_fails(&scene, BOT_ERROR_NOT_FOUND, "holds no epoch");
	g_autofree char *epoch_0 = epoch_path(&scene, 0);
	ck_assert_int_eq(g_mkdir(epoch_0, 0700), 0);
	assert_next_fails(&scene, BOT_ERROR_NOT_FOUND, "0.git is no bare repository");

	static const char *const foreign[] = {
		"start=3",
		"start=3 newest=0 0=12",
		"start=3 newest=0 1=root 0=root",
		"start=3 newest=0 0=root..",
		"start=3 newest=0 10000=root",
		"uid=3 newest=0",
	};
	for (size_t i = 0; i < G_N_ELEMENTS(foreign); i++) {
		options.cursor = foreign[i];
		ck_assert_ptr_null(source_open(&options, &scene.error));
		ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CORRUPT));
		g_clear_error(&scene.error);
	}
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_refuses_the_first_format)
{
	Scene scene = set_scene();
	g_autoptr(git_repository) repo = epoch(&scene, 0);
	git_oid blob = blob_of(repo, "a");
	git_oid inner =
		tree_of(repo, "0123456789abcdef0123456789abcdef012345", &blob, GIT_FILEMODE_BLOB);
	git_oid tree = tree_of(repo, "a9", &inner, GIT_FILEMODE_TREE);
	(void)add_tree(repo, &tree, 1);
	open_with(&scene, (SourceOptions){0});

	assert_next_fails(&scene, BOT_ERROR_CONFIG, "0.git is of public-inbox's first format");

	strike(&scene);
}
END_TEST

/* By git itself: packed, as an archive is. */
static void import(const Scene *scene, unsigned n_mails)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *path = epoch_path(scene, 0);
	g_autofree char *input = g_build_filename(scene->dir, "import", NULL);
	g_autofree char *line = g_strdup_printf(
		"sh -c 'exec git --git-dir=%s fast-import --quiet <%s'", path, input);
	int status = -1;

	git_repository_free(epoch(scene, 0));
	for (unsigned i = 0; i < n_mails; i++) {
		g_autofree char *mail = g_strdup_printf("Message-ID: <%u@example.org>\n\nx\n", i);
		g_string_append_printf(text,
				       "commit refs/heads/master\n"
				       "committer A <a@example.org> %u +0000\ndata 1\nx\n"
				       "M 100644 inline m\ndata %zu\n%s\n",
				       1704888000 + i, strlen(mail), mail);
	}
	ck_assert(g_file_set_contents(input, text->str, (gssize)text->len, NULL));
	ck_assert(g_spawn_command_line_sync(line, NULL, NULL, &status, NULL));
	ck_assert_int_eq(status, 0);
}

START_TEST(inbox_source_reads_ten_thousand_commits)
{
	Scene scene = set_scene();
	guint n_mails = 0, n;
	import(&scene, 10000);
	open_with(&scene, (SourceOptions){0});

	do {
		next_of(&scene, 500);
		n = scene.batch.mails->len;
		n_mails += n;
		ck_assert_int_eq(scene.batch.behind, 10000 - (int64_t)n_mails);
		ack(&scene);
	} while (n > 0);

	ck_assert_uint_eq(n_mails, 10000);
	/* A long past is searched only as far as needed. */
	scene.cursor = (g_free(scene.cursor), NULL);
	g_hash_table_remove_all(scene.known);
	open_with(&scene, (SourceOptions){.start_us = SINCE_NOON + 9990 * CLOCK_US_PER_S});
	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 10);
	strike(&scene);
}
END_TEST

START_TEST(inbox_source_looks_every_two_seconds_and_stops_at_once)
{
	Scene scene = set_scene();
	int pipe_fds[2];
	ck_assert_int_eq(pipe(pipe_fds), 0);
	add_mail(&scene, 0, "a", 1);
	open_with(&scene, (SourceOptions){.stop_fd = pipe_fds[0]});
	read_all(&scene, "a");
	int64_t before_us = g_get_monotonic_time();

	ck_assert(source_wait(scene.source, 30000, &scene.error));
	int64_t waited_us = g_get_monotonic_time() - before_us;
	ck_assert_int_gt(waited_us, 1500000);
	ck_assert_int_lt(waited_us, 10000000);
	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
	before_us = g_get_monotonic_time();
	ck_assert(source_wait(scene.source, 30000, &scene.error));

	ck_assert_int_lt(g_get_monotonic_time() - before_us, 1500000);
	strike(&scene);
}
END_TEST

CHECK_MAIN("inbox_source", inbox_source_reads_an_epoch_oldest_first_and_then_nothing,
	   inbox_source_starting_now_takes_only_what_comes_whatever_its_time,
	   inbox_source_starting_in_the_past_goes_by_committer_time_in_any_order,
	   inbox_source_keeps_to_the_start_when_it_is_cut_off_at_first_contact,
	   inbox_source_passes_deletions_over,
	   inbox_source_reads_a_rewritten_epoch_again_without_what_is_known,
	   inbox_source_reads_the_next_epoch_from_its_root,
	   inbox_source_tells_a_gap_once_and_fills_it_when_it_can, inbox_source_begins_at_any_epoch,
	   inbox_source_tells_an_empty_epoch_and_reads_it_when_it_fills,
	   inbox_source_tells_when_an_epoch_goes_and_goes_on_when_it_comes_back,
	   inbox_source_tells_what_a_commit_holds_instead_of_a_mail,
	   inbox_source_bounds_what_it_tells, inbox_source_reads_all_sides_of_a_history_that_forks,
	   inbox_source_refuses_a_mail_over_the_limit,
	   inbox_source_holds_no_more_than_32_mib_in_a_batch,
	   inbox_source_waits_for_a_mail_that_cannot_be_read_and_then_refuses_it,
	   inbox_source_reads_a_mail_that_is_mended_in_time_and_other_epochs_meanwhile,
	   inbox_source_refuses_an_empty_mail, inbox_source_reads_no_huge_commit_or_tree,
	   inbox_source_stops_with_a_named_error_at_a_commit_that_cannot_be_read,
	   inbox_source_says_which_object_is_cut_off_and_what_to_do,
	   inbox_source_stops_at_a_commit_that_is_cut_off,
	   inbox_source_waits_for_a_tree_that_is_cut_off,
	   inbox_source_says_what_is_wrong_with_folder_or_cursor,
	   inbox_source_refuses_the_first_format, inbox_source_reads_ten_thousand_commits,
	   inbox_source_looks_every_two_seconds_and_stops_at_once)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/git.h"
#include "tests/unit/check_main.h"

#include <string.h>
#include <zlib.h>

typedef struct {
	char *dir;
	char *path;
	git_oid blob;
	char hex[GIT_OID_HEXSZ + 1];
	char *file;  /* of the blob */
	char *bytes; /* what stands in there */
	gsize n_bytes;
} Scene;

/* A repository with one loose blob of some kilobytes that hardly compress. */
static Scene set_scene(void)
{
	Scene scene = {.dir = g_dir_make_tmp("gitloose-XXXXXX", NULL)};
	g_autoptr(git_repository) repo = NULL;
	g_autoptr(GRand) noise = g_rand_new_with_seed(1);
	guint32 words[16384];

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		words[i] = g_rand_int(noise);
	git_start();
	scene.path = g_build_filename(scene.dir, "a.git", NULL);
	ck_assert_int_eq(git_create_bare(&repo, scene.path, "main"), 0);
	ck_assert_int_eq(git_blob_create_from_buffer(&scene.blob, repo, words, sizeof words), 0);
	git_oid_tostr(scene.hex, sizeof scene.hex, &scene.blob);
	scene.file = g_strdup_printf("%s/objects/%.2s/%s", scene.path, scene.hex, scene.hex + 2);
	ck_assert(g_file_get_contents(scene.file, &scene.bytes, &scene.n_bytes, NULL));
	return scene;
}

static void strike(Scene *scene)
{
	ck_assert(fs_remove_tree(scene->dir, NULL));
	g_free(scene->dir);
	g_free(scene->path);
	g_free(scene->file);
	g_free(scene->bytes);
}

static void put(const Scene *scene, const void *bytes, gsize len)
{
	ck_assert(fs_write_durable(scene->file, bytes, len, 0644, NULL));
}

/* As git writes it: @text, header and all, through zlib. */
static void put_deflated(const Scene *scene, const char *text, size_t len)
{
	unsigned char packed[4096];
	uLongf n = sizeof packed;

	ck_assert_int_eq(compress(packed, &n, (const unsigned char *)text, len), Z_OK);
	put(scene, packed, n);
}

static void assert_refused(const Scene *scene, int rc, const char *why)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *want =
		g_strdup_printf("object %s %s on disk; remove %s", scene->hex, why, scene->file);

	ck_assert_int_lt(rc, 0);
	ck_assert(!git_fail(&error, rc, "cannot read"));
	ck_assert_msg(strstr(error->message, want) != NULL, "%s", error->message);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
}

static void assert_unreadable(const Scene *scene, const char *why)
{
	g_autoptr(git_repository) repo = NULL;
	git_blob *blob = NULL;

	ck_assert_int_eq(git_open_bare(&repo, scene->path), 0);
	assert_refused(scene, git_blob_lookup(&blob, repo, &scene->blob), why);
	assert_refused(scene, git_blob_lookup_prefix(&blob, repo, &scene->blob, 12), why);
}

START_TEST(gitloose_reads_what_is_whole)
{
	Scene scene = set_scene();
	g_autoptr(git_repository) repo = NULL;
	g_autoptr(git_blob) blob = NULL;
	g_autoptr(git_blob) by_prefix = NULL;
	g_autoptr(git_odb) odb = NULL;
	git_object_t type;
	git_oid none = scene.blob;
	size_t size;
	git_blob *lost = NULL;
	ck_assert_int_eq(git_open(&repo, scene.path), 0);

	ck_assert_int_eq(git_blob_lookup(&blob, repo, &scene.blob), 0);
	ck_assert_int_eq(git_blob_rawsize(blob), 65536);
	ck_assert_int_eq(git_blob_lookup_prefix(&by_prefix, repo, &scene.blob, 9), 0);
	ck_assert_int_eq(git_repository_odb(&odb, repo), 0);
	ck_assert_int_eq(git_odb_read_header(&size, &type, odb, &scene.blob), 0);
	ck_assert_uint_eq(size, 65536);
	ck_assert_int_eq(type, GIT_OBJECT_BLOB);
	none.id[19] ^= 1;
	ck_assert_int_eq(git_blob_lookup(&lost, repo, &none), GIT_ENOTFOUND);
	none.id[0] ^= 1;
	ck_assert_int_eq(git_blob_lookup(&lost, repo, &none), GIT_ENOTFOUND);
	strike(&scene);
}
END_TEST

START_TEST(gitloose_names_an_object_that_is_cut_off_anywhere)
{
	Scene scene = set_scene();
	const gsize lens[] = {0,
			      1,
			      2,
			      20,
			      scene.n_bytes / 2,
			      scene.n_bytes - 16384,
			      scene.n_bytes - 5,
			      scene.n_bytes - 1};

	for (size_t i = 0; i < G_N_ELEMENTS(lens); i++) {
		put(&scene, scene.bytes, lens[i]);
		assert_unreadable(&scene, "is cut off");
	}
	strike(&scene);
}
END_TEST

#define WITH_LEN(text) text, sizeof(text) - 1

START_TEST(gitloose_names_an_object_that_is_not_what_it_says)
{
	Scene scene = set_scene();
	g_autofree char *more = g_strnfill(scene.n_bytes + 1, 'x');
	memcpy(more, scene.bytes, scene.n_bytes);
	const struct {
		const char *text;
		size_t len;
		const char *why;
	} cases[] = {
		{WITH_LEN("blob 3\0abcd"), "is longer than it says"},
		{WITH_LEN("blob 3\0ab"), "is shorter than it says"},
		{WITH_LEN("blob 3\0abcdefghijklmnopqrstuvwxyz0123456789"),
		 "is longer than it says"},
		{WITH_LEN("blob 40\0abcdefghijklmnopqrstuvwxyz012345678901234"),
		 "is longer than it says"},
		{WITH_LEN("blob 999999999\0ab"), "is larger than 512 MB"},
		{WITH_LEN("blob 99999999999999999999999\0ab"), "has no header"},
		{WITH_LEN("blob -1\0ab"), "has no header"},
		{WITH_LEN("blob 02\0ab"), "has no header"},
		{WITH_LEN("blob \0ab"), "has no header"},
		{WITH_LEN("blub 2\0ab"), "has no header"},
		{WITH_LEN("blob2\0ab"), "has no header"},
		{WITH_LEN("blob 2"), "has no header"},
		{WITH_LEN(""), "has no header"},
		{WITH_LEN("blob                                         2\0ab"), "has no header"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		put_deflated(&scene, cases[i].text, cases[i].len);
		assert_unreadable(&scene, cases[i].why);
	}
	put(&scene, "garbage", 7);
	assert_unreadable(&scene, "is damaged");
	put(&scene, more, scene.n_bytes + 1);
	assert_unreadable(&scene, "is longer than it says");
	strike(&scene);
}
END_TEST

/* b borrows from a by its file, c is told to while it is open. */
START_TEST(gitloose_names_a_borrowed_object_too)
{
	Scene scene = set_scene();
	g_autofree char *objects = g_build_filename(scene.path, "objects", NULL);
	g_autofree char *path_b = g_build_filename(scene.dir, "b.git", NULL);
	g_autofree char *path_c = g_build_filename(scene.dir, "c.git", NULL);
	g_autofree char *lines = g_strdup_printf("# ours\n\n%s\n", objects);
	g_autofree char *alternates = g_build_filename(path_b, "objects/info/alternates", NULL);
	g_autoptr(git_repository) made = NULL;
	g_autoptr(git_repository) b = NULL;
	g_autoptr(git_repository) c = NULL;
	g_autoptr(git_blob) whole = NULL;
	git_blob *blob = NULL;
	ck_assert_int_eq(git_create_bare(&made, path_b, "main"), 0);
	ck_assert(fs_write_durable(alternates, lines, strlen(lines), 0644, NULL));
	ck_assert_int_eq(git_create_bare(&c, path_c, "main"), 0);
	ck_assert_int_eq(git_borrow(c, objects), 0);
	put(&scene, scene.bytes, scene.n_bytes / 2);
	ck_assert_int_eq(git_open(&b, path_b), 0);

	assert_refused(&scene, git_blob_lookup(&blob, b, &scene.blob), "is cut off");
	assert_refused(&scene, git_blob_lookup(&blob, c, &scene.blob), "is cut off");

	put(&scene, scene.bytes, scene.n_bytes);
	ck_assert_int_eq(git_blob_lookup(&whole, b, &scene.blob), 0);
	strike(&scene);
}
END_TEST

CHECK_MAIN("gitloose", gitloose_reads_what_is_whole,
	   gitloose_names_an_object_that_is_cut_off_anywhere,
	   gitloose_names_an_object_that_is_not_what_it_says, gitloose_names_a_borrowed_object_too)

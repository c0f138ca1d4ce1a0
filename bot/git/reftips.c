/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/reftips.h"

#include <string.h>

static void tip_free(gpointer data)
{
	RefTip *tip = data;

	g_free(tip->name);
	g_free(tip);
}

GPtrArray *reftips_new(void)
{
	return g_ptr_array_new_with_free_func(tip_free);
}

static void add_name(GPtrArray *tips, const char *name, const git_oid *oid)
{
	RefTip *tip = g_new0(RefTip, 1);

	tip->name = g_strdup(name);
	git_oid_cpy(&tip->oid, oid);
	g_ptr_array_add(tips, tip);
}

void reftips_add(GPtrArray *tips, const char *ref, const git_oid *oid)
{
	bool head = strcmp(ref, "HEAD") == 0;

	if (!head && !g_str_has_prefix(ref, "refs/heads/") && !g_str_has_prefix(ref, "refs/tags/"))
		return;
	/* A server also lists what a tag points to, as "refs/tags/x^{}"; that is no valid name. */
	if (git_reference_is_valid_name(ref))
		add_name(tips, head ? ref : ref + strlen("refs/"), oid);
}

const RefTip *reftips_find(const GPtrArray *tips, const char *name)
{
	for (guint i = 0; i < tips->len; i++) {
		const RefTip *tip = tips->pdata[i];
		if (strcmp(tip->name, name) == 0)
			return tip;
	}
	return NULL;
}

/* Collects "refs/X" for every ref PREFIX + X; symbolic ones too, by what they point to. */
static bool collect(git_repository *repo, const char *prefix, GPtrArray *tips, GError **error)
{
	git_strarray names = {0};
	int rc = git_reference_list(&names, repo);

	if (rc < 0)
		return git_fail(error, rc, "cannot list the refs of %s", git_repository_path(repo));
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.strings[i];
		git_oid oid;

		if (!g_str_has_prefix(name, prefix))
			continue;
		if (git_reference_name_to_id(&oid, repo, name) == 0)
			add_name(tips, name + strlen(prefix), &oid);
		else
			git_error_clear();
	}
	git_strarray_dispose(&names);
	return true;
}

GPtrArray *reftips_of_prefix(git_repository *repo, const char *prefix, GError **error)
{
	g_autoptr(GPtrArray) tips = reftips_new();

	return collect(repo, prefix, tips, error) ? g_steal_pointer(&tips) : NULL;
}

GPtrArray *reftips_of_repository(git_repository *repo, GError **error)
{
	g_autoptr(GPtrArray) all = reftips_of_prefix(repo, "refs/", error);
	GPtrArray *tips;
	git_oid head;

	if (!all)
		return NULL;
	tips = reftips_new();
	for (guint i = 0; i < all->len; i++) {
		const RefTip *tip = all->pdata[i];
		g_autofree char *ref = g_strconcat("refs/", tip->name, NULL);
		reftips_add(tips, ref, &tip->oid);
	}
	if (git_reference_name_to_id(&head, repo, "HEAD") == 0)
		reftips_add(tips, "HEAD", &head);
	else
		git_error_clear();
	return tips;
}

GPtrArray *reftips_choose(const GPtrArray *tips, const char *branch)
{
	GPtrArray *chosen;

	if (!branch) {
		chosen = reftips_new();
		for (guint i = 0; i < tips->len; i++) {
			const RefTip *tip = tips->pdata[i];
			add_name(chosen, tip->name, &tip->oid);
		}
		return chosen;
	}

	if (g_str_has_prefix(branch, "refs/heads/"))
		branch += strlen("refs/heads/");
	g_autofree char *head = g_strconcat("heads/", branch, NULL);
	g_autofree char *tag = g_strconcat("tags/", branch, NULL);
	const RefTip *tip = reftips_find(tips, head);

	if (!tip)
		tip = reftips_find(tips, tag);
	if (!tip)
		return NULL;
	chosen = reftips_new();
	add_name(chosen, tip->name, &tip->oid);
	add_name(chosen, "HEAD", &tip->oid);
	return chosen;
}

static bool put_ref(git_repository *repo, const char *name, const git_oid *oid, GError **error)
{
	g_autoptr(git_reference) ref = NULL;
	git_oid now;
	int rc;

	if (git_reference_name_to_id(&now, repo, name) == 0 && git_oid_equal(&now, oid))
		return true;
	rc = git_reference_create(&ref, repo, name, oid, true, NULL);
	return rc == 0 || git_fail(error, rc, "cannot set %s", name);
}

/* First what is gone, since "x" must make room for "x/y". */
static bool remove_others(git_repository *repo, const GPtrArray *tips, const char *prefix,
			  GError **error)
{
	g_autoptr(GPtrArray) now = reftips_of_prefix(repo, prefix, error);
	g_autoptr(GHashTable) wanted = g_hash_table_new(g_str_hash, g_str_equal);

	if (!now)
		return false;
	for (guint i = 0; i < tips->len; i++)
		g_hash_table_add(wanted, ((const RefTip *)tips->pdata[i])->name);
	for (guint i = 0; i < now->len; i++) {
		const RefTip *tip = now->pdata[i];
		g_autofree char *name = g_strconcat(prefix, tip->name, NULL);

		if (g_hash_table_contains(wanted, tip->name))
			continue;
		int rc = git_reference_remove(repo, name);
		if (rc < 0)
			return git_fail(error, rc, "cannot remove %s", name);
	}
	return true;
}

bool reftips_store(git_repository *repo, const GPtrArray *tips, const char *prefix, GError **error)
{
	if (!remove_others(repo, tips, prefix, error))
		return false;
	for (guint i = 0; i < tips->len; i++) {
		const RefTip *tip = tips->pdata[i];
		g_autofree char *name = g_strconcat(prefix, tip->name, NULL);

		if (!put_ref(repo, name, &tip->oid, error))
			return false;
	}
	return true;
}

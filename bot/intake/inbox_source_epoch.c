/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/inbox_source_epoch.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/source_private.h"
#include "bot/intake/watch.h"
#include "mailparse/limits.h"

#include <string.h>

#define MAX_COMMITS 10000000u /* of an epoch; public-inbox begins a new one long before    */
/* A commit or a tree; those of public-inbox have some hundred bytes. */
#define OBJECT_MAX_BYTES (1024u * 1024)
#define COMMITS_PER_LOOK 1024u
#define COMMITS_PER_OPENING 16384u

/* ---- the repository ---- */

git_repository *inbox_epoch_open(const char *path, GError **error)
{
	git_repository *repo = NULL;
	int rc;

	git_start();
	rc = git_open_bare(&repo, path);
	if (rc < 0)
		(void)git_fail(error, rc, "%s is no bare repository", path);
	return repo;
}

/* What is larger is not read into memory. */
static int check_size(git_repository *repo, const git_oid *id)
{
	g_autoptr(git_odb) odb = NULL;
	git_object_t type;
	size_t size = 0;
	int rc = git_repository_odb(&odb, repo);

	if (rc == 0)
		rc = git_odb_read_header(&size, &type, odb, id);
	if (rc < 0 || size <= OBJECT_MAX_BYTES)
		return rc;
	g_autofree char *why = g_strdup_printf("object %s has %" G_GSIZE_FORMAT " bytes",
					       git_oid_tostr_s(id), size);
	git_error_set_str(GIT_ERROR_ODB, why);
	return GIT_ERROR;
}

static int read_commit(git_commit **out_commit, git_repository *repo, const git_oid *id)
{
	int rc = check_size(repo, id);

	return rc < 0 ? rc : git_commit_lookup(out_commit, repo, id);
}

static int read_tree(git_tree **out_tree, git_repository *repo, const git_commit *commit)
{
	int rc = check_size(repo, git_commit_tree_id(commit));

	return rc < 0 ? rc : git_commit_tree(out_tree, commit);
}

static bool is_v1_name(const git_tree_entry *entry)
{
	const char *name = git_tree_entry_name(entry);

	return strlen(name) == 2 && g_ascii_isxdigit(name[0]) && g_ascii_isxdigit(name[1]) &&
	       git_tree_entry_type(entry) == GIT_OBJECT_TREE;
}

/* public-inbox v1 keeps all mails in the tree, as 2/38 digits of a hash. */
static bool refuse_v1(const char *path, git_tree *tree, GError **error)
{
	size_t n = git_tree_entrycount(tree);

	for (size_t i = 0; i < n; i++) {
		if (!is_v1_name(git_tree_entry_byindex(tree, i)))
			return true;
	}
	if (n == 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
		    "%s is of public-inbox's first format, which is not read; convert it "
		    "(public-inbox-convert)",
		    path);
	return false;
}

static bool check_format(git_repository *repo, const char *path, const git_oid *tip, GError **error)
{
	g_autoptr(git_commit) commit = NULL;
	g_autoptr(git_tree) tree = NULL;
	int rc = read_commit(&commit, repo, tip);

	if (rc == 0)
		rc = read_tree(&tree, repo, commit);
	if (rc < 0)
		return git_fail(error, rc, "%s: cannot read its newest commit %s", path,
				git_oid_tostr_s(tip));
	return refuse_v1(path, tree, error);
}

bool inbox_epoch_tip(const char *path, char out_tip[INBOX_ID_LEN + 1], GError **error)
{
	g_autoptr(git_repository) repo = inbox_epoch_open(path, error);
	git_oid tip;
	int rc;

	out_tip[0] = '\0';
	if (!repo)
		return false;
	rc = git_reference_name_to_id(&tip, repo, "HEAD");
	if (rc == GIT_ENOTFOUND) {
		git_error_clear();
		return true;
	}
	if (rc < 0)
		return git_fail(error, rc, "%s: cannot read its HEAD", path);
	git_oid_tostr(out_tip, INBOX_ID_LEN + 1, &tip);
	return check_format(repo, path, &tip, error);
}

/* ---- which commits ---- */

typedef struct {
	const char *path;
	git_repository *repo;
	git_oid tip;
	bool has_pos;
	git_oid pos;
	bool has_limit;
	git_oid limit;
	int64_t start_us;
	int stop_fd;
	InboxRange *range;
	bool forks; /* a commit has several parents */
} Walk;

static bool stop_asked(const Walk *walk, GError **error)
{
	if (!watch_stop_asked(walk->stop_fd))
		return false;
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "stopped while listing %s", walk->path);
	return true;
}

/* libgit2 keeps what it has parsed as long as the repository is open, up to 256 MB. */
static bool forget_parsed(Walk *walk, GError **error)
{
	g_clear_pointer(&walk->repo, git_repository_free);
	walk->repo = inbox_epoch_open(walk->path, error);
	return walk->repo != NULL;
}

static bool rest(Walk *walk, guint n_seen, GError **error)
{
	if (n_seen % COMMITS_PER_LOOK == 0 && stop_asked(walk, error))
		return false;
	if (n_seen == MAX_COMMITS) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "%s has more than %u commits",
			    walk->path, MAX_COMMITS);
		return false;
	}
	return n_seen % COMMITS_PER_OPENING != 0 || n_seen == 0 || forget_parsed(walk, error);
}

static bool is_since_start(const Walk *walk, const git_commit *commit)
{
	return git_commit_time(commit) >= walk->start_us / CLOCK_US_PER_S;
}

static void reverse(GArray *commits)
{
	for (guint low = 0, high = commits->len; low + 1 < high; low++) {
		git_oid *a = &g_array_index(commits, git_oid, low);
		git_oid *b = &g_array_index(commits, git_oid, --high);
		git_oid kept = *a;

		*a = *b;
		*b = kept;
	}
}

/*
 * One step back along the first parent.
 *
 * @io_id: becomes the parent
 * @out_end: there is none, or several
 */
static bool step_back(Walk *walk, git_oid *io_id, bool below, bool *out_end, GError **error)
{
	g_autoptr(git_commit) commit = NULL;
	int rc = read_commit(&commit, walk->repo, io_id);

	if (rc < 0)
		return git_fail(error, rc, "%s: cannot read commit %s", walk->path,
				git_oid_tostr_s(io_id));
	bool wanted = !below || is_since_start(walk, commit);
	if (wanted)
		g_array_append_val(walk->range->commits, *io_id);
	walk->range->n_limited += below && wanted;
	walk->forks = git_commit_parentcount(commit) > 1;
	*out_end = git_commit_parentcount(commit) != 1;
	if (!*out_end)
		git_oid_cpy(io_id, git_commit_parent_id(commit, 0));
	return true;
}

/* From the tip back to the position; gives up where the history forks. */
static bool walk_chain(Walk *walk, GError **error)
{
	git_oid id = walk->tip;
	bool below = false, end = false, at_pos = false;

	for (guint n = 0; !end; n++) {
		at_pos = walk->has_pos && git_oid_equal(&id, &walk->pos);
		below = below || (walk->has_limit && git_oid_equal(&id, &walk->limit));
		if (at_pos)
			break;
		if (!rest(walk, n, error) || !step_back(walk, &id, below, &end, error))
			return false;
	}
	walk->range->is_rewritten = (walk->has_pos && !at_pos) || (walk->has_limit && !below);
	reverse(walk->range->commits);
	return true;
}

/* @to and what it stands on, without @hidden (nullable) and what they stand on, oldest first. */
static bool walk_between(Walk *walk, const git_oid *to, const git_oid *const hidden[2],
			 bool only_since, GError **error)
{
	g_autoptr(git_revwalk) revwalk = NULL;
	git_oid id;
	int rc = git_revwalk_new(&revwalk, walk->repo);

	if (rc == 0)
		rc = git_revwalk_sorting(revwalk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
	if (rc == 0)
		rc = git_revwalk_push(revwalk, to);
	for (size_t i = 0; i < 2 && rc == 0; i++)
		rc = hidden[i] ? git_revwalk_hide(revwalk, hidden[i]) : 0;
	for (guint n = 1; rc == 0 && (rc = git_revwalk_next(&id, revwalk)) == 0; n++) {
		g_autoptr(git_commit) commit = NULL;

		if (n % COMMITS_PER_LOOK == 0 && stop_asked(walk, error))
			return false;
		rc = read_commit(&commit, walk->repo, &id);
		if (rc == 0 && (!only_since || is_since_start(walk, commit)))
			g_array_append_val(walk->range->commits, id);
	}
	return rc == GIT_ITEROVER || git_fail(error, rc, "%s: cannot list it", walk->path);
}

/* -1 with @error; 1 when @ancestor is @id or one of those it stands on */
static int stands_on(Walk *walk, const git_oid *id, const git_oid *ancestor, GError **error)
{
	int rc =
		git_oid_equal(id, ancestor) ? 1 : git_graph_descendant_of(walk->repo, id, ancestor);

	if (rc == GIT_ENOTFOUND) {
		git_error_clear();
		return 0;
	}
	if (rc < 0)
		(void)git_fail(error, rc, "%s: cannot walk its history", walk->path);
	return rc;
}

/* As walk_chain() for a history that forks, which public-inbox itself never makes. */
static bool walk_graph(Walk *walk, GError **error)
{
	const git_oid *pos = walk->has_pos ? &walk->pos : NULL;
	const git_oid *limit = walk->has_limit ? &walk->limit : NULL;
	int on_pos = pos ? stands_on(walk, &walk->tip, pos, error) : 1;
	int on_limit = limit && on_pos >= 0 ? stands_on(walk, &walk->tip, limit, error) : 1;

	g_array_set_size(walk->range->commits, 0);
	walk->range->n_limited = 0;
	if (on_pos < 0 || on_limit < 0)
		return false;
	walk->range->is_rewritten = on_pos == 0 || on_limit == 0;
	if (walk->range->is_rewritten)
		return true;
	if (limit && !walk_between(walk, limit, (const git_oid *const[]){pos, NULL}, true, error))
		return false;
	walk->range->n_limited = walk->range->commits->len;
	return walk_between(walk, &walk->tip, (const git_oid *const[]){pos, limit}, false, error);
}

static bool list_range(Walk *walk, GError **error)
{
	if (!walk_chain(walk, error) || (walk->forks && !walk_graph(walk, error)))
		return false;
	if (walk->range->is_rewritten) {
		g_array_set_size(walk->range->commits, 0);
		walk->range->n_limited = 0;
	}
	return true;
}

bool inbox_epoch_list(const char *path, const char *tip, const InboxMark *mark, int64_t start_us,
		      int stop_fd, InboxRange *out_range, GError **error)
{
	Walk walk = {
		.path = path,
		.repo = inbox_epoch_open(path, error),
		.has_pos = mark->pos[0] != '\0',
		.has_limit = mark->limit[0] != '\0',
		.start_us = start_us,
		.stop_fd = stop_fd,
		.range = out_range,
	};
	bool fine = walk.repo != NULL;

	*out_range = (InboxRange){.commits = g_array_new(FALSE, FALSE, sizeof(git_oid))};
	/* They are hexadecimal digits, so these cannot fail. */
	fine = fine && git_oid_fromstr(&walk.tip, tip) == 0 &&
	       (!walk.has_pos || git_oid_fromstr(&walk.pos, mark->pos) == 0) &&
	       (!walk.has_limit || git_oid_fromstr(&walk.limit, mark->limit) == 0);
	fine = fine && list_range(&walk, error);
	git_repository_free(walk.repo);
	if (!fine)
		g_clear_pointer(&out_range->commits, g_array_unref);
	return fine;
}

/* ---- mails ---- */

static bool is_file(const git_tree_entry *entry)
{
	git_filemode_t mode = git_tree_entry_filemode(entry);

	return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

/* NULL when there is none; an empty tree is what a purge leaves behind. */
static const git_tree_entry *find_mail(const git_tree *tree, char **out_odd)
{
	const git_tree_entry *entry = git_tree_entry_byname(tree, "m");

	if (entry && is_file(entry))
		return entry;
	if (entry)
		*out_odd = g_strdup("m is no plain file");
	else if (git_tree_entrycount(tree) > 0 && !git_tree_entry_byname(tree, "d"))
		*out_odd = g_strdup("its tree holds neither m nor d");
	return NULL;
}

/*
 * What is wrong with an object itself is kept with the mail; what is wrong with this machine for
 * now is an error.
 */
static bool keep_reason(InboxMail *mail, const char *what, const git_oid *id, int rc,
			GError **error)
{
	const git_error *last = git_error_last();

	if (last && (last->klass == GIT_ERROR_OS || last->klass == GIT_ERROR_NOMEMORY))
		return git_fail(error, rc, "cannot read %s %s", what, git_oid_tostr_s(id));
	mail->broken = g_strdup_printf("its %s %s cannot be read: %s", what, git_oid_tostr_s(id),
				       last && last->message ? last->message : "no reason given");
	git_error_clear();
	return true;
}

static bool look_at_blob(git_repository *repo, InboxMail *mail, GError **error)
{
	g_autoptr(git_odb) odb = NULL;
	git_object_t type = GIT_OBJECT_BLOB;
	int rc = git_repository_odb(&odb, repo);

	if (rc == 0)
		rc = git_odb_read_header(&mail->size_bytes, &type, odb, &mail->blob);
	if (rc < 0)
		return keep_reason(mail, "blob", &mail->blob, rc, error);
	if (type != GIT_OBJECT_BLOB)
		mail->broken =
			g_strdup_printf("its object %s is no file", git_oid_tostr_s(&mail->blob));
	return true;
}

bool inbox_commit_look(git_repository *repo, const git_oid *id, InboxMail *out_mail,
		       bool *out_has_mail, char **out_odd, GError **error)
{
	g_autoptr(git_commit) commit = NULL;
	g_autoptr(git_tree) tree = NULL;
	int rc = read_commit(&commit, repo, id);

	*out_has_mail = false;
	*out_odd = NULL;
	*out_mail = (InboxMail){0};
	if (rc < 0)
		return keep_reason(out_mail, "commit", id, rc, error);
	rc = read_tree(&tree, repo, commit);
	if (rc < 0)
		return keep_reason(out_mail, "tree", git_commit_tree_id(commit), rc, error);
	const git_tree_entry *entry = find_mail(tree, out_odd);
	if (!entry)
		return true;
	*out_has_mail = true;
	git_oid_cpy(&out_mail->blob, git_tree_entry_id(entry));
	/* A time is any number of 64 bits there. */
	out_mail->arrived_us =
		CLAMP(git_commit_time(commit), 0, g_get_real_time() / CLOCK_US_PER_S) *
		CLOCK_US_PER_S;
	return look_at_blob(repo, out_mail, error);
}

void inbox_mail_clear(InboxMail *mail)
{
	g_clear_pointer(&mail->broken, g_free);
}

/* @out_bytes: NULL when the mail is broken */
static bool read_blob(git_repository *repo, InboxMail *mail, GBytes **out_bytes, GError **error)
{
	g_autoptr(git_odb) odb = NULL;
	git_odb_object *object = NULL;
	int rc = git_repository_odb(&odb, repo);

	if (rc == 0)
		rc = git_odb_read(&object, odb, &mail->blob);
	if (rc < 0)
		return keep_reason(mail, "blob", &mail->blob, rc, error);
	*out_bytes =
		g_bytes_new_with_free_func(git_odb_object_data(object), git_odb_object_size(object),
					   (GDestroyNotify)git_odb_object_free, object);
	return true;
}

static SourceMail *source_mail_of(const InboxMail *mail)
{
	SourceMail *out = g_new0(SourceMail, 1);

	out->locator = g_strdup(git_oid_tostr_s(&mail->blob));
	out->arrived_us = mail->arrived_us;
	out->size_bytes = (int64_t)mail->size_bytes;
	return out;
}

bool inbox_mail_take(git_repository *repo, InboxMail *mail, SourceMail **out_mail, GError **error)
{
	g_autoptr(SourceMail) out = source_mail_of(mail);

	*out_mail = NULL;
	if (mail->broken)
		return true;
	if (mail->size_bytes > MAIL_MAX_BYTES)
		source_mail_refuse_size(out);
	else if (mail->size_bytes == 0)
		out->refused = g_strdup("it is empty");
	else if (!read_blob(repo, mail, &out->bytes, error))
		return false;
	if (!mail->broken)
		*out_mail = g_steal_pointer(&out);
	return true;
}

SourceMail *inbox_mail_refuse(const InboxMail *mail)
{
	SourceMail *out = source_mail_of(mail);

	out->refused = g_strdup(mail->broken);
	return out;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/repo.h"

#include "bot/base/child.h"
#include "bot/base/error.h"
#include "bot/base/gitremote.h"

typedef struct {
	Repo *repo;
	const char *url;
	char *spec;    /* "SOURCE:refs/heads/BRANCH" */
	char *refused; /* what the remote says about the ref; NULL when it took it */
	bool tried_agent;
} Push;

static int note_answer(const char *ref, const char *status, void *payload)
{
	Push *push = payload;

	if (status && !push->refused)
		push->refused = g_strdup_printf("%s: %s", ref, status);
	return 0;
}

/* The operator's ssh agent holds the key, if one is needed; asked once. */
static int take_from_agent(git_credential **out, const char *url, const char *user,
			   unsigned int allowed, void *payload)
{
	Push *push = payload;

	(void)url;
	if (push->tried_agent || !user || !(allowed & GIT_CREDENTIAL_SSH_KEY))
		return GIT_PASSTHROUGH;
	push->tried_agent = true;
	return git_credential_ssh_key_from_agent(out, user);
}

static bool work(gpointer data, GError **error)
{
	Push *push = data;
	git_push_options options;
	g_autoptr(git_remote) remote = NULL;
	char *specs[] = {push->spec};
	git_strarray refspecs = {specs, 1};
	int rc;

	git_push_options_init(&options, GIT_PUSH_OPTIONS_VERSION);
	options.callbacks.push_update_reference = note_answer;
	options.callbacks.certificate_check = gitremote_keep_verdict;
	options.callbacks.credentials = take_from_agent;
	options.callbacks.payload = push;
	options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	rc = git_remote_create_anonymous(&remote, repo_handle(push->repo), push->url);
	if (rc == 0)
		rc = git_remote_push(remote, &refspecs, &options);
	if (rc < 0)
		return git_fail(error, rc, "cannot push");
	if (push->refused)
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "the remote refused %s",
			    push->refused);
	return push->refused == NULL;
}

bool repo_publish(Repo *repo, const char *ref, const char *publish, const char *branch,
		  int64_t timeout_ms, GError **error)
{
	g_return_val_if_fail(repo != NULL && ref != NULL && publish != NULL && branch != NULL,
			     false);

	g_autofree char *spec = g_strdup_printf("%s:refs/heads/%s", ref, branch);
	g_autofree char *what = g_strdup_printf("publishing %s to %s", branch, publish);
	Push push = {.repo = repo, .url = publish, .spec = spec};

	ChildOptions options = {
		.what = what, .timeout_ms = timeout_ms, .timeout_key = "fetch.timeout"};

	return child_run(work, &push, &options, error);
}

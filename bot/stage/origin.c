/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/origin.h"

#include "bot/stage/mailread.h"

char *origin_of_series(StageContext *context, const StoredSeries *series, const char *tree,
		       GError **error)
{
	g_autoptr(GString) origin = g_string_new(NULL);

	g_string_append_printf(origin, "v%u for %s", series->revision, tree);
	for (guint i = 0; i < series->patch_rows->len; i++) {
		int64_t row = g_array_index(series->patch_rows, int64_t, i);
		g_autoptr(Mail) mail = mailread_row(context, row, error);
		if (mail == NULL)
			return NULL;
		g_autofree char *hash = mail->patch == NULL ? NULL : patch_sha256(mail->patch);
		g_string_append_printf(origin, " %s",
				       hash == NULL ? mail->message->message_id : hash);
	}
	return g_string_free(g_steal_pointer(&origin), FALSE);
}

/* The first mail of the thread, as far as this one knows it. */
static const char *thread_of(const Message *message)
{
	guint n = message->references->len;

	return n == 0 ? message->message_id : message->references->pdata[n - 1];
}

static void add(GString *origin, const char *name, const char *value)
{
	if (value != NULL)
		g_string_append_printf(origin, "\n%s %s", name, value);
}

bool origin_is_posted(const Mail *mail)
{
	const SubjectPrefix *prefix = mail->prefix;

	return mail->kind == MAIL_PATCH && prefix->is_patch && !prefix->is_reply &&
	       !prefix->is_forward;
}

bool origin_is_part(const Mail *mail)
{
	return mail->kind == MAIL_PATCH && !mail->prefix->is_reply && mail->prefix->total > 1;
}

char *origin_of_request(const Mail *mail, int64_t parent_job_row)
{
	const Request *request = mail->request;
	g_autoptr(GString) origin = g_string_new("request");

	/* Without a target of its own it means what it answers, which differs within a thread. */
	bool is_bare = request->repo == NULL && request->branch == NULL &&
		       request->commits->len == 0 && request->links[0] == NULL;
	const Message *message = mail->message;
	add(origin, "thread", thread_of(message));
	bool is_part = origin_is_part(mail);
	if (is_bare && !is_part && message->references->len > 0)
		add(origin, "answers", message->references->pdata[0]);
	g_string_append_printf(origin, "\njob %" G_GINT64_FORMAT, parent_job_row);
	add(origin, "repo", request->repo);
	add(origin, "branch", request->branch);
	add(origin, "base", request->base_hint);
	for (guint i = 0; i < request->commits->len; i++)
		add(origin, "commit", ((RequestCommit *)request->commits->pdata[i])->sha);
	for (guint i = 0; request->links[i] != NULL; i++)
		add(origin, "link", request->links[i]);
	g_autofree char *hash = mail->patch == NULL || is_part ? NULL : patch_sha256(mail->patch);
	add(origin, "patch", hash);
	return g_string_free(g_steal_pointer(&origin), FALSE);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/patchmails.h"

#include "bot/base/error.h"
#include "bot/store/messages.h"
#include "bot/store/private.h"
#include "bot/store/query.h"
#include "bot/store/threadwalk.h"

/* Bounds of messages_related(): what is nearest, in the thread and in time, is kept. */
#define RELATED_MAX_THREAD 2000
#define RELATED_MAX_POSTED 1000 /* before it, and as many after it */
#define RELATED_NEAR_US ((int64_t)24 * 3600 * CLOCK_US_PER_S)
#define RELATED_WINDOW_US ((int64_t)14 * 24 * 3600 * CLOCK_US_PER_S)

char *patchmail_poster(const Mailbox *from)
{
	return from == NULL ? NULL : g_ascii_strdown(from->addr, -1);
}

static void set_prefix(Query *query, const SubjectPrefix *prefix, const char *tags)
{
	query_set_int(query, ":is_patch", prefix->is_patch);
	query_set_int(query, ":is_reply", prefix->is_reply);
	query_set_int(query, ":is_forward", prefix->is_forward);
	query_set_int(query, ":is_pull", prefix->is_pull);
	query_set_int(query, ":revision", prefix->revision);
	query_set_int(query, ":number", prefix->number);
	query_set_int(query, ":total", prefix->total);
	query_set_int(query, ":numbered", prefix->numbered);
	query_set_int(query, ":rfc", prefix->rfc);
	query_set_int(query, ":resend", prefix->resend);
	query_set_text(query, ":tags", tags);
	query_set_text(query, ":title", prefix->title);
}

bool patchmail_save(Db *db, int64_t message_row, const PatchMail *mail, GError **error)
{
	g_autofree char *poster = patchmail_poster(mail->from);
	g_autofree char *tags =
		mail->prefix->tags == NULL ? g_strdup("") : g_strjoinv("\n", mail->prefix->tags);
	g_autofree char *replaced =
		mail->replaces == NULL ? NULL : g_strjoinv("\n", mail->replaces);
	g_autoptr(Query) query = query_new(
		db, "INSERT OR REPLACE INTO patch_mails (message_row, poster, posted_us,"
		    " is_patch, is_reply, is_forward, is_pull, revision, number, total, numbered,"
		    " rfc, resend, tags, title, answers, has_diff, patch_id, base_commit,"
		    " change_id, replaces)"
		    " VALUES (:row, :poster, :posted, :is_patch, :is_reply, :is_forward, :is_pull,"
		    " :revision, :number, :total, :numbered, :rfc, :resend, :tags, :title,"
		    " :answers, :has_diff, :patch_id, :base_commit, :change_id,"
		    " :replaces)");

	query_set_int(query, ":row", message_row);
	query_set_text(query, ":poster", poster);
	query_set_int(query, ":posted", mail->date_us != 0 ? mail->date_us : mail->arrived_us);
	set_prefix(query, mail->prefix, tags);
	query_set_int(query, ":answers", mail->answers);
	query_set_int(query, ":has_diff", mail->has_diff);
	query_set_text(query, ":patch_id", mail->patch_id);
	query_set_text(query, ":base_commit", mail->base_commit);
	query_set_text(query, ":change_id", mail->change_id);
	query_set_text(query, ":replaces", replaced);
	return query_run(query, error);
}

static SubjectPrefix *read_prefix(Query *query)
{
	SubjectPrefix *prefix = g_new0(SubjectPrefix, 1);
	const char *tags = query_peek_text(query, "tags");

	prefix->is_patch = query_int(query, "is_patch") != 0;
	prefix->is_reply = query_int(query, "is_reply") != 0;
	prefix->is_forward = query_int(query, "is_forward") != 0;
	prefix->is_pull = query_int(query, "is_pull") != 0;
	prefix->revision = (unsigned)query_int(query, "revision");
	prefix->number = (unsigned)query_int(query, "number");
	prefix->total = (unsigned)query_int(query, "total");
	prefix->numbered = query_int(query, "numbered") != 0;
	prefix->rfc = query_int(query, "rfc") != 0;
	prefix->resend = query_int(query, "resend") != 0;
	prefix->tags = g_strsplit(tags == NULL ? "" : tags, "\n", -1);
	prefix->title = query_text(query, "title");
	return prefix;
}

static PatchMail *read_patch_mail(Query *query)
{
	PatchMail *mail = g_new0(PatchMail, 1);
	g_autofree char *addr = query_text(query, "from_addr");
	g_autofree char *name = query_text(query, "from_name");

	mail->message_row = query_int(query, "message_row");
	mail->message_id = query_text(query, "message_id");
	/* What mailbox_new() refuses today is as good as no sender. */
	mail->from = addr == NULL ? NULL : mailbox_new(name, addr, NULL);
	mail->date_us = query_int(query, "date_us");
	mail->arrived_us = query_int(query, "arrived_us");
	mail->prefix = read_prefix(query);
	mail->answers = query_int(query, "answers") != 0;
	mail->has_diff = query_int(query, "has_diff") != 0;
	mail->patch_id = query_text(query, "patch_id");
	mail->base_commit = query_text(query, "base_commit");
	mail->change_id = query_text(query, "change_id");
	const char *replaced = query_peek_text(query, "replaces");
	mail->replaces = replaced == NULL ? NULL : g_strsplit(replaced, "\n", -1);
	return mail;
}

#define PATCH_MAIL_COLUMNS                                                                         \
	" mail.message_row, messages.message_id, messages.from_name, messages.from_addr,"          \
	" messages.date_us, messages.arrived_us, mail.is_patch, mail.is_reply, mail.is_forward,"   \
	" mail.is_pull, mail.revision, mail.number, mail.total, mail.numbered, mail.rfc,"          \
	" mail.resend, mail.tags, mail.title, mail.answers, mail.has_diff, mail.patch_id,"         \
	" mail.base_commit, mail.change_id, mail.replaces"

#define POSTED_WITH                                                                                \
	"SELECT" PATCH_MAIL_COLUMNS " FROM patch_mails AS own"                                     \
	" CROSS JOIN patch_mails AS mail ON mail.poster = own.poster"                              \
	"   AND mail.revision = own.revision AND mail.total = own.total"                           \
	" CROSS JOIN messages ON messages.id = mail.message_row WHERE own.message_row = :row"

static const char *const poster_sql[] = {
	POSTED_WITH " AND mail.posted_us BETWEEN own.posted_us AND own.posted_us + :window"
		    " ORDER BY mail.posted_us LIMIT :max",
	POSTED_WITH " AND mail.posted_us BETWEEN own.posted_us - :window AND own.posted_us - 1"
		    " ORDER BY mail.posted_us DESC LIMIT :max",
};

static const char row_sql[] = "SELECT" PATCH_MAIL_COLUMNS " FROM messages"
			      " CROSS JOIN patch_mails AS mail ON mail.message_row = messages.id"
			      " WHERE messages.id = :row";

/* A mail that is no patch has no facts but its place in the thread. */
static PatchMail *read_bystander(Db *db, int64_t row)
{
	PatchMail *mail = NULL;
	g_autoptr(Query) query = query_new(db, "SELECT message_id FROM messages WHERE id = :row");

	query_set_int(query, ":row", row);
	if (query_next(query)) {
		mail = g_new0(PatchMail, 1);
		mail->message_row = row;
		mail->message_id = query_text(query, "message_id");
		mail->prefix = subject_parse(NULL);
	}
	return mail;
}

typedef struct {
	GPtrArray *mails; /* (element-type PatchMail) found so far            */
	GHashTable *seen; /* message rows of them -> PatchMail                */
	GPtrArray *asked; /* (element-type PatchMail) whose posters were read */
} Related;

static void keep(Related *related, PatchMail *mail)
{
	g_ptr_array_add(related->mails, mail);
	g_hash_table_insert(related->seen, &mail->message_row, mail);
}

static bool add_thread_mail(Db *db, Related *related, const ThreadMail *found, GError **error)
{
	g_autoptr(Query) query = query_new(db, row_sql);

	query_set_int(query, ":row", found->row);
	PatchMail *mail =
		query_next(query) ? read_patch_mail(query) : read_bystander(db, found->row);
	if (mail != NULL) {
		mail->references = g_ptr_array_ref(found->references);
		keep(related, mail);
	}
	return query_finish(query, error);
}

static bool add_posted(Db *db, Related *related, const char *sql, int64_t row, GError **error)
{
	g_autoptr(Query) query = query_new(db, sql);

	query_set_int(query, ":row", row);
	query_set_int(query, ":window", RELATED_WINDOW_US);
	query_set_int(query, ":max", RELATED_MAX_POSTED);
	while (query_next(query)) {
		gint64 found = query_int(query, "message_row");

		if (g_hash_table_contains(related->seen, &found))
			continue;
		PatchMail *mail = read_patch_mail(query);
		keep(related, mail);
		mail->references = messages_ancestors(db, found, error);
		if (mail->references == NULL)
			return false;
	}
	return query_finish(query, error);
}

/* Those who were posted together need to be asked about only once. */
static bool is_asked(const Related *related, const PatchMail *mail)
{
	for (guint i = 0; i < related->asked->len; i++) {
		const PatchMail *other = related->asked->pdata[i];

		if (other->from != NULL && mail->from != NULL &&
		    g_ascii_strcasecmp(other->from->addr, mail->from->addr) == 0 &&
		    other->prefix->revision == mail->prefix->revision &&
		    other->prefix->total == mail->prefix->total &&
		    ABS(other->date_us - mail->date_us) <= RELATED_NEAR_US)
			return true;
	}
	return false;
}

static bool add_poster(Db *db, Related *related, PatchMail *mail, GError **error)
{
	if (is_asked(related, mail))
		return true;
	g_ptr_array_add(related->asked, mail);
	for (gsize i = 0; i < G_N_ELEMENTS(poster_sql); i++) {
		if (!add_posted(db, related, poster_sql[i], mail->message_row, error))
			return false;
	}
	return true;
}

static bool add_thread(Db *db, Related *related, int64_t row, GError **error)
{
	g_autoptr(GPtrArray) thread = thread_walk(db, row, error);

	if (thread == NULL)
		return false;
	for (guint i = 0; i < MIN(thread->len, RELATED_MAX_THREAD); i++) {
		if (!add_thread_mail(db, related, thread->pdata[i], error))
			return false;
	}
	return true;
}

/* Of @rows those that the thread holds. */
static GPtrArray *list_reached(const Related *related, const GArray *rows)
{
	GPtrArray *reached = g_ptr_array_new();

	for (guint i = 0; i < rows->len; i++) {
		gint64 row = g_array_index(rows, int64_t, i);
		PatchMail *mail = g_hash_table_lookup(related->seen, &row);
		if (mail != NULL)
			g_ptr_array_add(reached, mail);
	}
	return reached;
}

static bool add_all(Db *db, Related *related, const GArray *rows, GArray *out_reached,
		    GError **error)
{
	int64_t first = g_array_index(rows, int64_t, 0);

	if (!add_thread(db, related, first, error))
		return false;
	g_autoptr(GPtrArray) reached = list_reached(related, rows);
	if (reached->len == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no message %" G_GINT64_FORMAT, first);
		return false;
	}
	for (guint i = 0; i < reached->len; i++) {
		PatchMail *mail = reached->pdata[i];
		if (!add_poster(db, related, mail, error))
			return false;
		g_array_append_val(out_reached, mail->message_row);
	}
	return true;
}

GPtrArray *messages_related(Db *db, const GArray *rows, GArray *out_reached, GError **error)
{
	g_return_val_if_fail(rows->len > 0, NULL);

	g_autoptr(GPtrArray) mails =
		g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);
	g_autoptr(GPtrArray) asked = g_ptr_array_new();
	Related related = {mails, seen, asked};

	return add_all(db, &related, rows, out_reached, error) ? g_steal_pointer(&mails) : NULL;
}

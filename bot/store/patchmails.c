/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/patchmails.h"

#include "bot/store/messages.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

/*
 * Bounds of messages_related(): a real series has at most a few hundred mails, but a stranger's
 * References may tie any number of threads together.  The walk goes outward, so what is nearest is
 * kept.
 */
#define RELATED_MAX_MAILS 2000
#define RELATED_MAX_IDS 4000
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
	g_autoptr(Query) query = query_new(
		db, "INSERT OR REPLACE INTO patch_mails (message_row, poster, posted_us,"
		    " is_patch, is_reply, is_forward, is_pull, revision, number, total, numbered,"
		    " rfc, resend, tags, title, answers, has_diff, patch_id, base_commit,"
		    " change_id)"
		    " VALUES (:row, :poster, :posted, :is_patch, :is_reply, :is_forward, :is_pull,"
		    " :revision, :number, :total, :numbered, :rfc, :resend, :tags, :title,"
		    " :answers, :has_diff, :patch_id, :base_commit, :change_id)");

	query_set_int(query, ":row", message_row);
	query_set_text(query, ":poster", poster);
	query_set_int(query, ":posted", mail->date_us != 0 ? mail->date_us : mail->arrived_us);
	set_prefix(query, mail->prefix, tags);
	query_set_int(query, ":answers", mail->answers);
	query_set_int(query, ":has_diff", mail->has_diff);
	query_set_text(query, ":patch_id", mail->patch_id);
	query_set_text(query, ":base_commit", mail->base_commit);
	query_set_text(query, ":change_id", mail->change_id);
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
	return mail;
}

#define PATCH_MAIL_COLUMNS                                                                         \
	" mail.message_row, messages.message_id, messages.from_name, messages.from_addr,"          \
	" messages.date_us, messages.arrived_us, mail.is_patch, mail.is_reply, mail.is_forward,"   \
	" mail.is_pull, mail.revision, mail.number, mail.total, mail.numbered, mail.rfc,"          \
	" mail.resend, mail.tags, mail.title, mail.answers, mail.has_diff, mail.patch_id,"         \
	" mail.base_commit, mail.change_id"

/*
 * The thread is walked outward by Message-ID, both ways, through mails that are no patches, too.
 * An id may be of a mail that we never saw: its answers are still one thread.  CROSS JOIN keeps
 * SQLite from turning the order round.
 */
static const char thread_sql[] = "WITH RECURSIVE thread (id) AS ("
				 "   SELECT message_id FROM messages WHERE id = :row"
				 "   UNION"
				 "   SELECT message_refs.ancestor FROM thread"
				 "     JOIN messages ON messages.message_id = thread.id"
				 "     JOIN message_refs ON message_refs.message_row = messages.id"
				 "   UNION"
				 "   SELECT messages.message_id FROM thread"
				 "     JOIN message_refs ON message_refs.ancestor = thread.id"
				 "     JOIN messages ON messages.id = message_refs.message_row"
				 "   LIMIT :max_ids)"
				 " SELECT" PATCH_MAIL_COLUMNS " FROM thread"
				 " CROSS JOIN messages ON messages.message_id = thread.id"
				 " CROSS JOIN patch_mails AS mail ON mail.message_row = messages.id"
				 " LIMIT :max_mails";

static const char poster_sql[] =
	"SELECT" PATCH_MAIL_COLUMNS " FROM patch_mails AS own"
	" JOIN patch_mails AS mail ON mail.poster = own.poster"
	"   AND mail.revision = own.revision AND mail.total = own.total"
	"   AND mail.posted_us BETWEEN own.posted_us - :window AND own.posted_us + :window"
	" JOIN messages ON messages.id = mail.message_row"
	" WHERE own.message_row = :row"
	" ORDER BY abs(mail.posted_us - own.posted_us)"
	" LIMIT :max_mails";

static bool add_mails(Query *query, GPtrArray *mails, GHashTable *seen, GError **error)
{
	while (query_next(query)) {
		gint64 row = query_int(query, "message_row");

		if (mails->len >= RELATED_MAX_MAILS || g_hash_table_contains(seen, &row))
			continue;
		PatchMail *mail = read_patch_mail(query);
		g_ptr_array_add(mails, mail);
		g_hash_table_add(seen, &mail->message_row);
	}
	return query_finish(query, error);
}

static bool add_thread(Db *db, int64_t row, GPtrArray *mails, GHashTable *seen, GError **error)
{
	g_autoptr(Query) query = query_new(db, thread_sql);

	query_set_int(query, ":row", row);
	query_set_int(query, ":max_ids", RELATED_MAX_IDS);
	query_set_int(query, ":max_mails", RELATED_MAX_MAILS);
	return add_mails(query, mails, seen, error);
}

static bool add_poster(Db *db, int64_t row, GPtrArray *mails, GHashTable *seen, GError **error)
{
	g_autoptr(Query) query = query_new(db, poster_sql);

	query_set_int(query, ":row", row);
	query_set_int(query, ":window", RELATED_WINDOW_US);
	query_set_int(query, ":max_mails", RELATED_MAX_MAILS);
	return add_mails(query, mails, seen, error);
}

GPtrArray *messages_related(Db *db, int64_t row, GError **error)
{
	g_autoptr(GPtrArray) mails =
		g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);

	if (!add_thread(db, row, mails, seen, error) || !add_poster(db, row, mails, seen, error))
		return NULL;
	for (guint i = 0; i < mails->len; i++) {
		PatchMail *mail = g_ptr_array_index(mails, i);

		mail->references = messages_ancestors(db, mail->message_row, error);
		if (mail->references == NULL)
			return NULL;
	}
	return g_steal_pointer(&mails);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/threadwalk.h"

#include "bot/store/query.h"

typedef struct {
	Query *by_id;      /* id -> message row             */
	Query *references; /* message row -> its ancestors  */
	Query *answers;    /* id -> ids of those who name it */
	GHashTable *seen;  /* set of ids; owns the ids of todo */
	GPtrArray *todo;   /* (element-type utf8) nearest first; not owned */
	GPtrArray *mails;  /* (element-type ThreadMail)     */
	unsigned n_reads;
} Walk;

static void thread_mail_free(gpointer data)
{
	ThreadMail *mail = data;

	g_ptr_array_unref(mail->references);
	g_free(mail);
}

static void walk_init(Walk *walk, Db *db)
{
	walk->by_id = query_new(db, "SELECT id FROM messages WHERE message_id = :id");
	walk->references = query_new(db, "SELECT ancestor FROM message_refs"
					 " WHERE message_row = :row ORDER BY position");
	walk->answers = query_new(db, "SELECT message_id FROM message_refs"
				      " JOIN messages ON messages.id = message_row"
				      " WHERE ancestor = :id ORDER BY message_row");
	walk->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	walk->todo = g_ptr_array_new();
	walk->mails = g_ptr_array_new_with_free_func(thread_mail_free);
}

static void walk_clear(Walk *walk)
{
	query_free(walk->by_id);
	query_free(walk->references);
	query_free(walk->answers);
	g_clear_pointer(&walk->seen, g_hash_table_unref);
	g_clear_pointer(&walk->todo, g_ptr_array_unref);
	g_clear_pointer(&walk->mails, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Walk, walk_clear)

static bool may_read(Walk *walk)
{
	return walk->n_reads < THREAD_WALK_MAX_READS;
}

static void visit_later(Walk *walk, const char *id)
{
	if (g_hash_table_contains(walk->seen, id))
		return;
	char *own = g_strdup(id);
	g_hash_table_add(walk->seen, own);
	g_ptr_array_add(walk->todo, own);
}

/* A mail's own references are read whole: whoever asks for the mail needs them. */
static void read_references(Walk *walk, ThreadMail *mail)
{
	query_restart(walk->references);
	query_set_int(walk->references, ":row", mail->row);
	for (; query_next(walk->references); walk->n_reads++) {
		char *ancestor = query_text(walk->references, "ancestor");
		g_ptr_array_add(mail->references, ancestor);
		visit_later(walk, ancestor);
	}
}

static void visit_mail(Walk *walk, const char *id)
{
	query_restart(walk->by_id);
	query_set_text(walk->by_id, ":id", id);
	if (!query_next(walk->by_id))
		return;
	ThreadMail *mail = g_new0(ThreadMail, 1);
	mail->row = query_int(walk->by_id, "id");
	mail->references = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(walk->mails, mail);
	read_references(walk, mail);
}

static void visit_answers(Walk *walk, const char *id)
{
	query_restart(walk->answers);
	query_set_text(walk->answers, ":id", id);
	for (; may_read(walk) && query_next(walk->answers); walk->n_reads++)
		visit_later(walk, query_peek_text(walk->answers, "message_id"));
}

static void visit_first(Walk *walk, Db *db, int64_t row)
{
	g_autoptr(Query) query = query_new(db, "SELECT message_id FROM messages WHERE id = :row");

	query_set_int(query, ":row", row);
	if (query_next(query))
		visit_later(walk, query_peek_text(query, "message_id"));
}

GPtrArray *thread_walk(Db *db, int64_t row, GError **error)
{
	g_auto(Walk) walk = {0};

	walk_init(&walk, db);
	visit_first(&walk, db, row);
	for (guint i = 0; i < walk.todo->len && may_read(&walk); i++) {
		walk.n_reads++;
		visit_mail(&walk, walk.todo->pdata[i]);
		visit_answers(&walk, walk.todo->pdata[i]);
	}
	if (!query_finish(walk.by_id, error) || !query_finish(walk.references, error) ||
	    !query_finish(walk.answers, error))
		return NULL;
	return g_steal_pointer(&walk.mails);
}

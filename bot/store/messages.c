/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/messages.h"

#include "bot/base/error.h"
#include "bot/store/doors.h"
#include "bot/store/lease.h"
#include "bot/store/patchmails.h"
#include "bot/store/private.h"
#include "bot/store/query.h"
#include "bot/store/raw.h"
#include "mailparse/copy.h"

#include <string.h>

#define MESSAGE_COLUMNS                                                                            \
	"id, message_id, date_us, arrived_us, observe, state, kind, list, subject, from_name,"     \
	" from_addr"

/* ---- intake ---- */

bool messages_locator_known(Db *db, const char *source, const char *locator)
{
	g_autoptr(Query) query = query_new(db, "SELECT seen_us FROM sightings"
					       " WHERE source = :source AND locator = :locator");

	query_set_text(query, ":source", source);
	query_set_text(query, ":locator", locator);
	return query_next(query);
}

static bool add_sighting(Db *db, const Incoming *in, int64_t row, const guint8 *hash,
			 GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "INSERT INTO sightings"
		    " (source, locator, message_row, raw_sha256, date_us, seen_us, refused)"
		    " VALUES (:source, :locator, :row, :hash, :date, :seen, :refused)");

	query_set_text(query, ":source", in->source);
	query_set_text(query, ":locator", in->locator);
	query_set_row(query, ":row", row);
	if (hash != NULL)
		query_set_blob(query, ":hash", hash, RAW_HASH_BYTES);
	query_set_int(query, ":date", in->date_us);
	query_set_int(query, ":seen", in->arrived_us);
	query_set_text(query, ":refused", in->refused);
	return query_run(query, error);
}

static int64_t source_row(Db *db, const char *name)
{
	g_autoptr(Query) query = query_new(db, "SELECT id FROM sources WHERE name = :name");

	query_set_text(query, ":name", name);
	return query_next(query) ? query_int(query, "id") : 0;
}

static bool record_refused(Db *db, const Incoming *in, GError **error)
{
	return add_sighting(db, in, 0, NULL, error) &&
	       event_add(db, "message.refused", "source", source_row(db, in->source), error,
			 "%s of source %s: %s", in->locator, in->source, in->refused);
}

/* The row of a message that was not there, or 0 when its Message-ID is. */
static bool insert_message(Db *db, const Incoming *in, const guint8 *hash, int64_t *out_row,
			   GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO messages"
			      " (message_id, raw_sha256, date_us, arrived_us, state)"
			      " VALUES (:message_id, :hash, :date, :arrived, 'new')"
			      " ON CONFLICT (message_id) DO NOTHING");

	query_set_text(query, ":message_id", in->message_id);
	query_set_blob(query, ":hash", hash, RAW_HASH_BYTES);
	query_set_int(query, ":date", in->date_us);
	query_set_int(query, ":arrived", in->arrived_us);
	if (!query_run(query, error))
		return false;
	*out_row = query_changes(db) > 0 ? query_last_row(db) : 0;
	return true;
}

typedef struct {
	int64_t row;
	GBytes *hash;
} KeptCopy;

static void kept_copy_clear(KeptCopy *copy)
{
	g_clear_pointer(&copy->hash, g_bytes_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(KeptCopy, kept_copy_clear)

static bool find_kept_copy(Db *db, const char *message_id, KeptCopy *out_copy, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT id, raw_sha256 FROM messages"
					       " WHERE message_id = :message_id");

	query_set_text(query, ":message_id", message_id);
	if (query_next(query)) {
		out_copy->row = query_int(query, "id");
		out_copy->hash = query_blob(query, "raw_sha256");
	}
	return query_finish(query, error);
}

/* Of decided mails, too: what it says is the same, and an answer quotes the better one.  It is
 * understood anew: sender and subject may be what the list made of them. */
static bool keep_instead(Db *db, int64_t row, const guint8 *hash, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE messages SET raw_sha256 = :hash, reason = NULL,"
			      " state = CASE WHEN state IN ('understood', 'refused') THEN 'new'"
			      "   ELSE state END"
			      " WHERE id = :row");

	query_set_blob(query, ":hash", hash, RAW_HASH_BYTES);
	query_set_int(query, ":row", row);
	return query_run(query, error);
}

static bool compare(Db *db, const Incoming *in, const KeptCopy *kept, const guint8 *hash,
		    CopyDifference *out_difference, GError **error)
{
	*out_difference = (CopyDifference){.relation = COPY_SAME};
	if (memcmp(g_bytes_get_data(kept->hash, NULL), hash, RAW_HASH_BYTES) == 0)
		return true;
	g_autoptr(GBytes) bytes = raw_get(db, kept->hash, error);
	if (bytes == NULL)
		return false;
	*out_difference = copy_compare(bytes, in->bytes);
	return true;
}

/* A copy that differs keeps its bytes: that is the evidence.  Others need none. */
static bool note_altered(Db *db, const Incoming *in, const KeptCopy *kept, const guint8 *hash,
			 const CopyDifference *difference, GError **error)
{
	if (difference->relation == COPY_SAME)
		return true;
	return raw_put(db, hash, in->bytes, error) &&
	       (!difference->better || keep_instead(db, kept->row, hash, error)) &&
	       event_add(db, "message.altered", "message", kept->row, error,
			 "the copy at source %s, %s, differs by %s: %s", in->source, in->locator,
			 difference->what,
			 difference->better ? "read from now on, it is nearer to what was sent"
					    : "not read");
}

static bool record_sighting(Db *db, const Incoming *in, const guint8 *hash, GError **error)
{
	g_auto(KeptCopy) kept = {0};
	CopyDifference difference;

	if (!find_kept_copy(db, in->message_id, &kept, error) ||
	    !add_sighting(db, in, kept.row, hash, error) ||
	    !compare(db, in, &kept, hash, &difference, error) ||
	    !note_altered(db, in, &kept, hash, &difference, error))
		return false;
	/* Another mail under the same Message-ID is no sighting of this one. */
	return difference.relation == COPY_OTHER || doors_again(db, kept.row, in, error);
}

bool messages_record(Db *db, const Incoming *in, IncomingOutcome *out_outcome, GError **error)
{
	g_return_val_if_fail(in->refused != NULL || (in->bytes != NULL && in->message_id != NULL),
			     false);

	guint8 hash[RAW_HASH_BYTES];
	int64_t row = 0;

	*out_outcome = INCOMING_KNOWN;
	if (messages_locator_known(db, in->source, in->locator))
		return true;
	if (in->refused != NULL) {
		*out_outcome = INCOMING_REFUSED;
		return record_refused(db, in, error);
	}
	raw_hash(in->bytes, hash);
	if (!insert_message(db, in, hash, &row, error))
		return false;
	*out_outcome = row == 0 ? INCOMING_SIGHTED : INCOMING_NEW;
	if (row == 0)
		return record_sighting(db, in, hash, error);
	return raw_put(db, hash, in->bytes, error) && add_sighting(db, in, row, hash, error) &&
	       doors_first(db, row, in, error);
}

/* ---- reading ---- */

void stored_message_free(StoredMessage *message)
{
	if (message == NULL)
		return;
	g_free(message->message_id);
	g_free(message->state);
	g_free(message->kind);
	g_free(message->list);
	g_free(message->subject);
	g_free(message->from_addr);
	g_free(message->from_name);
	g_free(message);
}

static StoredMessage *read_message(Query *query)
{
	StoredMessage *message = g_new0(StoredMessage, 1);

	message->row = query_int(query, "id");
	message->message_id = query_text(query, "message_id");
	message->date_us = query_int(query, "date_us");
	message->arrived_us = query_int(query, "arrived_us");
	message->observe = query_int(query, "observe") != 0;
	message->state = query_text(query, "state");
	message->kind = query_text(query, "kind");
	message->list = query_text(query, "list");
	message->subject = query_text(query, "subject");
	message->from_addr = query_text(query, "from_addr");
	message->from_name = query_text(query, "from_name");
	return message;
}

StoredMessage *messages_find(Db *db, const char *message_id, GError **error)
{
	g_autoptr(StoredMessage) message = NULL;
	g_autoptr(Query) query = query_new(db, "SELECT " MESSAGE_COLUMNS " FROM messages"
					       " WHERE message_id = :message_id");

	query_set_text(query, ":message_id", message_id);
	if (query_next(query))
		message = read_message(query);
	return query_finish(query, error) ? g_steal_pointer(&message) : NULL;
}

StoredMessage *messages_get(Db *db, int64_t row, GError **error)
{
	g_autoptr(StoredMessage) message = NULL;
	g_autoptr(Query) query =
		query_new(db, "SELECT " MESSAGE_COLUMNS " FROM messages WHERE id = :row");

	query_set_int(query, ":row", row);
	if (query_next(query))
		message = read_message(query);
	if (!query_finish(query, error))
		return NULL;
	if (message == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no message %" G_GINT64_FORMAT, row);
	return g_steal_pointer(&message);
}

GBytes *messages_raw(Db *db, int64_t row, GError **error)
{
	g_autoptr(GBytes) hash = NULL;
	g_autoptr(Query) query = query_new(db, "SELECT raw_sha256 FROM messages WHERE id = :row");

	query_set_int(query, ":row", row);
	if (query_next(query))
		hash = query_blob(query, "raw_sha256");
	if (!query_finish(query, error))
		return NULL;
	if (hash != NULL)
		return raw_get(db, hash, error);
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "there is no message %" G_GINT64_FORMAT,
		    row);
	return NULL;
}

static GPtrArray *text_column(Query *query, const char *column, GError **error)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	while (query_next(query))
		g_ptr_array_add(texts, query_text(query, column));
	return query_finish(query, error) ? g_steal_pointer(&texts) : NULL;
}

GStrv messages_sources(Db *db, int64_t row, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT source FROM sightings WHERE message_row = :row"
			      " GROUP BY source ORDER BY min(seen_us), source");

	query_set_int(query, ":row", row);
	g_autoptr(GPtrArray) names = text_column(query, "source", error);
	if (names == NULL)
		return NULL;
	g_ptr_array_add(names, NULL);
	return (GStrv)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

GPtrArray *messages_ancestors(Db *db, int64_t row, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "SELECT ancestor FROM message_refs WHERE message_row = :row ORDER BY position");

	query_set_int(query, ":row", row);
	return text_column(query, "ancestor", error);
}

/* ---- understanding ---- */

static GArray *take_messages(Db *db, unsigned limit, GError **error)
{
	return lease_take(db,
			  "SELECT deaths FROM messages"
			  " WHERE state = 'new' AND lease_owner IS NULL ORDER BY id LIMIT 1",
			  "UPDATE messages SET lease_owner = :owner, lease_until_us = :until"
			  " WHERE id IN (SELECT id FROM messages"
			  "   WHERE state = 'new' AND lease_owner IS NULL"
			  "   AND (deaths > 0) = :suspect ORDER BY id LIMIT :limit)"
			  " RETURNING id",
			  limit, error);
}

static GPtrArray *claim_messages(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GArray) rows = take_messages(db, limit, error);
	g_autoptr(GPtrArray) messages =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_message_free);

	for (guint i = 0; rows != NULL && i < rows->len; i++) {
		StoredMessage *message = messages_get(db, g_array_index(rows, int64_t, i), error);
		if (message == NULL)
			return NULL;
		g_ptr_array_add(messages, message);
	}
	return rows == NULL ? NULL : g_steal_pointer(&messages);
}

GPtrArray *messages_claim(Db *db, unsigned limit, GError **error)
{
	if (!db_begin(db, error))
		return NULL;
	g_autoptr(GPtrArray) messages = claim_messages(db, limit, error);
	if (messages != NULL && db_commit(db, error))
		return g_steal_pointer(&messages);
	db_rollback(db);
	return NULL;
}

static bool save_facts(Db *db, int64_t row, const MessageFacts *facts, GError **error)
{
	g_autoptr(Query) query = query_new(
		db,
		"UPDATE messages"
		" SET state = 'understood', kind = :kind, header_list = :list, subject = :subject,"
		" from_name = :from_name, from_addr = :from_addr,"
		" lease_owner = NULL, lease_until_us = NULL, deaths = 0"
		" WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_text(query, ":kind", facts->kind);
	query_set_text(query, ":list", facts->list);
	query_set_text(query, ":subject", facts->subject);
	query_set_text(query, ":from_name", facts->from == NULL ? NULL : facts->from->name);
	query_set_text(query, ":from_addr", facts->from == NULL ? NULL : facts->from->addr);
	query_set_int(query, ":row", row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "message", row, error);
}

/* A stranger may name a thousand mails in each of a thousand mails. */
static bool is_stored_reference(const GPtrArray *references, guint position)
{
	return position < MESSAGE_MAX_ANCESTORS - 1 || position == references->len - 1;
}

static bool save_references(Db *db, int64_t row, const GPtrArray *references, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "INSERT OR REPLACE INTO message_refs"
		    " (message_row, position, ancestor) VALUES (:row, :position, :ancestor)");

	for (guint i = 0; references != NULL && i < references->len; i++) {
		if (!is_stored_reference(references, i))
			continue;
		query_restart(query);
		query_set_int(query, ":row", row);
		query_set_int(query, ":position", i);
		query_set_text(query, ":ancestor", g_ptr_array_index(references, i));
		if (!query_run(query, error))
			return false;
	}
	return true;
}

bool messages_understood(Db *db, int64_t row, const MessageFacts *facts, GError **error)
{
	return save_facts(db, row, facts, error) &&
	       save_references(db, row, facts->references, error) &&
	       (facts->patch_mail == NULL || patchmail_save(db, row, facts->patch_mail, error)) &&
	       event_add(db, "message.understood", "message", row, error, "%s", facts->kind);
}

bool messages_refused(Db *db, int64_t row, const char *why, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE messages SET state = 'refused', reason = :why,"
			      " lease_owner = NULL, lease_until_us = NULL, deaths = 0"
			      " WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_text(query, ":why", why);
	query_set_int(query, ":row", row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "message", row, error) &&
	       event_add(db, "message.refused", "message", row, error, "%s", why);
}

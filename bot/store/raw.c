/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/raw.h"

#include "bot/base/error.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#include <openssl/evp.h>
#include <string.h>

/* OpenSSL's uses the processor's instructions for it; each mail goes through here twice. */
void raw_hash(GBytes *bytes, guint8 out_hash[RAW_HASH_BYTES])
{
	gsize len = 0;
	const guint8 *data = g_bytes_get_data(bytes, &len);

	if (EVP_Digest(data, len, out_hash, NULL, EVP_sha256(), NULL) != 1)
		g_error("SHA-256 cannot be computed: no memory");
}

bool raw_begin(Db *db, GError **error)
{
	if (!sqlite3_get_autocommit(db->raw.connection))
		return true;
	g_autoptr(Query) query = query_new_raw(db, "BEGIN IMMEDIATE");
	return query_run(query, error);
}

bool raw_put(Db *db, const guint8 hash[RAW_HASH_BYTES], GBytes *bytes, GError **error)
{
	gsize len = 0;
	const void *data = g_bytes_get_data(bytes, &len);

	if (!raw_begin(db, error))
		return false;
	g_autoptr(Query) query = query_new_raw(db, "INSERT INTO raw (sha256, bytes)"
						   " VALUES (:hash, :bytes)"
						   " ON CONFLICT DO NOTHING");
	query_set_blob(query, ":hash", hash, RAW_HASH_BYTES);
	query_set_blob(query, ":bytes", data, len);
	return query_run(query, error);
}

bool raw_has(Db *db, GBytes *hash, bool *out_has, GError **error)
{
	gsize len = 0;
	const void *data = g_bytes_get_data(hash, &len);
	g_autoptr(Query) query = query_new_raw(db, "SELECT 1 FROM raw WHERE sha256 = :hash");

	query_set_blob(query, ":hash", data, len);
	*out_has = query_next(query);
	return query_finish(query, error);
}

static bool hash_matches(GBytes *bytes, GBytes *hash)
{
	guint8 real[RAW_HASH_BYTES];
	gsize len = 0;
	const void *want = g_bytes_get_data(hash, &len);

	raw_hash(bytes, real);
	return len == RAW_HASH_BYTES && memcmp(real, want, len) == 0;
}

GBytes *raw_get(Db *db, GBytes *hash, GError **error)
{
	g_autoptr(GBytes) bytes = NULL;
	gsize len = 0;
	const void *data = g_bytes_get_data(hash, &len);
	g_autoptr(Query) query = query_new_raw(db, "SELECT bytes FROM raw WHERE sha256 = :hash");

	query_set_blob(query, ":hash", data, len);
	if (query_next(query))
		bytes = query_blob(query, "bytes");
	if (!query_finish(query, error))
		return NULL;
	if (bytes != NULL && hash_matches(bytes, hash))
		return g_steal_pointer(&bytes);
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "%s/raw.db: the bytes of a mail are %s; restore a backup", db->state_dir,
		    bytes == NULL ? "missing" : "not those that were stored");
	return NULL;
}

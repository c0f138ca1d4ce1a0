/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * raw - bytes of mails in raw.db, by SHA-256.  Private to bot/store.
 */

#include "bot/store/db.h"

#define RAW_HASH_BYTES 32

/** raw_hash: SHA-256 of @bytes into @out_hash. */
void raw_hash(GBytes *bytes, guint8 out_hash[RAW_HASH_BYTES]);

/**
 * raw_begin: inside a transaction of @db, from when on raw.db is in one, too; harmless in it.
 *
 * Only a holder of the write lock of lorebot.db gets there, so there is never a second writer.
 */
bool raw_begin(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * raw_put: inside a transaction of @db; bytes that are there already are left as they are.
 */
bool raw_put(Db *db, const guint8 hash[RAW_HASH_BYTES], GBytes *bytes,
	     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** raw_has: whether bytes of that hash are there; they are not looked at. */
bool raw_has(Db *db, GBytes *hash, bool *out_has, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** raw_get: (transfer full): CORRUPT when they are missing or do not have that hash. */
GBytes *raw_get(Db *db, GBytes *hash, GError **error) G_GNUC_WARN_UNUSED_RESULT;

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
 * raw_put: inside a transaction of @db; bytes that are there already are left as they are.
 */
bool raw_put(Db *db, const guint8 hash[RAW_HASH_BYTES], GBytes *bytes,
	     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** raw_get: (transfer full): CORRUPT when they are missing or do not have that hash. */
GBytes *raw_get(Db *db, GBytes *hash, GError **error) G_GNUC_WARN_UNUSED_RESULT;

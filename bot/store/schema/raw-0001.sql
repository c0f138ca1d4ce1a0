-- SPDX-License-Identifier: GPL-3.0-or-later
-- raw.db, version 1: raw mails by SHA-256.

CREATE TABLE raw (
	sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
	bytes  BLOB NOT NULL
) STRICT;

-- SPDX-License-Identifier: GPL-3.0-or-later
-- raw.db, version 2: which lorebot.db it belongs to.

CREATE TABLE identity (
	only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
	id   TEXT    NOT NULL
) STRICT;

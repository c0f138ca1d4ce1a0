-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 2: which raw.db it belongs to, and how the processes of `lorebot serve` are.

CREATE TABLE identity (
	only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
	id   TEXT    NOT NULL
) STRICT;

-- Rows are of the newest `serve`; whether that one still runs is told by its lock, not by them.
CREATE TABLE processes (
	name        TEXT    NOT NULL PRIMARY KEY, -- "understand", "intake lab"
	pid         INTEGER NOT NULL,             -- 0: not running
	since_us    INTEGER NOT NULL,             -- in this state
	failures    INTEGER NOT NULL,             -- in a row
	reason      TEXT,                         -- how it ended last
	next_try_us INTEGER NOT NULL
) STRICT;

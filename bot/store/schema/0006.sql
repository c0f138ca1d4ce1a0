-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 6: which place a source's cursor belongs to.

ALTER TABLE sources ADD COLUMN place TEXT;                     -- NULL: told at the next contact
ALTER TABLE sources ADD COLUMN places INTEGER NOT NULL DEFAULT 0; -- it had before

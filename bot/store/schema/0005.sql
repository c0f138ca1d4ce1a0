-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 5: a mail's list is that of its To and Cc, else the one a door vouches for.

ALTER TABLE messages RENAME COLUMN list TO header_list;
ALTER TABLE messages ADD COLUMN door_list TEXT;
ALTER TABLE messages ADD COLUMN list TEXT
	GENERATED ALWAYS AS (coalesce(header_list, door_list)) VIRTUAL;

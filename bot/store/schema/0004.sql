-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 4: what a mail's doors say of it counts in whatever order they showed it.

-- Live for whoever looks from then on; NULL: no door that may be acted upon has shown it.
ALTER TABLE messages ADD COLUMN live_from_us INTEGER;
UPDATE messages SET live_from_us = 0 WHERE observe = 0;
ALTER TABLE messages DROP COLUMN observe;
ALTER TABLE messages ADD COLUMN observe INTEGER
	GENERATED ALWAYS AS (live_from_us IS NULL OR live_from_us > arrived_us) VIRTUAL;

-- Of its mails, kept here for the index.
ALTER TABLE series ADD COLUMN observe INTEGER NOT NULL DEFAULT 0 CHECK (observe IN (0, 1));
UPDATE series SET observe = 1 WHERE id IN (SELECT series_row FROM series_mails
	JOIN messages ON messages.id = message_row WHERE messages.observe = 1);
DROP INDEX series_waiting;
CREATE INDEX series_waiting ON series (id)
	WHERE state = 'complete' AND lease_owner IS NULL AND observe = 0 AND list IS NOT NULL;

-- A request is as its mail is.
ALTER TABLE requests DROP COLUMN observe;
ALTER TABLE requests DROP COLUMN arrived_us;
ALTER TABLE requests DROP COLUMN list;

-- Mails without which a request could not be planned; when one comes the request is new again.
CREATE TABLE awaited (
	message_id  TEXT    NOT NULL,
	request_row INTEGER NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
	PRIMARY KEY (message_id, request_row)
) STRICT, WITHOUT ROWID;
CREATE INDEX awaited_by_request ON awaited (request_row);
INSERT OR IGNORE INTO awaited (message_id, request_row)
	SELECT ancestor, requests.id FROM requests
	JOIN message_refs ON message_refs.message_row = requests.message_row
	WHERE state = 'declined' AND reason IN ('the patch that is meant was not found',
	                                        'the series that is meant is not complete')
	UNION
	SELECT message_id, requests.id FROM requests JOIN messages ON messages.id = message_row
	WHERE requests.state = 'declined'
	AND requests.reason IN ('the patch that is meant was not found',
	                        'the series that is meant is not complete');

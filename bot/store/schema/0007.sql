-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 7: the postings that a patch mail says it takes the place of.

ALTER TABLE patch_mails ADD COLUMN replaces TEXT; -- Message-IDs, one a line; NULL: none

-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 3: does a patch mail answer another by In-Reply-To, or only have References?
-- Of those stored before nobody knows, so they stay what they were taken for: answers.

ALTER TABLE patch_mails ADD COLUMN answers INTEGER NOT NULL DEFAULT 1;
ALTER TABLE patch_mails DROP COLUMN mail_is_reply;

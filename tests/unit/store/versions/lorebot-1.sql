-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db as version 1 of the program left it; never to be changed.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE controls (
	name   TEXT    NOT NULL PRIMARY KEY,
	reason TEXT    NOT NULL,
	set_us INTEGER NOT NULL
) STRICT;
INSERT INTO controls VALUES('pause','new disk',1767225600000000);
CREATE TABLE events (
	id           INTEGER PRIMARY KEY,
	at_us        INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	subject_kind TEXT    NOT NULL,
	subject_row  INTEGER NOT NULL,
	text         TEXT    NOT NULL
) STRICT;
INSERT INTO events VALUES(1,1767225600000000,'source.attached','source',1,'lab: first contact, mail from 2026-01-01T00:00:00Z on counts');
INSERT INTO events VALUES(2,1767225600000000,'message.understood','message',1,'patch');
INSERT INTO events VALUES(3,1767225600000000,'message.understood','message',2,'patch');
INSERT INTO events VALUES(4,1767225600000000,'series.complete','series',1,'v1 of 1 patches: lib: make foo faster');
INSERT INTO events VALUES(5,1767225600000000,'series.planned','series',1,'');
INSERT INTO events VALUES(6,1767225600000000,'job.planned','job',1,'wordcount of tree main');
INSERT INTO events VALUES(7,1767225600000000,'job.done','job',1,'');
INSERT INTO events VALUES(8,1767225600000000,'request.new','request',1,'test');
INSERT INTO events VALUES(9,1767225600000000,'outgoing.queued','outgoing',1,'job:k1:report');
INSERT INTO events VALUES(10,1767225600000000,'outgoing.sending','outgoing',1,'attempt 1');
INSERT INTO events VALUES(11,1767225600000000,'outgoing.sent','outgoing',1,'250 ok');
CREATE TABLE sources (
	id           INTEGER PRIMARY KEY,
	name         TEXT    NOT NULL UNIQUE,
	cursor       TEXT,
	start_us     INTEGER NOT NULL,
	connected    INTEGER NOT NULL CHECK (connected IN (0, 1)),
	behind       INTEGER NOT NULL,
	last_mail_us INTEGER NOT NULL,
	last_ok_us   INTEGER NOT NULL,
	last_error   TEXT,
	next_try_us  INTEGER NOT NULL,
	failures     INTEGER NOT NULL
) STRICT;
INSERT INTO sources VALUES(1,'lab',NULL,1767225600000000,0,-1,0,0,NULL,0,0);
CREATE TABLE messages (
	id             INTEGER PRIMARY KEY,
	message_id     TEXT    NOT NULL UNIQUE,
	raw_sha256     BLOB    NOT NULL CHECK (length(raw_sha256) = 32),
	date_us        INTEGER NOT NULL,
	arrived_us     INTEGER NOT NULL,
	observe        INTEGER NOT NULL CHECK (observe IN (0, 1)),
	state          TEXT    NOT NULL CHECK (state IN ('new', 'understood', 'refused', 'poison')),
	reason         TEXT,
	kind           TEXT,
	list           TEXT,
	subject        TEXT,
	from_name      TEXT,
	from_addr      TEXT,
	lease_owner    TEXT,
	lease_until_us INTEGER,
	deaths         INTEGER NOT NULL DEFAULT 0,
	CHECK ((lease_owner IS NULL) = (lease_until_us IS NULL))
) STRICT;
INSERT INTO messages VALUES(1,'1@example.org',X'19c2f3013f46c85ab5820cd6341e853a9e2c2abec87bca2403404f7b9cb3c281',1767222000000000,1767225600000000,0,'understood',NULL,'patch','lab','[PATCH 1/1] lib: foo','Ann Author','ann@example.org',NULL,NULL,0);
INSERT INTO messages VALUES(2,'0@example.org',X'df868755a71a3da0156b1bd664867bd8cfa7908a7238216a37f8bc058287b512',1767222000000000,1767225600000000,0,'understood',NULL,'patch','lab','[PATCH 0/1] lib: make foo faster','Ann Author','ann@example.org',NULL,NULL,0);
CREATE TABLE sightings (
	source      TEXT    NOT NULL,
	locator     TEXT    NOT NULL,
	message_row INTEGER REFERENCES messages (id),
	raw_sha256  BLOB,
	date_us     INTEGER NOT NULL,
	seen_us     INTEGER NOT NULL,
	refused     TEXT,
	PRIMARY KEY (source, locator),
	CHECK ((message_row IS NULL) = (refused IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO sightings VALUES('lab','0@example.org',2,X'df868755a71a3da0156b1bd664867bd8cfa7908a7238216a37f8bc058287b512',1767222000000000,1767225600000000,NULL);
INSERT INTO sightings VALUES('lab','1@example.org',1,X'19c2f3013f46c85ab5820cd6341e853a9e2c2abec87bca2403404f7b9cb3c281',1767222000000000,1767225600000000,NULL);
CREATE TABLE message_refs (
	message_row INTEGER NOT NULL REFERENCES messages (id),
	position    INTEGER NOT NULL,
	ancestor    TEXT    NOT NULL,
	PRIMARY KEY (message_row, position)
) STRICT, WITHOUT ROWID;
INSERT INTO message_refs VALUES(1,0,'0@example.org');
CREATE TABLE patch_mails (
	message_row   INTEGER NOT NULL PRIMARY KEY REFERENCES messages (id),
	poster        TEXT,
	posted_us     INTEGER NOT NULL,
	is_patch      INTEGER NOT NULL,
	is_reply      INTEGER NOT NULL,
	is_forward    INTEGER NOT NULL,
	is_pull       INTEGER NOT NULL,
	revision      INTEGER NOT NULL,
	number        INTEGER NOT NULL,
	total         INTEGER NOT NULL,
	numbered      INTEGER NOT NULL,
	rfc           INTEGER NOT NULL,
	resend        INTEGER NOT NULL,
	tags          TEXT    NOT NULL, -- one a line
	title         TEXT    NOT NULL,
	mail_is_reply INTEGER NOT NULL,
	has_diff      INTEGER NOT NULL,
	patch_id      TEXT,
	base_commit   TEXT,
	change_id     TEXT
) STRICT;
INSERT INTO patch_mails VALUES(1,'ann@example.org',1767225600000000,1,0,0,0,1,1,1,1,0,0,'','lib: foo',0,1,NULL,NULL,NULL);
INSERT INTO patch_mails VALUES(2,'ann@example.org',1767225600000000,1,0,0,0,1,0,1,1,0,0,'','lib: make foo faster',0,0,NULL,NULL,NULL);
CREATE TABLE series (
	id             INTEGER PRIMARY KEY,
	key            TEXT    NOT NULL UNIQUE,
	title          TEXT    NOT NULL,
	author         TEXT,             -- address in lower case
	revision       INTEGER NOT NULL,
	total          INTEGER NOT NULL,
	state          TEXT    NOT NULL CHECK (state IN ('incomplete', 'complete', 'planned',
	                                                 'declined', 'superseded', 'poison')),
	reason         TEXT,
	list           TEXT,
	base_commit    TEXT,
	change_id      TEXT,
	previous       TEXT,
	arrived_us     INTEGER NOT NULL,
	lease_owner    TEXT,
	lease_until_us INTEGER,
	deaths         INTEGER NOT NULL DEFAULT 0,
	CHECK ((lease_owner IS NULL) = (lease_until_us IS NULL))
) STRICT;
INSERT INTO series VALUES(1,'0@example.org','lib: make foo faster','ann@example.org',1,1,'planned',NULL,'lab',NULL,NULL,NULL,1767225600000000,NULL,NULL,0);
CREATE TABLE series_mails (
	series_row  INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
	number      INTEGER NOT NULL,
	message_row INTEGER NOT NULL REFERENCES messages (id),
	PRIMARY KEY (series_row, number)
) STRICT, WITHOUT ROWID;
INSERT INTO series_mails VALUES(1,1,1);
INSERT INTO series_mails VALUES(1,0,2);
CREATE TABLE requests (
	id             INTEGER PRIMARY KEY,
	message_row    INTEGER NOT NULL UNIQUE REFERENCES messages (id),
	state          TEXT    NOT NULL CHECK (state IN ('new', 'planned', 'declined', 'poison')),
	reason         TEXT,
	kind           TEXT    NOT NULL,
	facts          TEXT    NOT NULL,
	parent_job_row INTEGER REFERENCES jobs (id),
	observe        INTEGER NOT NULL CHECK (observe IN (0, 1)),
	arrived_us     INTEGER NOT NULL,
	list           TEXT,
	lease_owner    TEXT,
	lease_until_us INTEGER,
	deaths         INTEGER NOT NULL DEFAULT 0,
	CHECK ((lease_owner IS NULL) = (lease_until_us IS NULL))
) STRICT;
INSERT INTO requests VALUES(1,1,'new',NULL,'test','{}',NULL,0,1767225600000000,'lab',NULL,NULL,0);
CREATE TABLE jobs (
	id             INTEGER PRIMARY KEY,
	key            TEXT    NOT NULL UNIQUE,
	kind           TEXT    NOT NULL CHECK (kind IN ('series', 'retest')),
	state          TEXT    NOT NULL CHECK (state IN ('planned', 'built', 'ran', 'done', 'failed',
	                                                 'cancelled', 'poison')),
	series_row     INTEGER REFERENCES series (id),
	request_row    INTEGER REFERENCES requests (id),
	parent_job_row INTEGER REFERENCES jobs (id),
	list           TEXT,
	tree           TEXT,
	testcase       TEXT    NOT NULL,
	spec_yaml      TEXT    NOT NULL,
	runs           INTEGER NOT NULL,
	family         INTEGER NOT NULL,
	n_families     INTEGER NOT NULL,
	base_how       TEXT,
	base_reason    TEXT,
	ref            TEXT,
	reason         TEXT,
	created_us     INTEGER NOT NULL,
	applied_us     INTEGER NOT NULL,
	not_before_us  INTEGER NOT NULL DEFAULT 0,
	lease_owner    TEXT,
	lease_until_us INTEGER,
	deaths         INTEGER NOT NULL DEFAULT 0,
	CHECK ((lease_owner IS NULL) = (lease_until_us IS NULL))
) STRICT;
INSERT INTO jobs VALUES(1,'k1','series','done',NULL,NULL,NULL,'lab','main','wordcount',replace('testcase: wordcount\n','\n',char(10)),5,1,2,NULL,NULL,NULL,NULL,1767225600000000,0,0,NULL,NULL,0);
CREATE TABLE job_commits (
	job_row  INTEGER NOT NULL REFERENCES jobs (id),
	position INTEGER NOT NULL,
	role     TEXT    NOT NULL CHECK (role IN ('base', 'patched', 'bad', 'fix')),
	sha      TEXT,
	tree     TEXT,
	subject  TEXT,
	PRIMARY KEY (job_row, position)
) STRICT, WITHOUT ROWID;
INSERT INTO job_commits VALUES(1,0,'base','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','cccccccccccccccccccccccccccccccccccccccc','lib: foo');
INSERT INTO job_commits VALUES(1,1,'patched','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','cccccccccccccccccccccccccccccccccccccccc','lib: foo');
CREATE TABLE families (
	job_row    INTEGER NOT NULL REFERENCES jobs (id),
	family     INTEGER NOT NULL CHECK (family >= 1),
	seed       INTEGER, -- of the order within the rounds; NULL until the runs are planned
	created_us INTEGER NOT NULL,
	PRIMARY KEY (job_row, family)
) STRICT, WITHOUT ROWID;
INSERT INTO families VALUES(1,1,42,1767225600000000);
CREATE TABLE runs (
	id            INTEGER PRIMARY KEY,
	job_row       INTEGER NOT NULL,
	family        INTEGER NOT NULL,
	position      INTEGER NOT NULL,
	round         INTEGER NOT NULL,
	slot          INTEGER NOT NULL,
	state         TEXT    NOT NULL CHECK (state IN ('planned', 'done', 'failed')),
	outcome       TEXT,
	detail        TEXT,
	result_dir    TEXT,
	stats_sha256  TEXT,
	machine       TEXT,
	workload_hash TEXT,
	config_hash   TEXT,
	started_us    INTEGER NOT NULL DEFAULT 0,
	ended_us      INTEGER NOT NULL DEFAULT 0,
	UNIQUE (job_row, family, round, position),
	UNIQUE (job_row, family, round, slot),
	FOREIGN KEY (job_row, family) REFERENCES families (job_row, family)
) STRICT;
INSERT INTO runs VALUES(1,1,1,0,0,1,'done','ok',NULL,'results/k1/1',NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(2,1,1,1,0,0,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(3,1,1,0,1,1,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(4,1,1,1,1,0,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(5,1,1,0,2,1,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(6,1,1,1,2,0,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(7,1,1,0,3,1,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(8,1,1,1,3,0,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(9,1,1,0,4,0,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO runs VALUES(10,1,1,1,4,1,'planned',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
CREATE TABLE run_values (
	run_row INTEGER NOT NULL REFERENCES runs (id),
	key     TEXT    NOT NULL,
	value   REAL,
	PRIMARY KEY (run_row, key)
) STRICT, WITHOUT ROWID;
INSERT INTO run_values VALUES(1,'ops_per_sec',12.5);
CREATE TABLE comparisons (
	job_row         INTEGER NOT NULL,
	family          INTEGER NOT NULL,
	position        INTEGER NOT NULL,
	key             TEXT    NOT NULL,
	ordinal         INTEGER NOT NULL, -- as handed in, which is the order of the report
	unit            TEXT,
	direction       TEXT    NOT NULL,
	verdict         TEXT    NOT NULL,
	p               REAL,
	has_percent     INTEGER NOT NULL,
	has_interval    INTEGER NOT NULL,
	shift           REAL,
	low             REAL,
	high            REAL,
	smallest_effect REAL,
	n_base          INTEGER NOT NULL,
	n_head          INTEGER NOT NULL,
	n_plan          INTEGER NOT NULL,
	note            TEXT,
	PRIMARY KEY (job_row, family, position, key),
	FOREIGN KEY (job_row, family) REFERENCES families (job_row, family)
) STRICT, WITHOUT ROWID;
INSERT INTO comparisons VALUES(1,1,1,'ops_per_sec',0,NULL,'higher','unclear',0.5,0,0,0.0,0.0,0.0,0.0,0,0,0,NULL);
CREATE TABLE reports (
	job_row  INTEGER NOT NULL PRIMARY KEY REFERENCES jobs (id),
	outcome  TEXT    NOT NULL,
	facts    TEXT    NOT NULL,
	saved_us INTEGER NOT NULL
) STRICT;
INSERT INTO reports VALUES(1,'unclear','{}',1767225600000000);
CREATE TABLE outgoing (
	id                 INTEGER PRIMARY KEY,
	purpose            TEXT    NOT NULL UNIQUE,
	job_row            INTEGER REFERENCES jobs (id),
	message_id         TEXT    NOT NULL UNIQUE,
	subject            TEXT    NOT NULL,
	bytes              BLOB    NOT NULL,
	from_name          TEXT    NOT NULL,
	from_addr          TEXT    NOT NULL,
	state              TEXT    NOT NULL CHECK (state IN ('held', 'queued', 'sending', 'sent',
	                                                     'unknown', 'confirmed', 'failed',
	                                                     'rejected', 'dry-run')),
	hold_reason        TEXT,
	attempts           INTEGER NOT NULL,
	created_us         INTEGER NOT NULL,
	not_before_us      INTEGER NOT NULL,
	first_attempted_us INTEGER NOT NULL,
	attempted_us       INTEGER NOT NULL,
	last_reply         TEXT,
	lease_owner        TEXT,
	lease_until_us     INTEGER,
	deaths             INTEGER NOT NULL DEFAULT 0,
	CHECK ((lease_owner IS NULL) = (lease_until_us IS NULL))
) STRICT;
INSERT INTO outgoing VALUES(1,'job:k1:report',1,'9-lorebot@example.org','Re: lib: foo',X'5375626a6563743a20780a0a790a','','robot@example.org','sent',NULL,1,1767225600000000,0,1767225600000000,1767225600000000,'250 ok',NULL,NULL,0);
CREATE TABLE recipients (
	outgoing_row INTEGER NOT NULL REFERENCES outgoing (id),
	position     INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	addr         TEXT    NOT NULL,
	code         INTEGER NOT NULL DEFAULT 0, -- last SMTP reply to RCPT; 0: not asked
	text         TEXT,
	PRIMARY KEY (outgoing_row, position),
	UNIQUE (outgoing_row, addr)
) STRICT, WITHOUT ROWID;
INSERT INTO recipients VALUES(1,0,'Ann','ann@example.org',0,NULL);
CREATE TABLE attempts (
	outgoing_row INTEGER NOT NULL REFERENCES outgoing (id),
	number       INTEGER NOT NULL,
	started_us   INTEGER NOT NULL,
	ended_us     INTEGER NOT NULL DEFAULT 0,
	outcome      TEXT,
	reply        TEXT,
	PRIMARY KEY (outgoing_row, number)
) STRICT, WITHOUT ROWID;
INSERT INTO attempts VALUES(1,1,1767225600000000,1767225600000000,'sent','250 ok');
CREATE INDEX events_of_subject ON events (subject_kind, subject_row, id);
CREATE INDEX messages_waiting ON messages (id) WHERE state = 'new' AND lease_owner IS NULL;
CREATE INDEX messages_leased ON messages (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX sightings_of_message ON sightings (message_row);
CREATE INDEX message_refs_by_ancestor ON message_refs (ancestor, message_row);
CREATE INDEX patch_mails_by_poster ON patch_mails (poster, revision, total, posted_us);
CREATE INDEX series_waiting ON series (id) WHERE state = 'complete' AND lease_owner IS NULL;
CREATE INDEX series_leased ON series (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX series_by_author ON series (author, title COLLATE NOCASE);
CREATE INDEX series_by_change ON series (change_id) WHERE change_id IS NOT NULL;
CREATE INDEX series_by_previous ON series (previous) WHERE previous IS NOT NULL;
CREATE INDEX series_mails_by_message ON series_mails (message_row, series_row);
CREATE INDEX requests_waiting ON requests (id) WHERE state = 'new' AND lease_owner IS NULL;
CREATE INDEX requests_leased ON requests (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE INDEX jobs_leased ON jobs (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX jobs_by_series ON jobs (series_row) WHERE series_row IS NOT NULL;
CREATE INDEX outgoing_by_state ON outgoing (state, id);
CREATE INDEX outgoing_leased ON outgoing (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX outgoing_by_first_attempt ON outgoing (first_attempted_us);
COMMIT;
PRAGMA application_id = 1819243109;
PRAGMA user_version = 1;

-- SPDX-License-Identifier: GPL-3.0-or-later
-- lorebot.db, version 1: the queue and the facts.
--
-- Times are microseconds since 1970-01-01 UTC, 0 where the header of the struct says so.  A row that
-- a stage works on carries lease_owner ("BOOT-ID/PID/START-TIME/STAGE") and lease_until_us; deaths
-- counts how many processes died over it.

CREATE TABLE controls (
	name   TEXT    NOT NULL PRIMARY KEY,
	reason TEXT    NOT NULL,
	set_us INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
	id           INTEGER PRIMARY KEY,
	at_us        INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	subject_kind TEXT    NOT NULL,
	subject_row  INTEGER NOT NULL,
	text         TEXT    NOT NULL
) STRICT;
CREATE INDEX events_of_subject ON events (subject_kind, subject_row, id);

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

-- One logical mail: its canonical Message-ID.  raw_sha256 names the bytes of the first copy in raw.db.
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
CREATE INDEX messages_waiting ON messages (id) WHERE state = 'new' AND lease_owner IS NULL;
CREATE INDEX messages_leased ON messages (lease_owner) WHERE lease_owner IS NOT NULL;

-- Every door a mail came through.  A refused one has no message.
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
CREATE INDEX sightings_of_message ON sightings (message_row);

-- Ancestors as the mail names them, nearest first; they need not be stored themselves.
CREATE TABLE message_refs (
	message_row INTEGER NOT NULL REFERENCES messages (id),
	position    INTEGER NOT NULL,
	ancestor    TEXT    NOT NULL,
	PRIMARY KEY (message_row, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_refs_by_ancestor ON message_refs (ancestor, message_row);

-- What placing a mail into a series needs; poster is the address in lower case.
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
CREATE INDEX patch_mails_by_poster ON patch_mails (poster, revision, total, posted_us);

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
CREATE INDEX series_waiting ON series (id) WHERE state = 'complete' AND lease_owner IS NULL;
CREATE INDEX series_leased ON series (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX series_by_author ON series (author, title COLLATE NOCASE);
CREATE INDEX series_by_change ON series (change_id) WHERE change_id IS NOT NULL;
CREATE INDEX series_by_previous ON series (previous) WHERE previous IS NOT NULL;

-- number 0 is the cover.  A mail may stand in two series: a partial reroll takes over older patches.
CREATE TABLE series_mails (
	series_row  INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
	number      INTEGER NOT NULL,
	message_row INTEGER NOT NULL REFERENCES messages (id),
	PRIMARY KEY (series_row, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_mails_by_message ON series_mails (message_row, series_row);

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
CREATE INDEX requests_waiting ON requests (id) WHERE state = 'new' AND lease_owner IS NULL;
CREATE INDEX requests_leased ON requests (lease_owner) WHERE lease_owner IS NOT NULL;

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
CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE INDEX jobs_leased ON jobs (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX jobs_by_series ON jobs (series_row) WHERE series_row IS NOT NULL;

CREATE TABLE job_commits (
	job_row  INTEGER NOT NULL REFERENCES jobs (id),
	position INTEGER NOT NULL,
	role     TEXT    NOT NULL CHECK (role IN ('base', 'patched', 'bad', 'fix')),
	sha      TEXT,
	tree     TEXT,
	subject  TEXT,
	PRIMARY KEY (job_row, position)
) STRICT, WITHOUT ROWID;

-- A family is one set of samples that is judged whole; what confirms a finding is another family.
CREATE TABLE families (
	job_row    INTEGER NOT NULL REFERENCES jobs (id),
	family     INTEGER NOT NULL CHECK (family >= 1),
	seed       INTEGER, -- of the order within the rounds; NULL until the runs are planned
	created_us INTEGER NOT NULL,
	PRIMARY KEY (job_row, family)
) STRICT, WITHOUT ROWID;

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

-- Headline values of a run; NULL is a value that is no number.
CREATE TABLE run_values (
	run_row INTEGER NOT NULL REFERENCES runs (id),
	key     TEXT    NOT NULL,
	value   REAL,
	PRIMARY KEY (run_row, key)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE reports (
	job_row  INTEGER NOT NULL PRIMARY KEY REFERENCES jobs (id),
	outcome  TEXT    NOT NULL,
	facts    TEXT    NOT NULL,
	saved_us INTEGER NOT NULL
) STRICT;

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
CREATE INDEX outgoing_by_state ON outgoing (state, id);
CREATE INDEX outgoing_leased ON outgoing (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX outgoing_by_first_attempt ON outgoing (first_attempted_us);

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

CREATE TABLE attempts (
	outgoing_row INTEGER NOT NULL REFERENCES outgoing (id),
	number       INTEGER NOT NULL,
	started_us   INTEGER NOT NULL,
	ended_us     INTEGER NOT NULL DEFAULT 0,
	outcome      TEXT,
	reply        TEXT,
	PRIMARY KEY (outgoing_row, number)
) STRICT, WITHOUT ROWID;

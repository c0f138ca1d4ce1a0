/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * config - the operator's one file, checked whole before anything starts.
 *
 * git-config syntax, read by libgit2 (includes work).  Every key stands once in keys.def: that list
 * is the parser, the defaults, `config explain` and the man page.  An unknown key or section is an
 * error with a suggestion.  Secrets never stand here: a file, a command or a credential folder
 * holds them.
 */

#include "mailparse/mailbox.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	char *name;       /* our name in mails, "lorebot"                                   */
	Mailbox *address; /* our own address                                                */
	char *state_dir;  /* absolute                                                       */
	char *id_domain;  /* of our Message-IDs; the address's domain unless set            */
	char *footer;     /* line under the signature mark: a URL or a name                 */
	int64_t max_age_patches_us;
	int64_t max_age_requests_us;
	int64_t outage_after_us;      /* 0: never                                                */
	unsigned requests_per_sender; /* in 24 hours                                        */
	unsigned requests_per_day;
} BotSection;

typedef struct {
	char *name;
	char *url;
	char *user;             /* NULL                                                           */
	char *password_file;    /* NULL                                                           */
	GStrv password_command; /* NULL                                                           */
	char *mechanism;        /* NULL                                                           */
	char *ca_file;          /* NULL                                                           */
	bool clear_text;
	char *fetch; /* of a public-inbox: archive it is fetched from; NULL                    */
	int64_t fetch_every_us;
	int64_t since_us; /* 0: starts now                                                  */
	bool observe;     /* store and show, never answer                                   */
	bool confirms;    /* our own mail seen here counts as delivered                     */
	GStrv lists;      /* list sections whose mail only the list itself can bring here   */
	int64_t silent_after_us;  /* 0: never                                                */
	unsigned max_connections; /* to this server as this user; at least 1                */
} SourceSection;

typedef enum { UNASKED_NONE, UNASKED_REGRESSIONS, UNASKED_ALL } Unasked;

typedef struct {
	char *name;
	char *address; /* posting address; the section's name when that holds an "@"     */
	char *list_id; /* NULL                                                           */
	char *consent; /* link to the list owner's yes; NULL: ask-only                   */
	bool hold;     /* default true: each mail waits for approval                     */
	Unasked unasked;
	char *archive_url; /* "https://lore.example.org/lab/%s/"; NULL: not publicly archived */
	GStrv trees;       /* section names, first one first                                 */
	GStrv suites;
} ListSection;

typedef struct {
	char *name;
	char *url;
	char *mirror;      /* NULL                                                           */
	char *publish;     /* NULL                                                           */
	char *publish_url; /* public URL of publish; NULL                           */
	char *branch;      /* NULL: HEAD                                                     */
} TreeSection;

typedef struct {
	char *engine;        /* "local"                                                        */
	unsigned runs;       /* a commit and family                                            */
	unsigned uid;        /* of the sandbox                                                 */
	GStrv workload_dirs; /* searched before the installed ones                             */
	GStrv suite_dirs;
	char *tbox_group; /* name of this kind of machine; host name without its number     */
} RunSection;

typedef struct {
	GStrv allow_hosts;
	bool allow_private;
	int64_t timeout_ms;
	uint64_t max_bytes;
} FetchSection;

typedef enum { TRANSPORT_DRY_RUN, TRANSPORT_FILE, TRANSPORT_SMTP } Transport;

typedef struct {
	Transport transport; /* default dry-run                                                */
	char *directory;     /* of transport file                                              */
	char *url;           /* smtp:// or smtps://                                            */
	char *user;          /* NULL                                                           */
	char *password_file;
	GStrv password_command;
	char *mechanism;
	char *ca_file;
	bool clear_text;
	int64_t unknown_after_us; /* T of the unknown rule, 1 h                                   */
	unsigned max_per_day;
} SendSection;

/* Lists of texts (trees, suites, allow_hosts, ...) are never NULL; password commands may be. */
typedef struct {
	char *path;
	BotSection bot;
	RunSection run;
	FetchSection fetch;
	SendSection send;
	GPtrArray *sources; /* (element-type SourceSection) file order */
	GPtrArray *lists;   /* (element-type ListSection) */
	GPtrArray *trees;   /* (element-type TreeSection) */
} Config;

/**
 * config_load:
 * @error: BOT_ERROR_CONFIG: file, section, key, reason and cure; all faults of the file at once,
 * one a line
 */
Config *config_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void config_free(Config *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Config, config_free)

const SourceSection *config_find_source(const Config *config, const char *name);
const ListSection *config_find_list(const Config *config, const char *name);
const TreeSection *config_find_tree(const Config *config, const char *name);

/**
 * config_explain:
 * @key: "source.url", a section name, or NULL for all
 *
 * Returns: (transfer full) (nullable): each key with type, default and what it does; NULL when
 *   @key is unknown
 */
char *config_explain(const char *key);

/** config_hash: SHA-256 hex over all effective values except secrets' places. */
char *config_hash(const Config *config);

/**
 * secret_read:
 * @file: (nullable), @command: (nullable): where it stands; $CREDENTIALS_DIRECTORY/NAME when @file
 * is a bare name
 * @error: CONFIG; never holds the secret
 *
 * Returns: (transfer full) (nullable): first line; NULL without error when neither is given
 */
char *secret_read(const char *file, const char *const *command, GError **error);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * keys - the table that keys.def becomes, and values by type.
 *
 * Private to config.  A section is one struct of config.h; a key is a field of it at an offset,
 * with the type that says how text becomes the field's value and back.
 */

#include "config/config.h"

typedef enum {
#define TYPE(name, words) KEY_##name,
#define SECTION(...)
#define KEY(...)
#include "config/keys.def"
#undef KEY
#undef SECTION
#undef TYPE
} KeyType;

#define KEY_REQUIRED 1u
#define KEY_PRIVATE 2u /* says where a secret stands: not in config_hash() */

typedef struct {
	const char *section;
	const char *name;
	KeyType type;
	size_t offset;
	const char *fallback; /* default as text; NULL: none */
	unsigned flags;
	const char *help;
} Key;

typedef struct {
	const char *name;
	size_t size;
	bool named; /* [name "NAME"]; the struct's first field is then char *name */
	const char *help;
} SectionKind;

/** keys_all, sections_all: static tables. */
const Key *keys_all(size_t *out_n);
const SectionKind *sections_all(size_t *out_n);

/** keys_find, sections_find: (nullable): without case, as git-config reads names. */
const Key *keys_find(const char *section, const char *name);
const SectionKind *sections_find(const char *name);

/** key_type_name: for a person, "duration like 7d, 12h, 90s". */
const char *key_type_name(KeyType type);

/** key_is_multiple: each mention adds a value. */
bool key_is_multiple(const Key *key);

/**
 * value_set:
 * @section: the struct
 * @text: (nullable): NULL is a key without "=", true for a bool
 * @folder: of the configuration, for relative paths
 * @error: CONFIG: what is wrong with @text, without naming the key; the field is unchanged
 */
bool value_set(const Key *key, void *section, const char *text, const char *folder,
	       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * source_place:
 * @out_folder: it is that of a folder
 *
 * Returns: (transfer none) (nullable): the path in the url of a source that is on this machine
 */
const char *source_place(const char *url, bool *out_folder);

/**
 * source_mailbox:
 * @url: imaps://HOST[:PORT]/MAILBOX; MAILBOX may hold %XX and is INBOX when left out
 *
 * Returns: (transfer full) (nullable): its name; NULL when that is no UTF-8 or holds control
 *   characters, which no server can be asked for
 */
char *source_mailbox(const char *url);

/** value_is_set: false for NULL and for 0 of what has no default. */
bool value_is_set(const Key *key, const void *section);

/** value_format: (transfer full): the effective value as text, for config_hash(). */
char *value_format(const Key *key, const void *section);

/** value_clear: frees what the field owns. */
void value_clear(const Key *key, void *section);

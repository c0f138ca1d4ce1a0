/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/keys.h"

#include <stddef.h>
#include <string.h>

#define REQUIRED KEY_REQUIRED
#define PRIVATE KEY_PRIVATE

static const Key keys[] = {
#define SECTION(...)
#define KEY(section, type, field, name, kind, fallback, flags, help)                               \
	{#section, name, KEY_##kind, offsetof(type, field), fallback, flags, help},
#include "config/keys.def"
#undef KEY
#undef SECTION
};

static const SectionKind sections[] = {
#define KEY(...)
#define SECTION(name, type, named, help) {#name, sizeof(type), named, help},
#include "config/keys.def"
#undef KEY
#undef SECTION
};

const Key *keys_all(size_t *out_n)
{
	*out_n = G_N_ELEMENTS(keys);
	return keys;
}

const SectionKind *sections_all(size_t *out_n)
{
	*out_n = G_N_ELEMENTS(sections);
	return sections;
}

const Key *keys_find(const char *section, const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (g_ascii_strcasecmp(keys[i].section, section) == 0 &&
		    g_ascii_strcasecmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

const SectionKind *sections_find(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		if (g_ascii_strcasecmp(sections[i].name, name) == 0)
			return &sections[i];
	}
	return NULL;
}

const char *key_type_name(KeyType type)
{
	switch (type) {
	case KEY_TEXT:
	case KEY_TEXTS:
		return "text";
	case KEY_PATH:
	case KEY_PATHS:
		return "path, relative to the configuration's folder";
	case KEY_SECRET_FILE:
		return "file name";
	case KEY_COMMAND:
		return "command line";
	case KEY_LOCATION:
		return "URL or path of a repository";
	case KEY_SOURCE_URL:
	case KEY_SMTP_URL:
		return "URL";
	case KEY_PERCENT_S:
		return "URL with %s";
	case KEY_CONSENT:
		return "link";
	case KEY_ADDRESS:
		return "mail address";
	case KEY_MAILBOX:
		return "mail address, or Name <address>";
	case KEY_BOOL:
		return "true or false";
	case KEY_COUNT:
		return "number";
	case KEY_SIZE:
		return "size like 500m or 2g";
	case KEY_DURATION:
	case KEY_DURATION_MS:
		return "duration like 7d, 12h, 30m or 90s";
	case KEY_DATE:
		return "date like 2026-01-31";
	case KEY_UNASKED:
		return "none, regressions or all";
	case KEY_TRANSPORT:
		return "dry-run, file or smtp";
	}
	return "";
}

bool key_is_multiple(const Key *key)
{
	return key->type == KEY_TEXTS || key->type == KEY_PATHS;
}

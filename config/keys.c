/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/keys.h"

#include <stddef.h>
#include <string.h>

#define REQUIRED KEY_REQUIRED
#define PRIVATE KEY_PRIVATE

static const Key keys[] = {
#define TYPE(...)
#define SECTION(...)
#define KEY(section, type, field, name, kind, fallback, flags, help)                               \
	{#section, name, KEY_##kind, offsetof(type, field), fallback, flags, help},
#include "config/keys.def"
#undef KEY
#undef SECTION
#undef TYPE
};

static const SectionKind sections[] = {
#define TYPE(...)
#define KEY(...)
#define SECTION(name, type, named, help) {#name, sizeof(type), named, help},
#include "config/keys.def"
#undef KEY
#undef SECTION
#undef TYPE
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
	static const char *const words[] = {
#define KEY(...)
#define SECTION(...)
#define TYPE(name, words) [KEY_##name] = words,
#include "config/keys.def"
#undef TYPE
#undef SECTION
#undef KEY
	};
	return words[type];
}

bool key_is_multiple(const Key *key)
{
	return key->type == KEY_TEXTS || key->type == KEY_NAMES || key->type == KEY_FOLDERS;
}

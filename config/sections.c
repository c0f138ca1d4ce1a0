/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/sections.h"

#include <string.h>

static void *unnamed_section(Config *config, const char *kind)
{
	if (strcmp(kind, "bot") == 0)
		return &config->bot;
	if (strcmp(kind, "run") == 0)
		return &config->run;
	if (strcmp(kind, "fetch") == 0)
		return &config->fetch;
	return &config->send;
}

static GPtrArray *named_sections(const Config *config, const char *kind)
{
	if (strcmp(kind, "source") == 0)
		return config->sources;
	return strcmp(kind, "list") == 0 ? config->lists : config->trees;
}

/* Each named struct begins with its name: see SectionKind. */
static const char *name_of(const void *section)
{
	return *(char *const *)section;
}

static void *find_named(const GPtrArray *sections, const char *name)
{
	for (guint i = 0; i < sections->len; i++) {
		void *section = g_ptr_array_index(sections, i);
		if (strcmp(name_of(section), name) == 0)
			return section;
	}
	return NULL;
}

void section_fill(const SectionKind *kind, void *section)
{
	size_t n = 0;
	const Key *keys = keys_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].section, kind->name) != 0 || keys[i].fallback == NULL)
			continue;
		if (!value_set(&keys[i], section, keys[i].fallback, "/", NULL))
			g_error("keys.def: the default of %s.%s is wrong", kind->name,
				keys[i].name);
	}
}

void *section_get(Config *config, const SectionKind *kind, const char *name)
{
	if (!kind->named)
		return unnamed_section(config, kind->name);

	GPtrArray *sections = named_sections(config, kind->name);
	void *section = find_named(sections, name);
	if (section == NULL) {
		section = g_malloc0(kind->size);
		*(char **)section = g_strdup(name);
		section_fill(kind, section);
		g_ptr_array_add(sections, section);
	}
	return section;
}

void section_each(const Config *config, SectionFunc func, void *payload)
{
	size_t n = 0;
	const SectionKind *kinds = sections_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (!kinds[i].named) {
			func(&kinds[i], NULL,
			     unnamed_section((Config *)(gsize)config, kinds[i].name), payload);
			continue;
		}
		GPtrArray *sections = named_sections(config, kinds[i].name);
		for (guint k = 0; k < sections->len; k++) {
			void *section = g_ptr_array_index(sections, k);
			func(&kinds[i], name_of(section), section, payload);
		}
	}
}

const SourceSection *config_find_source(const Config *config, const char *name)
{
	return name == NULL ? NULL : find_named(config->sources, name);
}

const ListSection *config_find_list(const Config *config, const char *name)
{
	return name == NULL ? NULL : find_named(config->lists, name);
}

const TreeSection *config_find_tree(const Config *config, const char *name)
{
	return name == NULL ? NULL : find_named(config->trees, name);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/config.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/git.h"
#include "config/check.h"
#include "config/faults.h"
#include "config/flaw.h"
#include "config/quotes.h"
#include "config/sections.h"
#include "config/suggest.h"

#include <string.h>

#define CONFIG_MAX_BYTES ((size_t)1024 * 1024)

/* ---- life ---- */

static void clear_section(const SectionKind *kind, const char *name, void *section, void *unused)
{
	size_t n = 0;
	const Key *keys = keys_all(&n);

	(void)unused;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].section, kind->name) == 0)
			value_clear(&keys[i], section);
	}
	if (name != NULL) {
		g_free(*(char **)section);
		g_free(section);
	}
}

void config_free(Config *config)
{
	if (config == NULL)
		return;
	section_each(config, clear_section, NULL);
	g_ptr_array_unref(config->sources);
	g_ptr_array_unref(config->lists);
	g_ptr_array_unref(config->trees);
	g_free(config->path);
	g_free(config);
}

static void fill_unnamed(const SectionKind *kind, const char *name, void *section, void *unused)
{
	(void)unused;
	if (name == NULL)
		section_fill(kind, section);
}

static Config *config_new(const char *path)
{
	Config *config = g_new0(Config, 1);

	config->path = g_strdup(path);
	config->sources = g_ptr_array_new();
	config->lists = g_ptr_array_new();
	config->trees = g_ptr_array_new();
	section_each(config, fill_unnamed, NULL);
	return config;
}

/* ---- reading ---- */

/* "section.name.key" or "section.key"; a name may hold dots, the others may not. */
typedef struct {
	char *section;
	char *name; /* NULL */
	char *key;
} EntryName;

static void entry_name_clear(EntryName *name)
{
	g_free(name->section);
	g_free(name->name);
	g_free(name->key);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EntryName, entry_name_clear)

static bool split_name(const char *text, EntryName *out)
{
	const char *first = strchr(text, '.');
	const char *last = strrchr(text, '.');

	if (first == NULL)
		return false;
	out->section = g_strndup(text, (gsize)(first - text));
	out->name = first == last ? NULL : g_strndup(first + 1, (gsize)(last - first - 1));
	out->key = g_strdup(last + 1);
	return true;
}

static const char *suggest_section(const char *wrong)
{
	size_t n = 0;
	const SectionKind *kinds = sections_all(&n);
	g_autofree const char **words = g_new0(const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		words[i] = kinds[i].name;
	return suggest(wrong, words);
}

static const char *suggest_key(const char *section, const char *wrong)
{
	size_t n = 0, n_words = 0;
	const Key *keys = keys_all(&n);
	g_autofree const char **words = g_new0(const char *, n + 1);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].section, section) == 0)
			words[n_words++] = keys[i].name;
	}
	return suggest(wrong, words);
}

static void add_unknown(Faults *faults, const EntryName *name, const char *key, const char *near)
{
	const char *what = key == NULL ? "section" : "key";

	if (near != NULL)
		faults_add(faults, name->section, name->name, key,
			   "unknown %s; did you mean \"%s\"?", what, near);
	else
		faults_add(faults, name->section, name->name, key,
			   "unknown %s; `lorebot config explain` lists all", what);
}

static bool check_section_name(const SectionKind *kind, const char *name, Faults *faults)
{
	g_autofree char *flaw = flaw_of_text(name);

	/* A tree's name becomes part of refs. */
	if (flaw == NULL && strcmp(kind->name, "tree") == 0)
		flaw = flaw_of_branch(name);
	if (flaw == NULL)
		return true;
	g_autofree char *shown = g_strescape(name, NULL);
	faults_add(faults, kind->name, shown, NULL, "the name %s", flaw);
	return false;
}

/* The kind of section of an entry, or NULL with a fault added. */
static const SectionKind *check_section(const EntryName *name, Faults *faults)
{
	const SectionKind *kind = sections_find(name->section);

	if (kind == NULL) {
		add_unknown(faults, name, NULL, suggest_section(name->section));
		return NULL;
	}
	if (kind->named && (name->name == NULL || *name->name == '\0')) {
		faults_add(faults, name->section, name->name, NULL, "needs a name: [%s \"NAME\"]",
			   kind->name);
		return NULL;
	}
	if (kind->named && !check_section_name(kind, name->name, faults))
		return NULL;
	if (!kind->named && name->name != NULL) {
		faults_add(faults, name->section, name->name, NULL, "has no name: write [%s]",
			   kind->name);
		return NULL;
	}
	return kind;
}

static char *read_file(const char *path, GError **error)
{
	g_autofree char *real = g_canonicalize_filename(path, NULL);
	g_autofree char *link = g_file_read_link(real, NULL);
	g_autofree char *folder = g_path_get_dirname(real);
	g_autofree char *target =
		link == NULL ? g_strdup(real) : g_canonicalize_filename(link, folder);
	g_autoptr(GBytes) bytes = fs_read(target, CONFIG_MAX_BYTES, error);

	if (bytes == NULL)
		return NULL;
	/* No bytes are NULL for GBytes. */
	gsize len = 0;
	const char *data = g_bytes_get_data(bytes, &len);
	return len == 0 ? g_strdup("") : g_strndup(data, len);
}

static void check_include(const char *text, const char *folder, Faults *faults)
{
	g_autofree char *path =
		text == NULL || *text == '~' ? NULL : g_canonicalize_filename(text, folder);

	if (path == NULL)
		return;
	g_autoptr(GError) failed = NULL;
	g_autofree char *bytes = read_file(path, &failed);
	/* git passes over a missing one in silence; here it may hold half of the settings. */
	if (bytes == NULL)
		faults_add(faults, "include", NULL, "path", "%s", failed->message);
	else
		quotes_check(faults, path, bytes);
}

/* git lets the last one count; here two sections of one name may have been written by mistake. */
static void check_twice(const Key *key, const EntryName *name, Faults *faults)
{
	bool is_list = key->type == KEY_TEXTS || key->type == KEY_NAMES || key->type == KEY_FOLDERS;

	if (!is_list && faults->mention != FAULTS_ELSEWHERE && faults->mention > 1)
		faults_add(faults, key->section, name->name, key->name,
			   "is set above already; keep one of them");
}

static void read_entry(Config *config, const git_config_entry *entry, const char *folder,
		       Faults *faults)
{
	g_auto(EntryName) name = {0};
	g_autoptr(GError) wrong = NULL;

	if (!split_name(entry->name, &name))
		return;
	faults_mention(faults, entry->name, entry->include_depth > 0);
	if (strcmp(name.section, "include") == 0 && name.name == NULL &&
	    strcmp(name.key, "path") == 0) {
		if (entry->include_depth == 0)
			check_include(entry->value, folder, faults);
		return;
	}
	const SectionKind *kind = check_section(&name, faults);
	if (kind == NULL)
		return;
	void *section = section_get(config, kind, name.name);
	const Key *key = keys_find(kind->name, name.key);
	if (key == NULL)
		add_unknown(faults, &name, name.key, suggest_key(kind->name, name.key));
	else if (!value_set(key, section, entry->value, folder, &wrong))
		faults_add(faults, kind->name, name.name, key->name, "%s", wrong->message);
	else
		check_twice(key, &name, faults);
}

static bool read_entries(Config *config, git_config *file, const char *folder, Faults *faults,
			 GError **error)
{
	g_autoptr(git_config_iterator) iterator = NULL;
	git_config_entry *entry = NULL;
	int rc = git_config_iterator_new(&iterator, file);

	while (rc == 0 && (rc = git_config_next(&entry, iterator)) == 0)
		read_entry(config, entry, folder, faults);
	faults->mention = 0;
	return rc == GIT_ITEROVER || git_fail(error, rc, "%s", config->path);
}

/* libgit2 yields no entry for a section without keys, yet [source "x"] alone must be told. */
static void read_empty_sections(Config *config, Faults *faults)
{
	for (guint i = 0; faults->lines[i] != NULL; i++) {
		g_auto(GStrv) parts = NULL;
		const char *line = g_strchug(faults->lines[i]);

		if (*line != '[' || strchr(line, '"') == NULL || strchr(line, '\\') != NULL)
			continue;
		parts = g_strsplit(line + 1, "\"", 3);
		const SectionKind *kind = sections_find(g_strstrip(parts[0]));
		if (kind != NULL && kind->named && g_strv_length(parts) == 3 && *parts[1] != '\0' &&
		    check_section_name(kind, parts[1], faults))
			section_get(config, kind, parts[1]);
	}
}

/* ---- what is derived from other keys ---- */

static void derive_bot(BotSection *bot)
{
	if (bot->id_domain == NULL && bot->address != NULL)
		bot->id_domain = g_strdup(strrchr(bot->address->addr, '@') + 1);
}

/* A list that is not given is empty, not absent. */
static void derive_texts(GStrv *texts)
{
	if (*texts == NULL)
		*texts = g_new0(char *, 1);
}

static void derive_list(ListSection *list)
{
	g_autoptr(Mailbox) named = mailbox_new(NULL, list->name, NULL);

	derive_texts(&list->trees);
	derive_texts(&list->suites);
	if (list->address == NULL && named != NULL)
		list->address = g_strdup(named->addr);
	if (list->list_id == NULL && strchr(list->name, '@') == NULL &&
	    strchr(list->name, '.') != NULL)
		list->list_id = g_ascii_strdown(list->name, -1);
}

/* "lab-skl-07" and "lab-skl-12" are one kind of machine. */
static char *host_group(void)
{
	g_autofree char *group = g_strdup(g_get_host_name());
	size_t len = strlen(group);

	while (len > 0 && (g_ascii_isdigit(group[len - 1]) || group[len - 1] == '-'))
		len--;
	return len == 0 ? g_strdup("host") : g_strndup(group, len);
}

static void derive(Config *config)
{
	derive_bot(&config->bot);
	derive_texts(&config->fetch.allow_hosts);
	derive_texts(&config->run.workload_dirs);
	derive_texts(&config->run.suite_dirs);
	for (guint i = 0; i < config->sources->len; i++)
		derive_texts(&((SourceSection *)config->sources->pdata[i])->lists);
	for (guint i = 0; i < config->lists->len; i++)
		derive_list(config->lists->pdata[i]);
	if (config->run.tbox_group == NULL)
		config->run.tbox_group = host_group();
}

/* ---- the whole ---- */

static char *read_main_file(const char *path, GError **error)
{
	g_autoptr(GError) failed = NULL;
	char *bytes = read_file(path, &failed);

	if (bytes == NULL)
		g_set_error(
			error, BOT_ERROR, BOT_ERROR_CONFIG,
			"%s; name the file with --config; config/share/example.config is one to "
			"start from",
			failed->message);
	return bytes;
}

static bool open_file(const char *path, git_config **out_file, GError **error)
{
	g_autoptr(GError) failed = NULL;
	int rc = 0;

	git_start();
	rc = git_config_open_ondisk(out_file, path);
	if (rc == 0 || git_fail(&failed, rc, "%s cannot be read", path))
		return true;
	g_set_error_literal(error, BOT_ERROR, BOT_ERROR_CONFIG, failed->message);
	return false;
}

static bool tell_faults(const Faults *faults, GError **error)
{
	if (faults->text->len == 0)
		return true;
	g_ptr_array_add(faults->text, NULL);
	g_autofree char *all = g_strjoinv("\n", (GStrv)faults->text->pdata);
	g_set_error_literal(error, BOT_ERROR, BOT_ERROR_CONFIG, all);
	return false;
}

Config *config_load(const char *path, GError **error)
{
	g_autofree char *real = g_canonicalize_filename(path, NULL);
	g_autofree char *folder = g_path_get_dirname(real);
	g_autofree char *bytes = read_main_file(path, error);
	g_autoptr(git_config) file = NULL;
	g_autoptr(Config) config = config_new(real);
	g_auto(Faults) faults = {0};

	if (bytes == NULL || !open_file(real, &file, error))
		return NULL;
	faults_init(&faults, path, bytes);
	quotes_check(&faults, path, bytes);
	read_empty_sections(config, &faults);
	if (!read_entries(config, file, folder, &faults, error))
		return NULL;
	derive(config);
	check_all(config, &faults);
	return tell_faults(&faults, error) ? g_steal_pointer(&config) : NULL;
}

/* ---- hash ---- */

static void hash_section(const SectionKind *kind, const char *name, void *section, void *payload)
{
	GChecksum *sum = payload;
	size_t n = 0;
	const Key *keys = keys_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].section, kind->name) != 0 || (keys[i].flags & KEY_PRIVATE))
			continue;
		g_autofree char *value = value_format(&keys[i], section);
		g_autofree char *line =
			g_strdup_printf("%s.%s.%s=%zu:%s\n", kind->name, name == NULL ? "" : name,
					keys[i].name, strlen(value), value);
		g_checksum_update(sum, (const guchar *)line, -1);
	}
}

char *config_hash(const Config *config)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	section_each(config, hash_section, sum);
	return g_strdup(g_checksum_get_string(sum));
}

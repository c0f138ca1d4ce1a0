/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/keys.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "config/flaw.h"

#include <string.h>

static const char *const unasked_words[] = {[UNASKED_NONE] = "none",
					    [UNASKED_REGRESSIONS] = "regressions",
					    [UNASKED_ALL] = "all",
					    NULL};
static const char *const transport_words[] = {[TRANSPORT_DRY_RUN] = "dry-run",
					      [TRANSPORT_FILE] = "file",
					      [TRANSPORT_SMTP] = "smtp",
					      NULL};
static const char *const web_schemes[] = {"https://", "http://", NULL};
/* What stands behind these is a path. */
static const char *const folder_schemes[] = {"maildir:", "public-inbox:", NULL};
static const char *const file_schemes[] = {"mboxrd:", "mbox:", NULL};
static const char *const source_schemes[] = {
	"imaps://", "imap://", "maildir:", "mboxrd:", "mbox:", "public-inbox:", NULL};
static const char *const fetch_schemes[] = {"https://", "git://", NULL};
static const char *const smtp_schemes[] = {"smtps://", "smtp://", NULL};

G_GNUC_PRINTF(2, 3) static bool refuse(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, BOT_ERROR, BOT_ERROR_CONFIG, text);
	return false;
}

static void *field(const Key *key, void *section)
{
	return (char *)section + key->offset;
}

static const void *const_field(const Key *key, const void *section)
{
	return (const char *)section + key->offset;
}

/* ---- text to value ---- */

static void replace_text(void *at, char *text)
{
	char **field_text = at;

	g_free(*field_text);
	*field_text = text;
}

static void append_text(void *at, char *text)
{
	GStrv *list = at;
	guint n = *list == NULL ? 0 : g_strv_length(*list);

	*list = g_renew(char *, *list, n + 2);
	(*list)[n] = text;
	(*list)[n + 1] = NULL;
}

static char *below(const char *folder, const char *path)
{
	return g_canonicalize_filename(path, folder);
}

static bool set_bool(bool *at, const char *text, GError **error)
{
	static const char *const yes[] = {"true", "yes", "on", "1", NULL};
	static const char *const no[] = {"false", "no", "off", "0", "", NULL};
	g_autofree char *low = g_ascii_strdown(text == NULL ? "true" : text, -1);

	if (!g_strv_contains(yes, low) && !g_strv_contains(no, low))
		return refuse(error, "\"%s\" is neither true nor false", text);
	*at = g_strv_contains(yes, low);
	return true;
}

static bool set_word(int *at, const char *text, const char *const *words, GError **error)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (g_ascii_strcasecmp(words[i], text) == 0) {
			*at = i;
			return true;
		}
	}
	g_autofree char *known = g_strjoinv(", ", (GStrv)(gsize)words);
	return refuse(error, "\"%s\" is none of: %s", text, known);
}

/* A number with one letter for its unit; no sign, no blanks, no overflow. */
static bool parse_unit(const char *text, const char *letters, const guint64 *factors,
		       guint64 *out_value)
{
	const char *end = text;
	guint64 factor = 1, number = 0;

	if (!g_ascii_isdigit(*text))
		return false;
	number = g_ascii_strtoull(text, (char **)(gsize)&end, 10);
	if (*end != '\0') {
		const char *letter = strchr(letters, g_ascii_tolower(*end));
		if (letter == NULL || end[1] != '\0')
			return false;
		factor = factors[letter - letters];
	}
	if (number > (guint64)G_MAXINT64 / factor)
		return false;
	*out_value = number * factor;
	return true;
}

static bool set_duration(int64_t *at, const char *text, int64_t per_second, GError **error)
{
	static const guint64 seconds[] = {1, 60, 3600, 86400, 604800};
	guint64 value = 0;

	/* A bare number would leave seconds or days to guess, unless it is 0. */
	if (*text == '\0' || (g_ascii_isdigit(text[strlen(text) - 1]) && strcmp(text, "0") != 0) ||
	    !parse_unit(text, "smhdw", seconds, &value) ||
	    value > (guint64)(G_MAXINT64 / per_second))
		return refuse(error, "\"%s\" is no duration; write 7d, 12h, 30m or 90s", text);
	*at = (int64_t)value * per_second;
	return true;
}

static bool set_size(uint64_t *at, const char *text, GError **error)
{
	static const guint64 bytes[] = {1024, 1024 * 1024, 1024 * 1024 * 1024};

	if (!parse_unit(text, "kmg", bytes, at))
		return refuse(error, "\"%s\" is no size; write bytes, or 500m, or 2g", text);
	return true;
}

static bool set_count(unsigned *at, const char *text, GError **error)
{
	guint64 value = 0;

	if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT32, &value, NULL))
		return refuse(error, "\"%s\" is no number", text);
	*at = (unsigned)value;
	return true;
}

static bool set_date(int64_t *at, const char *text, GError **error)
{
	g_autoptr(GError) failed = NULL;

	if (clock_parse_iso(text, at, &failed))
		return true;
	return refuse(error, "%s", failed->message);
}

static bool set_mailbox(Mailbox **at, const char *text, GError **error)
{
	g_autoptr(GError) failed = NULL;
	Mailbox *mailbox = mailbox_parse(text, &failed);

	if (mailbox == NULL)
		return refuse(error, "\"%s\" is no mail address: %s", text, failed->message);
	g_clear_pointer(at, mailbox_free);
	*at = mailbox;
	return true;
}

static bool set_address(void *at, const char *text, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_autoptr(Mailbox) mailbox = mailbox_parse(text, &failed);

	if (mailbox == NULL)
		return refuse(error, "\"%s\" is no mail address: %s", text, failed->message);
	replace_text(at, g_strdup(mailbox->addr));
	return true;
}

static bool set_command(GStrv *at, const char *text, GError **error)
{
	g_autoptr(GError) failed = NULL;
	GStrv argv = NULL;

	if (!g_shell_parse_argv(text, NULL, &argv, &failed))
		return refuse(error, "\"%s\" is no command line: %s", text, failed->message);
	g_strfreev(*at);
	*at = argv;
	return true;
}

/* Returns: (nullable): the one of @prefixes that @text begins with */
static const char *find_prefix(const char *text, const char *const *prefixes)
{
	for (; *prefixes != NULL; prefixes++) {
		if (g_ascii_strncasecmp(text, *prefixes, strlen(*prefixes)) == 0)
			return *prefixes;
	}
	return NULL;
}

const char *source_place(const char *url, bool *out_folder)
{
	const char *scheme = find_prefix(url, folder_schemes);

	*out_folder = scheme != NULL;
	if (scheme == NULL)
		scheme = find_prefix(url, file_schemes);
	return scheme == NULL ? NULL : url + strlen(scheme);
}

char *source_mailbox(const char *url)
{
	const char *host = strstr(url, "://");
	const char *slash = host == NULL ? NULL : strchr(host + 3, '/');
	bool is_named = slash != NULL && slash[1] != '\0';
	g_autofree char *name =
		is_named ? g_uri_unescape_string(slash + 1, NULL) : g_strdup("INBOX");

	if (host == NULL || name == NULL || !g_utf8_validate(name, -1, NULL))
		return NULL;
	for (const char *at = name; *at != '\0'; at++) {
		if (g_ascii_iscntrl(*at))
			return NULL;
	}
	return g_steal_pointer(&name);
}

/* "maildir:PATH" and its like; @place: PATH. */
static bool set_place(void *at, const char *text, const char *place, const char *folder,
		      GError **error)
{
	g_autofree char *scheme = g_ascii_strdown(text, place - text);

	if (*place == '\0')
		return refuse(error, "a path is missing behind \"%s\"", scheme);
	if (strstr(place, "://") != NULL)
		return refuse(error,
			      "a path belongs behind \"%s\", \"%s\" is a URL; what is fetched from "
			      "there is named by fetch",
			      scheme, place);
	g_autofree char *whole = below(folder, place);
	replace_text(at, g_strconcat(scheme, whole, NULL));
	return true;
}

static bool set_url(void *at, const char *text, const char *const *schemes, const char *folder,
		    GError **error)
{
	g_autofree char *known = g_strjoinv(" ", (GStrv)(gsize)schemes);
	g_autoptr(GError) failed = NULL;

	if (find_prefix(text, schemes) == NULL)
		return refuse(error, "\"%s\" has an unknown scheme; known are: %s%s", text, known,
			      schemes == source_schemes && find_prefix(text, fetch_schemes) != NULL
				      ? "; a public archive is public-inbox:FOLDER with fetch = URL"
				      : "");
	bool is_folder;
	const char *place = source_place(text, &is_folder);
	if (place != NULL)
		return set_place(at, text, place, folder, error);
	g_autoptr(GUri) uri =
		g_uri_parse(text, G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED, &failed);
	if (uri == NULL || g_uri_get_host(uri) == NULL || *g_uri_get_host(uri) == '\0')
		return refuse(error, "\"%s\" is no URL with a host", text);
	/* Not repeated in the message: it would carry the password into a log. */
	if (g_uri_get_password(uri) != NULL)
		return refuse(error, "a password in a URL is not kept secret; use passwordFile");
	g_autofree char *mailbox = source_mailbox(text);
	if (schemes == source_schemes && mailbox == NULL)
		return refuse(
			error,
			"the mailbox of \"%s\" is no UTF-8, or holds control characters, when "
			"its %%XX are read",
			text);
	replace_text(at, g_strdup(text));
	return true;
}

static bool set_percent_s(void *at, const char *text, GError **error)
{
	const char *first = strchr(text, '%');

	if (first == NULL || first[1] != 's' || strchr(first + 1, '%') != NULL)
		return refuse(error, "\"%s\" must hold one %%s and no other %%", text);
	if (find_prefix(text, web_schemes) == NULL || strpbrk(text, " <>\"") != NULL)
		return refuse(error, "\"%s\" is no link; it begins with https:// or http://", text);
	replace_text(at, g_strdup(text));
	return true;
}

/* "no" must not pass for a link. */
/* "https://HOST/..." that somebody can open. */
static bool is_web_address(const char *text)
{
	const char *host = g_str_has_prefix(text, "https://")  ? text + strlen("https://")
			   : g_str_has_prefix(text, "http://") ? text + strlen("http://")
							       : NULL;

	return host != NULL && g_ascii_isalnum(host[0]) && strpbrk(text, " \t\"<>") == NULL;
}

static bool set_consent(void *at, const char *text, GError **error)
{
	if (!is_web_address(text))
		return refuse(error,
			      "\"%s\" is no link; write where the list's owner said yes "
			      "(https://...), or leave the key out",
			      text);
	replace_text(at, g_strdup(text));
	return true;
}

static bool is_remote(const char *text)
{
	const char *colon = strchr(text, ':');

	/* scp-like HOST:PATH, as git reads it: no slash before the first colon. */
	return strstr(text, "://") != NULL ||
	       (colon != NULL && memchr(text, '/', (size_t)(colon - text)) == NULL);
}

static char *location_of(const char *text, const char *folder)
{
	return is_remote(text) ? g_strdup(text) : below(folder, text);
}

/* A bare name that is no file beside the configuration is one of the credential folder. */
static char *secret_file_of(const char *text, const char *folder)
{
	g_autofree char *path = below(folder, text);

	if (strchr(text, '/') == NULL && !g_file_test(path, G_FILE_TEST_EXISTS))
		return g_strdup(text);
	return g_steal_pointer(&path);
}

static bool has_no_flaw(const Key *key, const char *text, GError **error)
{
	g_autofree char *flaw = flaw_of_text(text);
	g_autofree char *shown = flaw == NULL ? g_strdup(text) : g_strescape(text, NULL);

	if (flaw == NULL && key->type == KEY_NAMES)
		flaw = flaw_of_name(text);
	if (flaw == NULL && key->type == KEY_BRANCH)
		flaw = flaw_of_branch(text);
	return flaw == NULL || refuse(error, "\"%s\" %s", shown, flaw);
}

bool value_set(const Key *key, void *section, const char *text, const char *folder, GError **error)
{
	void *at = field(key, section);

	if (key->type == KEY_BOOL)
		return set_bool(at, text, error);
	if (text == NULL || *text == '\0')
		return refuse(error, "a value is missing");
	if (!has_no_flaw(key, text, error))
		return false;
	switch (key->type) {
	case KEY_TEXT:
	case KEY_BRANCH:
		replace_text(at, g_strdup(text));
		return true;
	case KEY_TEXTS:
		append_text(at, g_strdup(text));
		return true;
	case KEY_NAMES:
		append_text(at, g_strdup(text));
		return true;
	case KEY_FOLDER:
	case KEY_FILE:
		replace_text(at, below(folder, text));
		return true;
	case KEY_FOLDERS:
		append_text(at, below(folder, text));
		return true;
	case KEY_SECRET_FILE:
		replace_text(at, secret_file_of(text, folder));
		return true;
	case KEY_LOCATION:
		replace_text(at, location_of(text, folder));
		return true;
	case KEY_COMMAND:
		return set_command(at, text, error);
	case KEY_SOURCE_URL:
		return set_url(at, text, source_schemes, folder, error);
	case KEY_FETCH_URL:
		return set_url(at, text, fetch_schemes, folder, error);
	case KEY_SMTP_URL:
		return set_url(at, text, smtp_schemes, folder, error);
	case KEY_PERCENT_S:
		return set_percent_s(at, text, error);
	case KEY_CONSENT:
		return set_consent(at, text, error);
	case KEY_ADDRESS:
		return set_address(at, text, error);
	case KEY_MAILBOX:
		return set_mailbox(at, text, error);
	case KEY_BOOL:
		break;
	case KEY_COUNT:
		return set_count(at, text, error);
	case KEY_SIZE:
		return set_size(at, text, error);
	case KEY_DURATION:
		return set_duration(at, text, CLOCK_US_PER_S, error);
	case KEY_DURATION_MS:
		return set_duration(at, text, 1000, error);
	case KEY_DATE:
		return set_date(at, text, error);
	case KEY_UNASKED:
		return set_word(at, text, unasked_words, error);
	case KEY_TRANSPORT:
		return set_word(at, text, transport_words, error);
	}
	return false;
}

/* ---- value to text ---- */

typedef enum { HELD_TEXT, HELD_STRV, HELD_MAILBOX, HELD_BOOL, HELD_UNSIGNED, HELD_INT64 } Held;

static Held held_by(KeyType type)
{
	switch (type) {
	case KEY_TEXT:
	case KEY_BRANCH:
	case KEY_FOLDER:
	case KEY_FILE:
	case KEY_SECRET_FILE:
	case KEY_LOCATION:
	case KEY_SOURCE_URL:
	case KEY_FETCH_URL:
	case KEY_SMTP_URL:
	case KEY_PERCENT_S:
	case KEY_CONSENT:
	case KEY_ADDRESS:
		return HELD_TEXT;
	case KEY_TEXTS:
	case KEY_NAMES:
	case KEY_FOLDERS:
	case KEY_COMMAND:
		return HELD_STRV;
	case KEY_MAILBOX:
		return HELD_MAILBOX;
	case KEY_BOOL:
		return HELD_BOOL;
	case KEY_COUNT:
	case KEY_UNASKED:
	case KEY_TRANSPORT:
		return HELD_UNSIGNED;
	case KEY_SIZE:
	case KEY_DURATION:
	case KEY_DURATION_MS:
	case KEY_DATE:
		return HELD_INT64;
	}
	return HELD_TEXT;
}

bool value_is_set(const Key *key, const void *section)
{
	const void *at = const_field(key, section);

	switch (held_by(key->type)) {
	case HELD_TEXT:
	case HELD_STRV:
	case HELD_MAILBOX:
		return *(const void *const *)at != NULL;
	case HELD_BOOL:
		return *(const bool *)at;
	case HELD_UNSIGNED:
		return *(const unsigned *)at != 0;
	case HELD_INT64:
		return *(const int64_t *)at != 0;
	}
	return false;
}

static char *format_strv(const GStrv list)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; list != NULL && list[i] != NULL; i++)
		g_string_append_printf(text, "%zu:%s", strlen(list[i]), list[i]);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

char *value_format(const Key *key, const void *section)
{
	const void *at = const_field(key, section);

	switch (held_by(key->type)) {
	case HELD_TEXT:
		return g_strdup(*(char *const *)at == NULL ? "" : *(char *const *)at);
	case HELD_STRV:
		return format_strv(*(const GStrv *)at);
	case HELD_MAILBOX:
		return *(Mailbox *const *)at == NULL ? g_strdup("")
						     : mailbox_to_header(*(Mailbox *const *)at);
	case HELD_BOOL:
		return g_strdup(*(const bool *)at ? "true" : "false");
	case HELD_UNSIGNED:
		return g_strdup_printf("%u", *(const unsigned *)at);
	case HELD_INT64:
		return g_strdup_printf("%" G_GINT64_FORMAT, *(const int64_t *)at);
	}
	return NULL;
}

void value_clear(const Key *key, void *section)
{
	void *at = field(key, section);

	switch (held_by(key->type)) {
	case HELD_TEXT:
		g_clear_pointer((char **)at, g_free);
		break;
	case HELD_STRV:
		g_clear_pointer((GStrv *)at, g_strfreev);
		break;
	case HELD_MAILBOX:
		g_clear_pointer((Mailbox **)at, mailbox_free);
		break;
	case HELD_BOOL:
	case HELD_UNSIGNED:
	case HELD_INT64:
		break;
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/source.h"

#include "bot/base/error.h"
#include "bot/intake/source_private.h"
#include "mailparse/limits.h"

#include <string.h>

#define ANOMALY_MAX_BYTES 1000u

static const SourceOps *const kinds[] = {
	&imap_source_ops, &imaps_source_ops,  &maildir_source_ops,
	&mbox_source_ops, &mboxrd_source_ops, &inbox_source_ops,
};

static const SourceOps *find_kind(const char *url)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		size_t len = strlen(kinds[i]->scheme);
		if (g_ascii_strncasecmp(url, kinds[i]->scheme, len) == 0 && url[len] == ':')
			return kinds[i];
	}
	return NULL;
}

SourceOptions source_options_of(const SourceSection *section, const FetchSection *fetch,
				const char *password)
{
	return (SourceOptions){
		.name = section->name,
		.url = section->url,
		.user = section->user,
		.password = password,
		.mechanism = section->mechanism,
		.ca_file = section->ca_file,
		.clear_text = section->clear_text,
		.fetch_url = section->fetch,
		.fetch_every_us = section->fetch_every_us,
		.fetch_timeout_ms = fetch->timeout_ms,
		.fetch_max_bytes = fetch->max_bytes,
		.stop_fd = -1,
	};
}

static bool is_usual_port(const char *scheme, int port)
{
	return port == (g_str_equal(scheme, "imaps") ? 993 : 143);
}

char *source_key_of(const SourceSection *section)
{
	g_autofree char *scheme = g_uri_parse_scheme(section->url);
	g_autoptr(GUri) uri = g_uri_parse(section->url, G_URI_FLAGS_ENCODED, NULL);

	if (!scheme || !uri || !g_uri_get_host(uri) || !g_str_has_prefix(scheme, "imap"))
		return g_strdup(section->url);
	g_autofree char *host = g_ascii_strdown(g_uri_get_host(uri), -1);
	int port = g_uri_get_port(uri);
	g_autofree char *at = port < 0 || is_usual_port(scheme, port)
				      ? g_strdup("")
				      : g_strdup_printf(":%d", port);

	return g_strdup_printf("imap://%s%s%s%s%s", section->user ? section->user : "",
			       section->user ? "@" : "", host, at, g_uri_get_path(uri));
}

Source *source_open(const SourceOptions *options, GError **error)
{
	g_return_val_if_fail(options != NULL && options->url != NULL && options->name != NULL,
			     NULL);

	const SourceOps *ops = find_kind(options->url);
	if (!ops) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "source %s: the url must begin with imaps://, imap://, maildir:, "
			    "mbox:, mboxrd: or public-inbox:",
			    options->name);
		return NULL;
	}
	return ops->open(options, error);
}

bool source_wait(Source *source, int timeout_ms, GError **error)
{
	return source->ops->wait(source, timeout_ms, error);
}

bool source_next(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error)
{
	source_batch_init(out_batch);
	if (source->ops->next(source, MAX(max_mails, 1), out_batch, error))
		return true;
	source_batch_clear(out_batch);
	return false;
}

bool source_ack(Source *source, GError **error)
{
	return source->ops->ack(source, error);
}

void source_close(Source *source)
{
	if (source)
		source->ops->close(source);
}

void source_mail_free(SourceMail *mail)
{
	if (!mail)
		return;
	g_clear_pointer(&mail->bytes, g_bytes_unref);
	g_free(mail->locator);
	g_free(mail->refused);
	g_free(mail);
}

void source_batch_init(SourceBatch *batch)
{
	*batch = (SourceBatch){.behind = -1};
	batch->mails = g_ptr_array_new_with_free_func((GDestroyNotify)source_mail_free);
}

void source_batch_clear(SourceBatch *batch)
{
	g_clear_pointer(&batch->mails, g_ptr_array_unref);
	g_clear_pointer(&batch->cursor, g_free);
	g_clear_pointer(&batch->anomaly, g_free);
}

void source_note(char **io_anomaly, const char *format, ...)
{
	g_autofree char *before = *io_anomaly;
	va_list args;

	if (before && strlen(before) > ANOMALY_MAX_BYTES) {
		*io_anomaly = g_str_has_suffix(before, "; ...")
				      ? g_steal_pointer(&before)
				      : g_strconcat(before, "; ...", NULL);
		return;
	}
	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	*io_anomaly = before ? g_strconcat(before, "; ", text, NULL) : g_steal_pointer(&text);
}

char *source_refusal_of_size(int64_t size_bytes)
{
	return g_strdup_printf("%.1f MB, more than the %u MB a mail may have",
			       (double)size_bytes / (1024 * 1024), MAIL_MAX_BYTES / (1024 * 1024));
}

void source_mail_refuse_size(SourceMail *mail)
{
	mail->refused = source_refusal_of_size(mail->size_bytes);
}

bool source_cursor_number(const char *field, const char *name, int64_t max, int64_t *out_number)
{
	size_t len = strlen(name);

	return field && strncmp(field, name, len) == 0 && field[len] == '=' &&
	       g_ascii_string_to_signed(field + len + 1, 10, 0, max, out_number, NULL);
}

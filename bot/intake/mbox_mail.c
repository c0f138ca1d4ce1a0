/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/mbox_mail.h"

#include "bot/base/clock.h"
#include "bot/intake/source_private.h"
#include "mailparse/cursor.h"
#include "mailparse/limits.h"
#include "mailparse/mbox.h"
#include "mailparse/message.h"

#include <string.h>

#define GIT_PATCH_US (INT64_C(1000684800) * CLOCK_US_PER_S) /* Mon Sep 17 00:00:00 2001      */
#define ZONES_US (INT64_C(14) * 3600 * CLOCK_US_PER_S)      /* between UTC and any other */
#define EARLIEST_US (INT64_C(315532800) * CLOCK_US_PER_S)   /* 1980: no list mail is older     */
#define CL_HEAD_BYTES ((int64_t)16 * 1024) /* of a mail; longer headers are rare           */

static bool is_plausible(int64_t us)
{
	return us >= EARLIEST_US && us <= g_get_real_time();
}

/* The date of its header, 0 for none. */
static int64_t sent_at(const guint8 *mail, gsize len)
{
	int64_t us = 0;

	g_free(message_peek_id(mail, MIN(len, MAIL_MAX_HEADER_BYTES), &us));
	return is_plausible(us) ? us : 0;
}

static int64_t arrival_of(MboxFile *file, const char *separator, gsize separator_len,
			  const guint8 *mail, gsize mail_len)
{
	int64_t us = mbox_separator_time(separator, separator_len);
	int64_t sent_us = sent_at(mail, mail_len);

	/* git-format-patch writes the same time, in 2001, into each. */
	if (is_plausible(us) && us != GIT_PATCH_US)
		return sent_us - us > ZONES_US ? us : MAX(us, sent_us);
	return sent_us != 0 ? sent_us : MIN(mbox_file_modified_us(file), g_get_real_time());
}

/* It ends in an empty line, and that is not the one which ends its header. */
static bool has_ended(const guint8 *mail, gsize len)
{
	gsize kept = mbox_mail_len(mail, len);

	return kept < len &&
	       (memmem(mail, kept, "\n\n", 2) != NULL || memmem(mail, kept, "\n\r\n", 3) != NULL);
}

/* Where a mail ends that is too large to be held. */
static bool find_end(MboxFile *file, const MboxExtent *extent, int64_t *out_end, GError **error)
{
	g_autoptr(GByteArray) tail = mbox_file_read(file, extent->end - 4, extent->end, error);

	if (!tail)
		return false;
	*out_end = extent->end - 4 + (int64_t)mbox_mail_len(tail->data, tail->len);
	return true;
}

/* @bytes: separator line and header; the rest is only counted and hashed. */
static SourceMail *refuse_mail(MboxFile *file, const MboxExtent *extent, const GByteArray *bytes,
			       GError **error)
{
	g_autoptr(SourceMail) mail = g_new0(SourceMail, 1);
	gsize head = (gsize)(extent->body - extent->start);
	int64_t end;

	mail->locator = g_malloc0(MBOX_HASH_LEN + 1);
	if (!find_end(file, extent, &end, error) ||
	    !mbox_file_hash(file, extent->start, end, mail->locator, error))
		return NULL;
	mail->arrived_us = arrival_of(file, (const char *)bytes->data, head, bytes->data + head,
				      bytes->len - head);
	mail->size_bytes = end - extent->body;
	source_mail_refuse_size(mail);
	return g_steal_pointer(&mail);
}

/* @bytes: (transfer full): separator line and mail */
static SourceMail *make_mail(MboxFile *file, const MboxExtent *extent, bool unescape,
			     GByteArray *bytes)
{
	SourceMail *mail = g_new0(SourceMail, 1);
	gsize head = (gsize)(extent->body - extent->start);
	gsize len = mbox_mail_len(bytes->data + head, bytes->len - head);

	mail->locator = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes->data, head + len);
	mail->arrived_us =
		arrival_of(file, (const char *)bytes->data, head, bytes->data + head, len);
	g_autoptr(GBytes) all = g_byte_array_free_to_bytes(bytes);
	mail->bytes = g_bytes_new_from_bytes(all, head, len);
	if (unescape) {
		GBytes *escaped = mail->bytes;
		mail->bytes = mbox_unescape(escaped);
		g_bytes_unref(escaped);
	}
	mail->size_bytes = (int64_t)g_bytes_get_size(mail->bytes);
	return mail;
}

bool mbox_mail_take(MboxFile *file, const MboxExtent *extent, bool quiet, bool unescape,
		    SourceMail **out_mail, GError **error)
{
	/* Up to two bytes more are the empty line behind it. */
	bool large = extent->end - extent->body > (int64_t)MAIL_MAX_BYTES + 2;
	int64_t read_to = large ? extent->body + MAIL_MAX_HEADER_BYTES : extent->end;
	g_autoptr(GByteArray) bytes = mbox_file_read(file, extent->start, read_to, error);

	*out_mail = NULL;
	if (!bytes)
		return false;
	gsize head = (gsize)(extent->body - extent->start);
	if (extent->last && !quiet &&
	    (large || !mbox_file_is_unwritten(file) ||
	     !has_ended(bytes->data + head, bytes->len - head)))
		return true;
	large = large || mbox_mail_len(bytes->data + head, bytes->len - head) > MAIL_MAX_BYTES;
	*out_mail = large ? refuse_mail(file, extent, bytes, error)
			  : make_mail(file, extent, unescape, g_steal_pointer(&bytes));
	return *out_mail != NULL;
}

/* ---- mboxcl ---- */

static bool read_length(ByteSlice value, unsigned *out_length)
{
	ByteCursor cursor;

	cursor_init(&cursor, value.ptr, value.len);
	cursor_skip_blanks(&cursor);
	return cursor_take_uint(&cursor, G_MAXINT32, out_length) && cursor_left(&cursor) == 0;
}

/* @out_end: where the mail that begins with @head ends by its header, from there */
static bool find_told_end(const GByteArray *head, int64_t *out_end)
{
	static const char field[] = "Content-Length:";
	ByteCursor cursor;
	ByteSlice line;
	unsigned length;
	bool found = false;

	cursor_init(&cursor, head->data, head->len);
	while (cursor_take_line(&cursor, &line)) {
		line = slice_chomp(line);
		if (line.len == 0) {
			*out_end = (int64_t)cursor.pos + (found ? length : 0);
			return found;
		}
		if (slice_has_prefix(line, field))
			found = read_length(
				(ByteSlice){line.ptr + strlen(field), line.len - strlen(field)},
				&length);
	}
	return false;
}

bool mbox_mail_is_cut(MboxFile *file, const MboxExtent *extent)
{
	static const char next[] = "From ";
	int64_t size = mbox_file_size(file);
	int64_t end = 0;
	g_autoptr(GByteArray) head = mbox_file_read(
		file, extent->body, MIN(extent->end, extent->body + CL_HEAD_BYTES), NULL);

	if (head == NULL || !find_told_end(head, &end))
		return false;
	end += extent->body;
	if (end <= extent->end || end > size)
		return false;
	/* An empty line may follow, or two, as writers of mboxcl differ in what they count. */
	g_autoptr(GByteArray) tail =
		mbox_file_read(file, end, MIN(size, end + (int64_t)strlen(next) + 2), NULL);
	gsize at = 0;
	while (tail != NULL && at < tail->len && at < 2 && tail->data[at] == '\n')
		at++;
	/* Or the file ends there. */
	return tail != NULL && (at == tail->len || memcmp(tail->data + at, next,
							  MIN(tail->len - at, strlen(next))) == 0);
}

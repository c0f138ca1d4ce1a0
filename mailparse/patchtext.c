/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/patchtext.h"

#include "mailparse/damage.h"
#include "mailparse/damagemark.h"
#include "mailparse/line.h"
#include "mailparse/subject.h"
#include "mailparse/text.h"
#include "mailparse/transfer.h"

#include <string.h>

#define QUOTE_MAX_DEPTH 3u

/* A script or a log that happens to hold a diff is not the patch. */
static bool may_be_patch(const MessagePart *part)
{
	static const char *const types[] = {"text/plain", "text/x-patch", "text/x-diff",
					    "application/octet-stream", "application/mbox"};
	static const char *const endings[] = {".patch", ".diff", ".txt", ".mbox", ".eml"};

	for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
		if (strcmp(part->content_type, types[i]) == 0)
			return true;
	}
	for (gsize i = 0; part->filename && i < G_N_ELEMENTS(endings); i++) {
		if (g_str_has_suffix(part->filename, endings[i]))
			return true;
	}
	return g_str_has_suffix(part->content_type, "patch") ||
	       g_str_has_suffix(part->content_type, "diff");
}

/* What these hold is escaped: "<<" stands for "<". */
static bool is_markup(const MessagePart *part)
{
	static const char *const types[] = {"text/html", "text/enriched", "text/richtext",
					    "text/rtf", "text/xml"};

	for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
		if (strcmp(part->content_type, types[i]) == 0)
			return true;
	}
	return false;
}

/* "Content-Type: text/x-lab" over the whole mail: its text, as plain as any (RFC 2046 §4.1.4). */
static bool is_odd_text_alone(const Message *message, const MessagePart *part)
{
	return message->parts->len == 1 && g_str_has_prefix(part->content_type, "text/") &&
	       !is_markup(part) && !may_be_patch(part);
}

static bool is_attached(const Message *message, const MessagePart *part)
{
	if (part->attachment || part->filename || part->forwarded)
		return true;
	return strcmp(part->content_type, "text/plain") != 0 && !is_odd_text_alone(message, part);
}

/* HTML is never read for a patch: git takes its text too, but no list accepts such a patch. */
static bool is_readable(const Message *message, const MessagePart *part)
{
	return part->text && !part->alternative && strcmp(part->content_type, "text/html") != 0 &&
	       (!is_attached(message, part) || may_be_patch(part));
}

static void append_with_lf(GByteArray *out, const char *bytes, gsize len)
{
	g_byte_array_append(out, (const guint8 *)bytes, (guint)len);
	if (len > 0 && bytes[len - 1] != '\n')
		g_byte_array_append(out, (const guint8 *)"\n", 1);
}

static void append_part(GByteArray *out, const MessagePart *part, bool unflow)
{
	g_autoptr(GBytes) bytes = part->flowed && unflow ? text_unflow(part->bytes, part->delsp)
							 : g_bytes_ref(part->bytes);
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);

	append_with_lf(out, data, len);
}

/* The bytes of the mail's own text, or of what is attached to it. */
static GBytes *join_parts(const Message *message, bool attached, bool unflow)
{
	GByteArray *out = g_byte_array_new();

	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		if (is_readable(message, part) && is_attached(message, part) == attached)
			append_part(out, part, unflow);
	}
	return g_byte_array_free_to_bytes(out);
}

static bool has_flowed_part(const Message *message)
{
	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		if (part->flowed)
			return true;
	}
	return false;
}

static bool diff_is_whole(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		if (!file->complete)
			return false;
	}
	return diff->files->len > 0;
}

static guint n_git_files(const Diff *diff)
{
	guint n = 0;

	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		n += file->git;
	}
	return n;
}

/* Each part gives its line end before the boundary back, as git reads it. */
static char *join_text(const Message *message)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		if (!is_readable(message, part))
			continue;
		g_string_append(out, part->text);
		if (message->parts->len > 1)
			g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

/* Takes @diff over when it names a file. */
static bool settle(PatchText *text, Diff *diff, PatchLocation location)
{
	if (diff->files->len == 0) {
		diff_free(diff);
		return false;
	}
	text->diff = diff;
	text->location = location;
	return true;
}

/*
 * Some mailers say format=flowed and send the lines as they are, so undoing it eats the blank in
 * front of each context line: the reading that gives whole hunks is the right one.
 */
static bool unflow(PatchText *text, const Message *message, bool attached, GBytes *raw,
		   GError **error)
{
	if (!has_flowed_part(message))
		return true;
	g_autoptr(GBytes) bytes = join_parts(message, attached, true);
	Diff *diff = diff_parse(bytes, error);
	if (!diff)
		return false;
	bool use_raw = text->diff && diff_is_whole(text->diff) && !diff_is_whole(diff) &&
		       n_git_files(text->diff) >= n_git_files(diff);
	if (use_raw || g_bytes_equal(bytes, raw)) {
		diff_free(diff);
		return true;
	}
	g_clear_pointer(&text->diff, diff_free);
	if (settle(text, diff, text->location)) {
		text->undone = PATCH_DAMAGE_FLOWED;
		text->raw = g_bytes_ref(raw);
	}
	return true;
}

/*
 * The source of a mail was sent as its text: "=3D" stands for "=", and lines end in "=" where they
 * go on.  The text above the diff has the same marks.
 */
static bool undo_quoted_printable(PatchText *text, GBytes *raw, GError **error)
{
	gsize len;
	const char *bytes = g_bytes_get_data(raw, &len);

	if (!text->diff || text->undone != PATCH_DAMAGE_NONE ||
	    !text_is_quoted_printable(bytes, len) || damageline_is_whole(text->diff))
		return true;
	g_autoptr(GBytes) decoded =
		transfer_decode((ByteSlice){.ptr = bytes, .len = len}, "quoted-printable");
	Diff *diff = diff_parse(decoded, error);
	if (!diff)
		return false;
	if (!diff_is_whole(diff) || diff->files->len < text->diff->files->len) {
		diff_free(diff);
		return true;
	}
	diff_free(text->diff);
	text->diff = diff;
	text->undone = PATCH_DAMAGE_QUOTED_PRINTABLE;
	text->raw = g_bytes_ref(raw);
	if (text->location == PATCH_LOCATION_INLINE) {
		gsize n;
		const char *plain = g_bytes_get_data(decoded, &n);
		g_free(text->text);
		text->text = text_to_lf(text_to_utf8(plain, n, NULL));
	}
	return true;
}

static bool find_in(PatchText *text, const Message *message, bool attached, GError **error)
{
	g_autoptr(GBytes) raw = join_parts(message, attached, false);
	Diff *diff = diff_parse(raw, error);

	if (!diff)
		return false;
	text->location = attached ? PATCH_LOCATION_ATTACHMENT : PATCH_LOCATION_INLINE;
	settle(text, diff, text->location);
	return unflow(text, message, attached, raw, error) &&
	       undo_quoted_printable(text, raw, error);
}

static gsize quote_mark(const Line *line, unsigned depth)
{
	gsize at = 0;

	for (unsigned i = 0; i < depth; i++) {
		while (i > 0 && at < line->len && line->text[at] == ' ')
			at++;
		if (at >= line->len || line->text[at] != '>')
			return 0;
		at++;
	}
	if (at < line->len && line->text[at] == ' ')
		at++;
	return at;
}

GBytes *patchtext_unquote(GBytes *bytes, unsigned depth)
{
	GByteArray *out = g_byte_array_new();
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);
	Line line;

	for (gsize at = 0; line_next(data, len, &at, &line);) {
		gsize mark = quote_mark(&line, depth);
		if (mark > 0)
			g_byte_array_append(out, (const guint8 *)line.text + mark,
					    (guint)(line.len - mark));
		else
			g_byte_array_append(out, (const guint8 *)".", 1);
		g_byte_array_append(out, (const guint8 *)"\n", 1);
	}
	return g_byte_array_free_to_bytes(out);
}

/* An excerpt of a header in a review is no patch; a hunk, or a whole file without any, is. */
static bool shows_change(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		if (file->hunks->len > 0 || file->binary_has_data)
			return true;
	}
	return false;
}

/* Most answers quote no change, and this costs far less than to take their quotes off. */
static bool may_show_change(GBytes *bytes)
{
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);

	/* Empty bytes have no address. */
	return len > 0 &&
	       (memmem(data, len, "@@ -", 4) || memmem(data, len, "GIT binary patch", 16));
}

static bool find_quoted(PatchText *text, const Message *message, GError **error)
{
	g_autoptr(GBytes) bytes = join_parts(message, false, false);

	if (!may_show_change(bytes))
		return true;
	for (unsigned depth = 1; depth <= QUOTE_MAX_DEPTH; depth++) {
		g_autoptr(GBytes) bare = patchtext_unquote(bytes, depth);
		Diff *diff = diff_parse(bare, error);
		if (!diff)
			return false;
		if (shows_change(diff)) {
			settle(text, diff, PATCH_LOCATION_QUOTED);
			return true;
		}
		diff_free(diff);
	}
	return true;
}

/* Is "8<", ">8", "%<" or ">%" here? */
static bool is_blade(const char *text, gsize len)
{
	static const char blades[][3] = {"8<", ">8", "%<", ">%"};

	for (gsize i = 0; len >= 2 && i < G_N_ELEMENTS(blades); i++) {
		if (memcmp(text, blades[i], 2) == 0)
			return true;
	}
	return false;
}

/*
 * Dashes, blades and the blanks between them are the perforation.  Words may stand beside it, but
 * it must make up more than a third of what is seen, and blanks less than half of the perforation.
 */
bool patchtext_is_scissors(const char *line, gsize len)
{
	gsize first = len, last = 0, perforation = 0, gap = 0;
	bool blade = false, inside = false;

	if (len == 0 || (!memchr(line, '<', len) && !memchr(line, '>', len)))
		return false;
	for (gsize i = 0; i < len; i++) {
		if (g_ascii_isspace(line[i])) {
			perforation += inside;
			gap += inside;
			continue;
		}
		first = MIN(first, i);
		if (line[i] == '-') {
			inside = true;
			perforation++;
		} else if (is_blade(line + i, len - i)) {
			inside = blade = true;
			perforation += 2;
			i++;
		} else {
			inside = false;
		}
		last = i;
	}
	gsize visible = first < len ? last - first + 1 : 0;
	return blade && visible >= 8 && visible < perforation * 3 && gap * 2 < perforation;
}

static void look_for_scissors(PatchText *text)
{
	gsize len;
	const char *data = g_bytes_get_data(text->diff->bytes, &len);
	const DiffFile *file = text->diff->files->pdata[0];
	gsize end = (gsize)((const char *)file->start - data);
	Line line;

	for (gsize at = 0; line_next(data, end, &at, &line);) {
		if (patchtext_is_scissors(line.text, line.len)) {
			text->location = PATCH_LOCATION_SCISSORS_INLINE;
			return;
		}
	}
}

/* git format-patch begins each file it writes with a line that no other mail has. */
static bool is_format_patch(GBytes *bytes)
{
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);
	Line line;

	if (!line_next(data, len, &(gsize){0}, &line) || line.len < 46 ||
	    !line_starts(&line, "From "))
		return false;
	for (gsize i = 5; i < 45; i++) {
		if (!g_ascii_isxdigit(line.text[i]))
			return false;
	}
	return line.text[45] == ' ';
}

static void look_for_attached_mail(PatchText *text, const Message *message)
{
	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		if (is_readable(message, part) && is_attached(message, part) &&
		    is_format_patch(part->bytes)) {
			text->attached = g_bytes_ref(part->bytes);
			return;
		}
	}
}

static bool is_answer(const Message *message)
{
	g_autoptr(SubjectPrefix) prefix = subject_parse(message->subject);

	return prefix->is_reply || !prefix->is_patch;
}

static bool is_sound(const PatchText *text)
{
	if (!text->diff)
		return false;
	g_autoptr(Damage) damage = damage_find(text->diff, text->undone, text->raw);
	return damage == NULL;
}

/* Looks in the parts that go first for this kind of mail, and in the others if that fails. */
static bool find_unquoted(PatchText *text, const Message *message, GError **error)
{
	bool answer = is_answer(message);

	if (!find_in(text, message, answer, error))
		return false;
	if (text->diff && (!answer || is_sound(text)))
		return true;

	g_autoptr(PatchText) other = g_new0(PatchText, 1);
	if (!find_in(other, message, !answer, error))
		return false;
	if (!text->diff || is_sound(other)) {
		text->location = other->location;
		text->undone = other->undone;
		g_clear_pointer(&text->raw, g_bytes_unref);
		text->raw = g_steal_pointer(&other->raw);
		diff_free(text->diff);
		text->diff = g_steal_pointer(&other->diff);
	}
	return true;
}

PatchText *patchtext_find(const Message *message, GError **error)
{
	g_autoptr(PatchText) text = g_new0(PatchText, 1);

	text->text = join_text(message);
	if (!find_unquoted(text, message, error))
		return NULL;
	if (!text->diff && !find_quoted(text, message, error))
		return NULL;
	if (!text->diff)
		return g_steal_pointer(&text);
	if (text->location == PATCH_LOCATION_INLINE)
		look_for_scissors(text);
	if (text->location == PATCH_LOCATION_ATTACHMENT && is_answer(message))
		look_for_attached_mail(text, message);
	return g_steal_pointer(&text);
}

void patchtext_free(PatchText *text)
{
	if (!text)
		return;
	diff_free(text->diff);
	g_free(text->text);
	g_clear_pointer(&text->raw, g_bytes_unref);
	g_clear_pointer(&text->attached, g_bytes_unref);
	g_free(text);
}

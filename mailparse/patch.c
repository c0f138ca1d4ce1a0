/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/patch.h"

#include "mailparse/inbody.h"
#include "mailparse/line.h"
#include "mailparse/patchtext.h"
#include "mailparse/rewritten.h"
#include "mailparse/trailer.h"

#include <string.h>

#define NAME_MAX_BYTES 60u /* git takes a longer one for no name of a person */

/* The first line that is no commit message: a "---" separator or the header of a diff. */
static bool ends_message(const Line *line)
{
	if (line_starts(line, "diff -") || line_starts(line, "Index: "))
		return true;
	if (!line_starts(line, "---"))
		return false;
	Line rest = line_after(*line, 3);
	if (line_starts(&rest, " ") && rest.len > 1 && !g_ascii_isspace(rest.text[1]))
		return true;
	return line_is_blank(&rest);
}

static char *take_message(const char *text)
{
	gsize len = strlen(text);
	gsize end = 0;
	Line line;

	for (gsize at = 0; line_next(text, len, &at, &line) && !ends_message(&line);)
		end = at;
	return g_strndup(text, end);
}

/* What git-mailinfo(1) cuts off the front of a subject: reply marks, colons, blanks, brackets. */
static char *take_title(const char *subject)
{
	const char *at = subject;

	for (;;) {
		if (g_ascii_strncasecmp(at, "re:", 3) == 0 && at[3] != '\0')
			at += 3;
		else if (*at == ' ' || *at == '\t' || *at == ':')
			at++;
		else if (*at == '[' && strchr(at, ']'))
			at = strchr(at, ']') + 1;
		else
			break;
	}
	return g_strstrip(g_strdup(at));
}

/*
 * git keeps the spelling of the domain, and names a person by the address where the name cannot be
 * one.
 */
static Mailbox *take_author(const Mailbox *from)
{
	if (!from)
		return NULL;
	Mailbox *author = mailbox_copy(from);
	if (author->written) {
		g_free(author->addr);
		author->addr = g_strdup(author->written);
	}
	gsize len = strlen(author->name);
	if (len == 0 || len > NAME_MAX_BYTES || strpbrk(author->name, "@<>")) {
		g_free(author->name);
		author->name = g_strdup(author->addr);
	}
	return author;
}

static GPtrArray *take_trailers(const Patch *patch)
{
	g_autofree char *whole = g_strconcat(patch->title, "\n\n", patch->message, NULL);

	return trailer_list(whole);
}

static void read_commit(Patch *patch, const Message *message, const char *text)
{
	g_autoptr(Inbody) inbody = inbody_read(text);

	g_autoptr(Mailbox) behind = inbody->from ? NULL : rewritten_author(message);
	const Mailbox *sender = behind ? behind : message->from;

	patch->author = take_author(inbody->from ? inbody->from : sender);
	patch->date_us = inbody->date ? inbody->date_us : message->date_us;
	patch->date_offset_min = inbody->date ? inbody->date_offset_min : message->date_offset_min;
	patch->title = take_title(inbody->subject ? inbody->subject : message->subject);
	patch->message = take_message(inbody->rest);
	patch->trailers = take_trailers(patch);
}

/*
 * An attached format-patch file is a mail of its own: its headers name author and title, where git
 * mailinfo would take them for text.  False when it cannot be read as one.
 */
static bool read_attached_commit(Patch *patch, GBytes *attached)
{
	gsize len;
	const guint8 *bytes = g_bytes_get_data(attached, &len);
	g_autoptr(Message) inner = message_parse(bytes, len, NULL);

	if (!inner || !inner->from || inner->subject[0] == '\0')
		return false;
	read_commit(patch, inner, message_body(inner));
	return true;
}

Patch *patch_from_message(const Message *message, GError **error)
{
	g_return_val_if_fail(message != NULL, NULL);

	g_autoptr(PatchText) text = patchtext_find(message, error);
	if (!text || !text->diff)
		return NULL;

	Patch *patch = g_new0(Patch, 1);
	if (!text->attached || !read_attached_commit(patch, text->attached))
		read_commit(patch, message, text->text);
	patch->patch_id = diff_patch_id(text->diff);
	patch->location = text->location;
	patch->damage = damage_find(text->diff, text->undone, text->raw);
	patch->diff = g_steal_pointer(&text->diff);
	patch->notes = notes_read(text->text);
	return patch;
}

void patch_free(Patch *patch)
{
	if (!patch)
		return;
	mailbox_free(patch->author);
	g_free(patch->title);
	g_free(patch->message);
	g_clear_pointer(&patch->trailers, g_ptr_array_unref);
	diff_free(patch->diff);
	damage_free(patch->damage);
	g_free(patch->patch_id);
	notes_free(patch->notes);
	g_free(patch);
}

char *patch_sha256(const Patch *patch)
{
	g_autoptr(GBytes) canonical = diff_canonical_bytes(patch->diff);

	return g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, canonical);
}

const char *patch_location_name(PatchLocation location)
{
	switch (location) {
	case PATCH_LOCATION_INLINE:
		return "inline";
	case PATCH_LOCATION_ATTACHMENT:
		return "attachment";
	case PATCH_LOCATION_QUOTED:
		return "quoted";
	case PATCH_LOCATION_SCISSORS_INLINE:
		return "scissors-inline";
	}
	g_assert_not_reached();
}

PatchDamage patch_damage_kind(const Patch *patch)
{
	return patch->damage ? patch->damage->kind : PATCH_DAMAGE_NONE;
}

const char *diff_status_name(DiffStatus status)
{
	switch (status) {
	case DIFF_STATUS_MODIFIED:
		return "modified";
	case DIFF_STATUS_ADDED:
		return "added";
	case DIFF_STATUS_DELETED:
		return "deleted";
	case DIFF_STATUS_RENAMED:
		return "renamed";
	case DIFF_STATUS_COPIED:
		return "copied";
	}
	g_assert_not_reached();
}

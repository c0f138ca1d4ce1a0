/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * damagelost - the marks of a patch in a mail in which none can be read; the other half of
 * damage.h.
 */
#include "mailparse/damage.h"

#include "mailparse/line.h"
#include "mailparse/subject.h"
#include "mailparse/text.h"

#include <string.h>

#define NOTICE_LINES 8u /* that describe one attachment */

static bool holds_nocase(const Line *line, const char *word)
{
	gsize n = strlen(word);

	for (gsize i = 0; i + n <= line->len; i++) {
		if (g_ascii_strncasecmp(line->text + i, word, n) == 0)
			return true;
	}
	return false;
}

/*
 * What list software leaves in the place of a part:
 *     A non-text attachment was scrubbed...
 *     [demime 1.01d removed an attachment of type text/x-patch which had a name of foo.patch]
 *     [attachment removed]
 */
static bool is_attachment_notice(const Line *line)
{
	static const char *const gone[] = {" scrubbed", "removed",   "stripped",
					   "deleted",   "discarded", NULL};
	bool bracketed = line_starts(line, "[") || line_starts(line, "<");

	if (line_starts(line, ">") || holds_nocase(line, "html attachment"))
		return false;
	if (!holds_nocase(line, "attachment"))
		return holds_nocase(line, "charset-unspecified text was scrubbed");
	for (gsize i = 0; gone[i] != NULL; i++) {
		if (holds_nocase(line, gone[i]))
			return bracketed || holds_nocase(line, "attachment was ") ||
			       holds_nocase(line, "attachment has been ") ||
			       holds_nocase(line, "attachments were ") ||
			       holds_nocase(line, "attachments have been ");
	}
	return false;
}

/* Tags may stand before it. */
static bool shows_diff_head(const Line *line)
{
	return holds_nocase(line, "diff --git ") || line_starts(line, "--- ");
}

/* "diff –git", "— a/f.c", "–-- a/f.c": two or three dashes that became one or two. */
static bool is_dashed_head(const Line *line)
{
	static const char *const heads[] = {
		"diff \342\200\223git ", "diff \342\200\224git ",
		"\342\200\224 a/",       "\342\200\223- a/",
		"\342\200\224- a/",      "\342\200\223 a/",
		"-\342\200\223 a/",      "\342\200\223\342\200\223 a/",
		"-\342\200\224 a/",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(heads); i++) {
		if (line_starts(line, heads[i]))
			return true;
	}
	return false;
}

static bool is_nbsp_head(const Line *line)
{
	return line_starts(line, "---\302\240a/") || line_starts(line, "diff\302\240") ||
	       line_starts(line, "diff --git\302\240") || line_starts(line, "---\302\240/dev/");
}

static bool is_escaped_head(const Line *line)
{
	return line_starts(line, "&gt; diff --git ") || line_starts(line, "&gt;diff --git ");
}

static bool is_stat(const Line *line)
{
	return line->len > 0 && line->text[0] == ' ' && holds_nocase(line, " changed, ") &&
	       (holds_nocase(line, " files changed, ") || holds_nocase(line, " 1 file changed, "));
}

typedef bool (*TextTest)(const Line *line);

static Damage *new_at(PatchDamage kind, const char *text, Line line)
{
	Damage *damage = g_new0(Damage, 1);
	g_autofree char *shown = g_strndup(line.text, MIN(line.len, DAMAGE_TEXT_MAX_BYTES));
	g_autofree char *utf8 = text_to_utf8(shown, strlen(shown), NULL);

	damage->kind = kind;
	damage->line = 1;
	for (const char *at = text; at < line.text; at++)
		damage->line += *at == '\n';
	damage->text = text_tidy(g_strdelimit(utf8, "\t\r", ' '));
	return damage;
}

/* Below a notice stand name and type of what is gone: a signature or a picture is no patch. */
static bool names_no_patch(const char *text, gsize len, Line line)
{
	static const char *const others[] = {"pgp-signature", "pkcs7", "image/", "text/html"};
	gsize at = (gsize)(line.text - text);

	for (unsigned n = 0; n < NOTICE_LINES && line_next(text, len, &at, &line); n++) {
		for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
			if (holds_nocase(&line, others[i]))
				return true;
		}
	}
	return false;
}

static Damage *find_in(const char *text, PatchDamage kind, TextTest test)
{
	gsize len = strlen(text);
	Line line;

	for (gsize at = 0; line_next(text, len, &at, &line);) {
		if (test(&line))
			return new_at(kind, text, line);
	}
	return NULL;
}

static Damage *find_notice(const char *text)
{
	gsize len = strlen(text);
	Line line;

	if (strcasestr(text, "attachment") == NULL && strcasestr(text, "scrubbed") == NULL)
		return NULL;

	for (gsize at = 0; line_next(text, len, &at, &line);) {
		if (is_attachment_notice(&line) && !names_no_patch(text, len, line))
			return new_at(PATCH_DAMAGE_ATTACHMENT, text, line);
	}
	return NULL;
}

/* A diff's head with nothing behind it is cut; behind it stands what is no diff, it is broken. */
static Damage *find_headless(const char *text)
{
	gsize len = strlen(text);
	Line line, next;

	for (gsize at = 0; line_next(text, len, &at, &line);) {
		if (!line_starts(&line, "diff --git a/"))
			continue;
		gsize behind = at;
		if (!line_next(text, len, &behind, &next) || line_is_blank(&next))
			return new_at(PATCH_DAMAGE_TRUNCATED, text, line);
		if (line_starts(&next, "b/"))
			return new_at(PATCH_DAMAGE_WRAPPED, text, next);
	}
	return NULL;
}

/* Where a patch would be named: a part of that type or name, with nothing in it. */
static Damage *find_empty_part(const Message *message)
{
	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		const char *name = part->filename ? part->filename : "";
		bool patch = g_str_has_suffix(name, ".patch") || g_str_has_suffix(name, ".diff") ||
			     strcmp(part->content_type, "text/x-patch") == 0 ||
			     strcmp(part->content_type, "text/x-diff") == 0;

		if (!patch || g_bytes_get_size(part->bytes) > 1)
			continue;
		Damage *damage = g_new0(Damage, 1);
		damage->kind = PATCH_DAMAGE_ATTACHMENT;
		damage->path = part->filename ? g_strdup(part->filename) : NULL;
		return damage;
	}
	return NULL;
}

static bool bytes_have_diff(const MessagePart *part)
{
	gsize len;
	const char *bytes = g_bytes_get_data(part->bytes, &len);

	return text_has_diff(bytes, len);
}

/* A diff that only HTML shows, or only a charset whose bytes are no ASCII. */
static Damage *find_in_part(const MessagePart *part)
{
	bool html = strcmp(part->content_type, "text/html") == 0;
	Damage *damage = NULL;

	if (html && !part->alternative)
		damage = find_in(part->text, PATCH_DAMAGE_HTML, shows_diff_head);
	if (html || damage != NULL)
		return damage;
	if (text_has_diff(part->text, strlen(part->text)) && !bytes_have_diff(part))
		return find_in(part->text, PATCH_DAMAGE_CHARSET, shows_diff_head);
	if (!(damage = find_in(part->text, PATCH_DAMAGE_TYPOGRAPHY, is_dashed_head)) &&
	    !(damage = find_in(part->text, PATCH_DAMAGE_NBSP, is_nbsp_head)) &&
	    !(damage = find_in(part->text, PATCH_DAMAGE_HTML, is_escaped_head)))
		damage = find_headless(part->text);
	return damage;
}

/* A mail that says it is a patch, not a cover letter. */
static bool promises_patch(const SubjectPrefix *prefix)
{
	return prefix->is_patch && !prefix->is_reply && !prefix->is_forward && prefix->number > 0;
}

Damage *damage_find_lost(const Message *message)
{
	g_return_val_if_fail(message != NULL, NULL);

	const char *body = message_body(message);
	g_autoptr(SubjectPrefix) prefix = subject_parse(message->subject);
	Damage *damage = find_empty_part(message);

	for (guint i = 0; damage == NULL && i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		if (part->text != NULL && !part->forwarded)
			damage = find_in_part(part);
	}
	if (damage == NULL)
		damage = find_notice(body);
	if (damage == NULL && promises_patch(prefix))
		damage = find_in(body, PATCH_DAMAGE_TRUNCATED, is_stat);
	return damage;
}

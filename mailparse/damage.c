/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damage.h"

#include "mailparse/damagemark.h"
#include "mailparse/line.h"
#include "mailparse/text.h"

#include <string.h>

#define SEND "send it with git send-email"
#define ATTACH "send it with git send-email, or attach the patch"

static const struct {
	const char *name;
	const char *what; /* "its ..." */
	const char *advice;
} kinds[] = {
	[PATCH_DAMAGE_NONE] = {NULL, NULL, NULL},
	[PATCH_DAMAGE_FLOWED] = {"flowed", "it was sent as format=flowed",
				 "turn format=flowed off in the mail program"},
	[PATCH_DAMAGE_WRAPPED] = {"wrapped", "the mail program broke a long line",
				  "turn line wrapping off, or attach the patch"},
	[PATCH_DAMAGE_TABS] = {"tabs", "its tabs became blanks",
			       ATTACH "; do not paste it from a terminal"},
	[PATCH_DAMAGE_NBSP] = {"nbsp", "blanks in it became no-break spaces",
			       "write the mail as plain text, or attach the patch"},
	[PATCH_DAMAGE_CRLF] = {"crlf", "its line ends are not those of the patch", ATTACH},
	[PATCH_DAMAGE_HTML] = {"html", "it went through HTML",
			       "send it as plain text; do not copy it from a web page"},
	[PATCH_DAMAGE_TRUNCATED] = {"truncated", "its end is missing", "send it again, whole"},
	[PATCH_DAMAGE_QUOTED_PRINTABLE] = {"quoted-printable",
					   "marks of quoted-printable were left in it",
					   "send the file that git format-patch wrote, not the "
					   "source of a mail"},
	[PATCH_DAMAGE_CHARSET] = {"charset", "characters in it were lost or encoded twice",
				  "send it as UTF-8: " SEND},
	[PATCH_DAMAGE_ATTACHMENT] = {"attachment", "its attachment was taken away on the way",
				     "send the patch in the text: " SEND},
	[PATCH_DAMAGE_TRAILING_SPACE] = {"trailing-space",
					 "blanks at the end of its lines were cut off", ATTACH},
	[PATCH_DAMAGE_LEADING_SPACE] = {"leading-space",
					"blanks at the start of its lines were cut off", ATTACH},
	[PATCH_DAMAGE_TYPOGRAPHY] = {"typography",
				     "its plain quotes or dashes became typographic ones",
				     "turn automatic correction off, or attach the patch"},
	[PATCH_DAMAGE_FROM] = {"from", "a mailbox turned \"From \" into \">From \" in its text",
			       "do not begin a line with \"From \""},
};

const char *patch_damage_name(PatchDamage kind)
{
	g_return_val_if_fail(kind < G_N_ELEMENTS(kinds), NULL);

	return kinds[kind].name;
}

const char *damage_advice(PatchDamage kind)
{
	g_return_val_if_fail(kind < G_N_ELEMENTS(kinds), NULL);

	return kinds[kind].advice;
}

/* " (line 3 of its text, in lib/foo.c: "bad")" */
static void append_place(GString *out, const Damage *damage)
{
	if (damage->line == 0 && damage->path == NULL)
		return;
	g_string_append(out, " (");
	if (damage->line > 0)
		g_string_append_printf(out, "line %" G_GSIZE_FORMAT " of its text%s", damage->line,
				       damage->path ? ", " : "");
	if (damage->path != NULL)
		g_string_append_printf(out, "in %s", damage->path);
	if (damage->text != NULL && damage->text[0] != '\0')
		g_string_append_printf(out, ": \"%s\"", damage->text);
	g_string_append_c(out, ')');
}

char *damage_sentence(const Damage *damage)
{
	g_return_val_if_fail(damage != NULL && damage->kind < G_N_ELEMENTS(kinds), NULL);

	GString *out = g_string_new("the patch was damaged on its way: ");
	g_string_append(out, kinds[damage->kind].what);
	append_place(out, damage);
	g_string_append_printf(out, "; %s%s", damage->repaired ? "that was repaired; else " : "",
			       kinds[damage->kind].advice);
	return g_string_free(out, FALSE);
}

static char *show_line(const char *bytes, gsize len, gsize at)
{
	gsize start = at;
	Line line;

	while (start > 0 && bytes[start - 1] != '\n')
		start--;
	line_next(bytes, len, &start, &line);
	g_autofree char *utf8 = text_to_utf8(line.text, MIN(line.len, DAMAGE_TEXT_MAX_BYTES), NULL);
	g_autofree char *plain = g_strdelimit(g_steal_pointer(&utf8), "\t\r", ' ');
	return text_tidy(plain);
}

static gsize line_number(const char *bytes, gsize at)
{
	gsize n = 1;

	for (gsize i = 0; i < at; i++)
		n += bytes[i] == '\n';
	return n;
}

static void place_at(Damage *damage, GBytes *text, gsize at)
{
	gsize len;
	const char *bytes = g_bytes_get_data(text, &len);

	damage->line = line_number(bytes, at);
	damage->text = show_line(bytes, len, at);
}

/* The first line of the diff that stands otherwise in @raw; where that cannot be told, the last. */
static gsize first_difference(const Diff *diff, GBytes *raw)
{
	gsize len, raw_len;
	const char *bytes = g_bytes_get_data(diff->bytes, &len);
	const char *raw_bytes = g_bytes_get_data(raw, &raw_len);
	const DiffFile *first = diff->files->pdata[0];
	gsize at = (gsize)((const char *)first->start - bytes);
	gsize raw_at = 0;
	Line line, raw_line;

	line_next(bytes, len, &at, &line);
	while (line_next(raw_bytes, raw_len, &raw_at, &raw_line)) {
		if (raw_line.len == line.len && memcmp(raw_line.text, line.text, line.len) == 0)
			break;
	}
	gsize found = (gsize)(raw_line.text - raw_bytes);
	while (raw_line.len == line.len && memcmp(raw_line.text, line.text, line.len) == 0) {
		line_next(bytes, len, &at, &line);
		if (!line_next(raw_bytes, raw_len, &raw_at, &raw_line))
			break;
		found = (gsize)(raw_line.text - raw_bytes);
	}
	return found;
}

static Damage *damage_new(PatchDamage kind)
{
	Damage *damage = g_new0(Damage, 1);

	damage->kind = kind;
	return damage;
}

static Damage *from_mark(const Diff *diff, const DamageMark *mark)
{
	Damage *damage = damage_new(mark->kind);
	const char *bytes = g_bytes_get_data(diff->bytes, NULL);

	damage->path = mark->file ? g_utf8_make_valid(mark->file->path, -1) : NULL;
	damage->repaired = mark->repaired;
	if (mark->at != NULL)
		place_at(damage, diff->bytes, (gsize)(mark->at - bytes));
	return damage;
}

static Damage *from_undone(const Diff *diff, PatchDamage undone, GBytes *raw)
{
	Damage *damage = damage_new(undone);
	const DiffFile *first = diff->files->pdata[0];

	damage->path = g_utf8_make_valid(first->path, -1);
	damage->repaired = true;
	if (raw != NULL)
		place_at(damage, raw, first_difference(diff, raw));
	return damage;
}

Damage *damage_find(const Diff *diff, PatchDamage undone, GBytes *raw)
{
	g_return_val_if_fail(diff != NULL && diff->files->len > 0, NULL);

	/* What spoils the lines themselves explains why they are not as they are counted. */
	static DamageMark (*const readers[])(const Diff *) = {
		damageline_crlf,    damageline_nbsp, damageline_html,
		damagecut_header,   damagecut_hunk,  damageline_typography,
		damageline_charset, damageline_tabs, damageline_trailing_space,
		damagecut_stat,
	};

	for (gsize i = 0; i < G_N_ELEMENTS(readers); i++) {
		DamageMark mark = readers[i](diff);
		if (mark.kind != PATCH_DAMAGE_NONE)
			return from_mark(diff, &mark);
	}
	if (undone != PATCH_DAMAGE_NONE)
		return from_undone(diff, undone, raw);
	DamageMark mark = damageline_from(diff);
	return mark.kind != PATCH_DAMAGE_NONE ? from_mark(diff, &mark) : NULL;
}

void damage_free(Damage *damage)
{
	if (damage == NULL)
		return;
	g_free(damage->path);
	g_free(damage->text);
	g_free(damage);
}

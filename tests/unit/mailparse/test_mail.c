/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each tests/golden/mail/NAME.in is a mail, NAME.expect what mail_read() must see in it. */
#include "mailparse/mail.h"
#include "mailparse/trailer.h"

#include "tests/unit/check_main.h"

#include <string.h>

static const char *const own[] = {"bot@lab.example.org", NULL};
static const RequestContext context = {.own = own};

static void print_text(GString *out, const char *label, const char *text)
{
	if (text != NULL)
		g_string_append_printf(out, "%s: %s\n", label, text);
}

static void print_words(GString *out, const char *label, GStrv words)
{
	for (gsize i = 0; words[i] != NULL; i++)
		print_text(out, label, words[i]);
}

static void print_file(GString *out, const DiffFile *file)
{
	g_string_append_printf(
		out, "file: %s %s old=%s blobs=%s..%s hunks=%u%s\n", diff_status_name(file->status),
		file->path, file->old_path ? file->old_path : "-",
		file->old_blob ? file->old_blob : "-", file->new_blob ? file->new_blob : "-",
		file->hunks->len, file->complete ? "" : " broken");
}

static void print_patch(GString *out, const Patch *patch)
{
	g_string_append_printf(out, "author: %s <%s>\n", patch->author->name, patch->author->addr);
	print_text(out, "title", patch->title);
	g_auto(GStrv) lines = g_strsplit(patch->message, "\n", -1);
	for (gsize i = 0; lines[i] != NULL && lines[i + 1] != NULL; i++)
		g_string_append_printf(out, "| %s\n", lines[i]);
	for (guint i = 0; i < patch->trailers->len; i++) {
		const Trailer *trailer = patch->trailers->pdata[i];
		g_string_append_printf(out, "trailer: %s=%s\n", trailer->key, trailer->value);
	}
	print_text(out, "location", patch_location_name(patch->location));
	print_text(out, "patch-id", patch->patch_id);
	g_autofree char *sha256 = patch_sha256(patch);
	print_text(out, "sha256", sha256);
	for (guint i = 0; i < patch->diff->files->len; i++)
		print_file(out, patch->diff->files->pdata[i]);
}

static void print_damage(GString *out, const Damage *damage)
{
	if (damage == NULL)
		return;
	g_autofree char *says = damage_sentence(damage);
	g_string_append_printf(out, "damage: %s%s line %" G_GSIZE_FORMAT "\n",
			       patch_damage_name(damage->kind), damage->repaired ? " repaired" : "",
			       damage->line);
	print_text(out, "says", says);
}

static void print_request(GString *out, const Request *request)
{
	g_string_append_printf(out, "request: %s%s%s patch=%s (%s)\n",
			       request_kind_name(request->kind), request->act ? " act" : "",
			       request->runnable ? " runnable" : "",
			       request_patch_name(request->patch_location), request->why);
	print_text(out, "command", request->command);
	print_text(out, "repo", request->repo);
	print_text(out, "branch", request->branch);
	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *commit = request->commits->pdata[i];
		g_string_append_printf(out, "commit: %s %s\n", commit->sha,
				       commit->subject ? commit->subject : "-");
	}
	print_words(out, "link", request->links);
	print_text(out, "base", request->base_hint);
	print_words(out, "modifier", request->modifiers);
}

static char *describe(const Mail *mail)
{
	GString *out = g_string_new(NULL);

	print_text(out, "kind", mail_kind_name(mail->kind));
	print_text(out, "base-commit", mail_notes(mail)->base_commit);
	print_words(out, "prerequisite", mail_notes(mail)->prerequisites);
	print_text(out, "change-id", mail_notes(mail)->change_id);
	print_words(out, "replaces", mail_notes(mail)->replaces);
	if (mail->patch != NULL)
		print_patch(out, mail->patch);
	print_damage(out, mail_damage(mail));
	print_request(out, mail->request);
	return g_string_free(out, FALSE);
}

static char *golden_path(const char *file)
{
	return g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "golden", "mail", file, NULL);
}

static GBytes *load(const char *file)
{
	g_autofree char *path = golden_path(file);
	char *text = NULL;
	gsize len = 0;

	ck_assert_msg(g_file_get_contents(path, &text, &len, NULL), "cannot read %s", path);
	return g_bytes_new_take(text, len);
}

static Mail *read_golden(GBytes *bytes, gsize len)
{
	g_autofree guint8 *copy = g_memdup2(g_bytes_get_data(bytes, NULL), MAX(len, 1));

	return mail_read(copy, len, &context, NULL);
}

typedef void (*GoldenTest)(const char *name);

static void for_each_golden(GoldenTest test)
{
	g_autofree char *folder = golden_path("");
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	for (const char *file = g_dir_read_name(dir); file; file = g_dir_read_name(dir)) {
		if (!g_str_has_suffix(file, ".in"))
			continue;
		g_autofree char *name = g_strndup(file, strlen(file) - strlen(".in"));
		test(name);
		n++;
	}
	ck_assert_uint_ge(n, 25);
}

static void reads_as_expected(const char *name)
{
	g_autofree char *in = g_strconcat(name, ".in", NULL);
	g_autofree char *expect = g_strconcat(name, ".expect", NULL);
	g_autoptr(GBytes) bytes = load(in);
	g_autoptr(GBytes) wanted = load(expect);

	g_autoptr(Mail) mail = read_golden(bytes, g_bytes_get_size(bytes));

	ck_assert_msg(mail != NULL, "%s cannot be read", name);
	g_autofree char *seen = describe(mail);
	g_autofree char *text = g_strndup(g_bytes_get_data(wanted, NULL), g_bytes_get_size(wanted));
	ck_assert_msg(strcmp(seen, text) == 0, "%s reads as\n%s\ninstead of\n%s", name, seen, text);
}

static void survives_truncation(const char *name)
{
	g_autofree char *in = g_strconcat(name, ".in", NULL);
	g_autoptr(GBytes) bytes = load(in);

	for (gsize len = 0; len < g_bytes_get_size(bytes); len++) {
		g_autoptr(Mail) mail = read_golden(bytes, len);
		if (mail != NULL)
			ck_assert_ptr_nonnull(mail->request);
	}
}

START_TEST(mails_read_as_their_golden_files_say)
{
	for_each_golden(reads_as_expected);
}
END_TEST

START_TEST(a_mail_cut_at_any_byte_is_read_or_refused)
{
	for_each_golden(survives_truncation);
}
END_TEST

START_TEST(kind_names_lead_back_to_their_kinds)
{
	for (int kind = MAIL_PATCH; kind <= MAIL_OTHER; kind++)
		ck_assert_int_eq(mail_kind_from_name(mail_kind_name((MailKind)kind)), kind);
	ck_assert_int_eq(mail_kind_from_name("nonsense"), MAIL_OTHER);
}
END_TEST

CHECK_MAIN("mail", mails_read_as_their_golden_files_say, a_mail_cut_at_any_byte_is_read_or_refused,
	   kind_names_lead_back_to_their_kinds)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/mailjson.h"

#include "bot/base/json.h"
#include "mailparse/trailer.h"

static json_t *strv_to_json(const char *const *texts)
{
	json_t *list = json_array();

	for (; texts != NULL && *texts != NULL; texts++)
		json_array_append_new(list, json_text(*texts));
	return list;
}

static json_t *mailbox_to_json(const Mailbox *mailbox)
{
	if (mailbox == NULL)
		return json_null();
	return json_pack("{s:o, s:o}", "name", json_text(mailbox->name), "addr",
			 json_text(mailbox->addr));
}

static json_t *commits_to_json(const GPtrArray *commits)
{
	json_t *list = json_array();

	for (guint i = 0; i < commits->len; i++) {
		const RequestCommit *commit = commits->pdata[i];
		json_array_append_new(list, json_text(commit->sha));
	}
	return list;
}

static json_t *sources_to_json(const GPtrArray *sources)
{
	json_t *list = json_array();

	for (guint i = 0; i < sources->len; i++) {
		const RequestSource *source = sources->pdata[i];
		json_array_append_new(list, json_pack("{s:o, s:o}", "url", json_text(source->url),
						      "ref", json_text(source->ref)));
	}
	return list;
}

static json_t *job_to_json(const ToldJob *job)
{
	if (job == NULL)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "commit",
			 json_text(job->commit), "base", json_text(job->base), "tree",
			 json_text(job->tree), "branch", json_text(job->branch), "testcase",
			 json_text(job->testcase), "config", json_text(job->config), "compiler",
			 json_text(job->compiler), "machine", json_text(job->machine), "reproducer",
			 json_text(job->reproducer), "parameters",
			 strv_to_json((const char *const *)job->parameters));
}

json_t *request_to_json(const Request *request)
{
	return json_pack("{s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
			 "kind", request_kind_name(request->kind), "act", request->act, "runnable",
			 request->runnable, "command", json_text(request->command), "repo",
			 json_text(request->repo), "branch", json_text(request->branch), "commits",
			 commits_to_json(request->commits), "sources",
			 sources_to_json(request->sources), "links",
			 strv_to_json((const char *const *)request->links), "patch_location",
			 request_patch_name(request->patch_location), "base_hint",
			 json_text(request->base_hint), "modifiers",
			 strv_to_json((const char *const *)request->modifiers), "job",
			 job_to_json(request->job), "why", json_text(request->why));
}

static json_t *prefix_to_json(const SubjectPrefix *prefix)
{
	return json_pack("{s:i, s:i, s:i, s:o, s:b, s:b}", "revision", (int)prefix->revision,
			 "number", (int)prefix->number, "total", (int)prefix->total, "tags",
			 strv_to_json((const char *const *)prefix->tags), "rfc", prefix->rfc,
			 "resend", prefix->resend);
}

static json_t *trailers_to_json(const Patch *patch)
{
	json_t *list = json_array();

	for (guint i = 0; patch != NULL && i < patch->trailers->len; i++) {
		const Trailer *trailer = patch->trailers->pdata[i];
		json_array_append_new(list, json_pack("{s:o, s:o}", "key", json_text(trailer->key),
						      "value", json_text(trailer->value)));
	}
	return list;
}

static json_t *files_to_json(const Diff *diff)
{
	json_t *list = json_array();

	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *file = diff->files->pdata[i];
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:s}", "path", json_text(file->path),
						"old_path", json_text(file->old_path), "status",
						diff_status_name(file->status)));
	}
	return list;
}

static json_t *patch_to_json(const Patch *patch)
{
	if (patch == NULL)
		return json_null();
	g_autofree char *sha256 = patch_sha256(patch);
	return json_pack("{s:o, s:s, s:s, s:o, s:o}", "id", json_text(patch->patch_id), "sha256",
			 sha256, "location", patch_location_name(patch->location), "files",
			 files_to_json(patch->diff), "damage",
			 json_text(patch_damage_name(patch_damage_kind(patch))));
}

static json_t *damage_to_json(const Damage *damage)
{
	if (damage == NULL)
		return json_null();

	g_autofree char *says = damage_sentence(damage);
	return json_pack("{s:s, s:o, s:o, s:o, s:b, s:s, s:o}", "kind",
			 patch_damage_name(damage->kind), "path", json_text(damage->path), "line",
			 damage->line > 0 ? json_integer((json_int_t)damage->line) : json_null(),
			 "text", json_text(damage->text), "repaired", damage->repaired, "advice",
			 damage_advice(damage->kind), "says", json_text(says));
}

json_t *mail_to_json(const Mail *mail, const char *file)
{
	const PatchNotes *notes = mail_notes(mail);
	const Message *message = mail->message;
	const Patch *patch = mail->patch;
	json_t *object = json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "file", json_text(file),
		"message_id", message->message_id, "date", json_text(message->date), "from",
		mailbox_to_json(message->from), "subject", json_text(message->subject), "title",
		json_text(patch != NULL ? patch->title : mail->prefix->title), "message",
		json_text(patch != NULL ? patch->message : NULL), "kind",
		mail_kind_name(mail->kind), "prefix", prefix_to_json(mail->prefix));

	json_object_set_new(object, "author",
			    mailbox_to_json(patch != NULL ? patch->author : message->from));
	json_object_set_new(object, "trailers", trailers_to_json(patch));
	json_object_set_new(object, "base_commit", json_text(notes->base_commit));
	json_object_set_new(object, "prerequisites",
			    strv_to_json((const char *const *)notes->prerequisites));
	json_object_set_new(object, "change_id", json_text(notes->change_id));
	json_object_set_new(object, "replaces", strv_to_json((const char *const *)notes->replaces));
	json_object_set_new(object, "patch", patch_to_json(patch));
	json_object_set_new(object, "damage", damage_to_json(mail_damage(mail)));
	json_object_set_new(object, "request", request_to_json(mail->request));
	return object;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/request.h"

#include "mailparse/aim.h"
#include "mailparse/ask.h"
#include "mailparse/asktext.h"
#include "mailparse/command.h"
#include "mailparse/pattern.h"
#include "mailparse/reading.h"
#include "mailparse/robot.h"
#include "mailparse/targets.h"

#include <string.h>

static void commit_free(RequestCommit *commit)
{
	g_free(commit->sha);
	g_free(commit->subject);
	g_free(commit);
}

static void source_free(RequestSource *source)
{
	g_free(source->url);
	g_free(source->ref);
	g_free(source);
}

static Request *request_new(void)
{
	Request *request = g_new0(Request, 1);

	request->commits = g_ptr_array_new_with_free_func((GDestroyNotify)commit_free);
	request->sources = g_ptr_array_new_with_free_func((GDestroyNotify)source_free);
	request->links = g_new0(char *, 1);
	request->modifiers = g_new0(char *, 1);
	return request;
}

void request_free(Request *request)
{
	if (!request)
		return;
	g_free(request->command);
	g_free(request->repo);
	g_free(request->branch);
	g_ptr_array_unref(request->commits);
	g_ptr_array_unref(request->sources);
	g_strfreev(request->links);
	g_free(request->base_hint);
	g_strfreev(request->modifiers);
	toldjob_free(request->job);
	g_free(request->why);
	g_free(request);
}

static void decide(Request *request, RequestKind kind, bool act, const char *why)
{
	request->kind = kind;
	request->act = act;
	g_free(request->why);
	request->why = g_strdup(why);
}

static void obey(Request *request, const FormalCommand *command, const Reading *reading)
{
	bool act =
		command->usable && command->kind != REQUEST_CANCEL && command->kind != REQUEST_STOP;

	request->command = g_strdup(command->text);
	if (command->repo)
		targets_add_repo(request, command->repo, command->branch);
	g_strfreev(request->modifiers);
	request->modifiers = g_strdupv(command->options);
	if (command->kind == REQUEST_NONE) {
		decide(request, REQUEST_NONE, false, "the command asks for no test");
		return;
	}
	decide(request, command->kind, act,
	       command->usable ? "a formal command" : "a formal command with unusable arguments");
	aim_default(request, reading);
	if (command->link) {
		targets_add_link(request, command->link);
		request->patch_location = REQUEST_PATCH_LINK;
	}
	bool bare =
		!command->repo && !command->link && request->patch_location == REQUEST_PATCH_NONE;
	if (act && bare && command->kind == REQUEST_TEST)
		request->kind = REQUEST_RETEST;
	request->runnable = act;
}

static void ask_test(Request *request, const Reading *reading, guint index)
{
	const char *sentence = g_array_index(reading->talk->sentences, Sentence, index).text;

	if (!aim_find(request, reading, index)) {
		decide(request, REQUEST_NONE, false,
		       "a test is asked for, but of nothing of the writer's");
		return;
	}
	/* The same job, on another tree or in another way. */
	bool changed = aim_take_wishes(request, reading, index) > 0;
	bool again = !reading_has_own_patch(reading) &&
		     request->patch_location == REQUEST_PATCH_NONE && !request->repo &&
		     request->commits->len == 0 &&
		     (request->branch || changed || ask_is_again(sentence));
	decide(request, again ? REQUEST_RETEST : REQUEST_TEST, true, "the writer asks for a test");
}

/* "Does this fix it?" asks only where "this" is there. */
static void ask_whether(Request *request, const Reading *reading, guint index)
{
	if (aim_is_near(request, reading, index))
		ask_test(request, reading, index);
}

static void take_own_patch(Request *request, const Reading *reading, const char *why)
{
	request->patch_location = aim_patch_place(reading->patch);
	request->runnable = true;
	decide(request, REQUEST_TEST, true, why);
}

/* "Does it help?  Yes, it does." */
static bool answers_himself(const AskText *talk, guint index)
{
	const GArray *sentences = talk->sentences;
	const Sentence *asking = &g_array_index(sentences, Sentence, index);
	const Sentence *next = asking + 1;

	/* Below an empty line, or a quote, something else may be answered. */
	return index + 1 < sentences->len && g_str_has_suffix(asking->text, "?") && !next->sample &&
	       !g_strstr_len(talk->talk->str + asking->end, (gssize)(next->start - asking->end),
			     "\n\n") &&
	       pattern_matches("^(?:yes|no|nope|yep|sure|indeed|of course|it (?:does|did))\\b",
			       next->text);
}

/* Returns: true when the sentence settles the matter */
static bool read_sentence(Request *request, const Reading *reading, guint index,
			  const char *greeted)
{
	const Sentence *sentence = &g_array_index(reading->talk->sentences, Sentence, index);
	AskKind kind = sentence->sample ? ASK_NONE : ask_kind(sentence->text);

	if (kind == ASK_NONE || answers_himself(reading->talk, index) ||
	    !reading_means_us(reading, index, greeted))
		return false;
	bool answers_tester = reading_has_own_patch(reading) && !reading_is_review(reading);
	if (kind == ASK_TEST)
		ask_test(request, reading, index);
	else if (kind == ASK_QUESTION && answers_tester)
		take_own_patch(request, reading, "the writer asks whether his patch helps");
	else if (kind == ASK_QUESTION && !reading_is_review(reading))
		ask_whether(request, reading, index);
	else if (kind == ASK_OFFER && answers_tester)
		take_own_patch(request, reading, "the writer offers the tester a fix");
	else if (kind == ASK_INFO && request->kind == REQUEST_NONE)
		decide(request, REQUEST_INFO, false, "the writer asks for information");
	else if (kind == ASK_CANCEL && request->kind == REQUEST_NONE)
		decide(request, REQUEST_CANCEL, false, "the writer withdraws his work");
	else if (kind == ASK_STOP && request->kind == REQUEST_NONE)
		decide(request, REQUEST_STOP, false, "the writer wants no more mails");
	return request->act;
}

static void read_sentences(Request *request, const Reading *reading)
{
	g_autofree char *greeted = NULL;

	for (guint i = 0; i < reading->talk->sentences->len; i++) {
		if (read_sentence(request, reading, i, greeted))
			return;
		char *names = reading_greeted(reading, i);
		if (names) {
			g_free(greeted);
			greeted = names;
		}
	}
}

static void read_talk(Request *request, Reading *reading)
{
	decide(request, REQUEST_NONE, false, "nothing is asked for");
	if (reading_is_posting(reading)) {
		decide(request, REQUEST_NONE, false, "it is posted to everybody");
		return;
	}
	g_autoptr(AskText) talk = asktext_new(reading->body, reading->answered);
	reading->talk = talk;
	read_sentences(request, reading);
	reading->talk = NULL;
}

bool request_is_possible(const Message *message, const RequestContext *context)
{
	g_return_val_if_fail(message != NULL && context != NULL, false);

	const Reading reading = {.message = message, .context = context};
	return reading_addresses_us(&reading) ||
	       formal_command_is_possible(message->subject, message_body(message), context->any);
}

static FormalCommand *find_command(const Reading *reading)
{
	const bool any = reading->context->any;
	const bool in_subject = formal_command_is_possible(reading->message->subject, "", any);
	const char *subject = in_subject ? reading_own_subject(reading) : NULL;

	return formal_command_find(subject, reading->body, reading->answered, any);
}

static void read_request(Request *request, Reading *reading)
{
	/* Hardly a mail of a list does, and whether it may costs more to find out. */
	if (!request_is_possible(reading->message, reading->context)) {
		decide(request, REQUEST_NONE, false, "it does not address us");
		return;
	}
	const char *why = reading_refusal(reading);
	if (why) {
		decide(request, REQUEST_NONE, false, why);
		return;
	}
	reading->answered = reading_answered_lines(reading);
	g_autoptr(FormalCommand) command = find_command(reading);
	if (command)
		obey(request, command, reading);
	else if (reading_addresses_us(reading))
		read_talk(request, reading);
	else
		decide(request, REQUEST_NONE, false, "it does not address us");
}

/* "Can you run this again?" means the job of the report, whoever reported. */
static void take_job(Request *request, const Reading *reading)
{
	const Message *parent = reading->context->parent;

	if (!parent)
		request->job = toldjob_read(reading->body);
	else if (reading->context->parent_is_ours || robot_is_sender(parent))
		request->job = toldjob_read(message_body(parent));
	if (request->kind == REQUEST_RETEST && request->job && request->modifiers[0] == NULL)
		request->runnable = true;
}

Request *request_from_message(const Message *message, const Patch *patch,
			      const RequestContext *context)
{
	g_return_val_if_fail(message != NULL && context != NULL, NULL);

	Request *request = request_new();
	Reading reading = {
		.message = message,
		.patch = patch,
		.context = context,
		.body = message_body(message),
		.prefix = subject_parse(message->subject),
	};

	read_request(request, &reading);
	if (request->act)
		take_job(request, &reading);
	g_clear_pointer(&reading.answered, g_hash_table_unref);
	subject_free(reading.prefix);
	return request;
}

const char *request_kind_name(RequestKind kind)
{
	switch (kind) {
	case REQUEST_NONE:
		return "none";
	case REQUEST_TEST:
		return "test";
	case REQUEST_RETEST:
		return "retest";
	case REQUEST_INFO:
		return "info";
	case REQUEST_CANCEL:
		return "cancel";
	case REQUEST_STOP:
		return "stop";
	}
	g_assert_not_reached();
}

const char *request_patch_name(RequestPatch where)
{
	switch (where) {
	case REQUEST_PATCH_NONE:
		return "none";
	case REQUEST_PATCH_INLINE:
		return "inline";
	case REQUEST_PATCH_ATTACHMENT:
		return "attachment";
	case REQUEST_PATCH_QUOTED:
		return "quoted";
	case REQUEST_PATCH_PARENT:
		return "parent";
	case REQUEST_PATCH_LINK:
		return "link";
	case REQUEST_PATCH_CHILDREN:
		return "children";
	case REQUEST_PATCH_SCISSORS_INLINE:
		return "scissors-inline";
	}
	g_assert_not_reached();
}

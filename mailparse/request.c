/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/request.h"

#include "mailparse/ask.h"
#include "mailparse/asktext.h"
#include "mailparse/command.h"
#include "mailparse/line.h"
#include "mailparse/reading.h"
#include "mailparse/target.h"

#include <string.h>

#define NEAR_SENTENCES 2u /* how far behind the request its target may stand */
#define MAX_LINKS 50u

static Request *request_new(void)
{
	Request *request = g_new0(Request, 1);

	request->commits = g_ptr_array_new();
	request->links = g_new0(char *, 1);
	request->modifiers = g_new0(char *, 1);
	return request;
}

static void commit_free(RequestCommit *commit)
{
	g_free(commit->sha);
	g_free(commit->subject);
	g_free(commit);
}

void request_free(Request *request)
{
	if (!request)
		return;
	g_free(request->command);
	g_free(request->repo);
	g_free(request->branch);
	for (guint i = 0; i < request->commits->len; i++)
		commit_free(request->commits->pdata[i]);
	g_ptr_array_unref(request->commits);
	g_strfreev(request->links);
	g_free(request->base_hint);
	g_strfreev(request->modifiers);
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

static void add_word(GStrv *words, const char *word)
{
	gsize n = g_strv_length(*words);

	if (n >= MAX_LINKS || g_strv_contains((const char *const *)*words, word))
		return;
	*words = g_renew(char *, *words, n + 2);
	(*words)[n] = g_strdup(word);
	(*words)[n + 1] = NULL;
}

static void add_commit(Request *request, const char *sha, const char *subject)
{
	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *known = request->commits->pdata[i];
		if (strcmp(known->sha, sha) == 0)
			return;
	}
	if (request->commits->len >= MAX_LINKS)
		return;
	RequestCommit *commit = g_new0(RequestCommit, 1);
	commit->sha = g_strdup(sha);
	commit->subject = g_strdup(subject);
	g_ptr_array_add(request->commits, commit);
}

static RequestPatch patch_place(const Patch *patch)
{
	if (!patch)
		return REQUEST_PATCH_NONE;
	switch (patch->location) {
	case PATCH_LOCATION_INLINE:
		return REQUEST_PATCH_INLINE;
	case PATCH_LOCATION_ATTACHMENT:
		return REQUEST_PATCH_ATTACHMENT;
	case PATCH_LOCATION_QUOTED:
		return REQUEST_PATCH_QUOTED;
	case PATCH_LOCATION_SCISSORS_INLINE:
		return REQUEST_PATCH_SCISSORS_INLINE;
	}
	return REQUEST_PATCH_NONE;
}

static void place_default_patch(Request *request, const Reading *reading)
{
	bool named = request->repo != NULL;

	/* A branch that is named holds the work; only a patch of this very mail goes on top. */
	if (!named || reading_has_own_patch(reading))
		request->patch_location = patch_place(reading->patch);
	if (named || request->patch_location != REQUEST_PATCH_NONE)
		return;
	if (reading_is_cover(reading))
		request->patch_location = REQUEST_PATCH_CHILDREN;
	else if (reading_answers_patch(reading))
		request->patch_location = REQUEST_PATCH_PARENT;
}

static void obey(Request *request, const FormalCommand *command, const Reading *reading)
{
	bool act =
		command->usable && command->kind != REQUEST_CANCEL && command->kind != REQUEST_STOP;

	request->command = g_strdup(command->text);
	request->repo = g_strdup(command->repo);
	request->branch = g_strdup(command->branch);
	g_strfreev(request->modifiers);
	request->modifiers = g_strdupv(command->options);
	if (command->kind == REQUEST_NONE) {
		decide(request, REQUEST_NONE, false, "the command asks for no test");
		return;
	}
	decide(request, command->kind, act,
	       command->usable ? "a formal command" : "a formal command with unusable arguments");
	if (command->branch && target_is_hash(command->branch))
		add_commit(request, command->branch, NULL);
	place_default_patch(request, reading);
	if (command->link) {
		add_word(&request->links, command->link);
		request->patch_location = REQUEST_PATCH_LINK;
	}
	bool bare =
		!command->repo && !command->link && request->patch_location == REQUEST_PATCH_NONE;
	if (act && bare && command->kind == REQUEST_TEST)
		request->kind = REQUEST_RETEST;
	request->runnable = act;
}

/* Lines that b4 and git read, not people: their links are sources, not targets. */
static bool is_trailer(const Line *line)
{
	static const char *const keys[] = {
		"Link:", "Closes:",       "Fixes:",       "Reported-by:",
		"Cc:",   "Suggested-by:", "Reviewed-by:", "Signed-off-by:"};

	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (line_starts_nocase(line, keys[i]))
			return true;
	}
	return false;
}

static Line next_word(Line *line)
{
	while (line->len > 0 && g_ascii_isspace(line->text[0]))
		*line = line_after(*line, 1);
	Line word = {.text = line->text};
	while (word.len < line->len && !g_ascii_isspace(line->text[word.len]))
		word.len++;
	*line = line_after(*line, word.len);
	return word;
}

static void take_branch(Request *request, Line rest)
{
	Line word = next_word(&rest);
	g_autofree char *branch = g_strndup(word.text, word.len);
	bool last = next_word(&rest).len == 0;

	if (last && target_is_ref(branch))
		request->branch = g_steal_pointer(&branch);
}

/* The repositories and links that the writer gives on one line. */
static void take_urls(Request *request, Line line)
{
	if (is_trailer(&line))
		return;
	for (Line word = next_word(&line); word.len > 0; word = next_word(&line)) {
		g_autofree char *raw = g_strndup(word.text, word.len);
		g_autofree char *url = target_trim(raw);
		if (target_is_link(url)) {
			add_word(&request->links, url);
			g_autofree char *sha = target_commit_of_link(url);
			if (sha)
				add_commit(request, sha, NULL);
		} else if (!request->repo && target_is_repo(url)) {
			request->repo = g_strdup(url);
			take_branch(request, line);
		}
	}
}

/* `  1234567890ab ("subject")`, indented, alone on its line. */
static void take_commit(Request *request, Line line)
{
	Line word = next_word(&line);
	g_autofree char *sha = g_strndup(word.text, word.len);

	while (line.len > 0 && line.text[0] == ' ')
		line = line_after(line, 1);
	line = line_chomp(line);
	if (!target_is_hash(sha) || !line_starts(&line, "(\""))
		return;
	Line subject = line_after(line, 2);
	if (subject.len < 2 || memcmp(subject.text + subject.len - 2, "\")", 2) != 0)
		return;
	g_autofree char *text = g_strndup(subject.text, subject.len - 2);
	add_commit(request, sha, text);
}

static void take_targets(Request *request, const GString *talk, gsize from, gsize to)
{
	Line line;

	for (gsize at = from; line_next(talk->str, to, &at, &line);) {
		take_urls(request, line);
		take_commit(request, line);
	}
}

/* "[1] https://..." or "1. https://..." at the start of a line, when the sentence says "[1]". */
static void take_footnotes(Request *request, const GString *talk, const char *sentence)
{
	Line line;

	for (gsize at = 0; line_next(talk->str, talk->len, &at, &line);) {
		if (line.len < 4 || (line.text[0] != '[' && !g_ascii_isdigit(line.text[0])))
			continue;
		gsize skip = line.text[0] == '[';
		char mark[] = {'[', line.text[skip], ']', '\0'};
		if (g_ascii_isdigit(line.text[skip]) && strchr("].:", line.text[skip + 1]) &&
		    strstr(sentence, mark))
			take_urls(request, line);
	}
}

/* The hashes that a sentence names: "revert 1234567890ab", "try 1234567890ab on top". */
static void take_hashes(Request *request, const char *sentence)
{
	g_auto(GStrv) words = g_strsplit(sentence, " ", -1);

	for (gsize i = 0; words[i]; i++) {
		g_autofree char *word = target_trim(words[i]);
		if (target_is_hash(word))
			add_commit(request, word, NULL);
	}
}

/* Is there anything to test near the sentence that asks for it?  Fills @request in. */
static void find_near(Request *request, const Reading *reading, guint index)
{
	const GArray *sentences = reading->talk->sentences;
	const Sentence *asking = &g_array_index(sentences, Sentence, index);
	guint last = index;

	for (guint n = 0; n < NEAR_SENTENCES && last + 1 < sentences->len; last++)
		n += !g_array_index(sentences, Sentence, last + 1).sample;
	gsize end = g_array_index(sentences, Sentence, last).end;

	take_targets(request, reading->talk->talk, asking->start, end);
	take_footnotes(request, reading->talk->talk, asking->text);
	if (request->repo || request->links[0] || request->commits->len > 0 || index == 0)
		return;
	/* "Should be fixed by URL.  Please test." */
	gsize start = g_array_index(sentences, Sentence, index - 1).start;
	take_targets(request, reading->talk->talk, start, asking->start);
}

/* "Can you try reverting HASH": the hashes of the sentence, or of the one behind its colon. */
static bool find_revert(Request *request, const Reading *reading, guint index, const char *change)
{
	const GArray *sentences = reading->talk->sentences;

	if (!change || g_ascii_strncasecmp(change, "revert", 6) != 0)
		return false;
	take_hashes(request, g_array_index(sentences, Sentence, index).text);
	if (request->commits->len == 0 && index + 1 < sentences->len)
		take_hashes(request, g_array_index(sentences, Sentence, index + 1).text);
	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *commit = request->commits->pdata[i];
		g_autofree char *word = g_strdup_printf("revert %s", commit->sha);
		add_word(&request->modifiers, word);
	}
	return request->commits->len > 0;
}

static bool find_target(Request *request, const Reading *reading, guint index)
{
	const char *sentence = g_array_index(reading->talk->sentences, Sentence, index).text;
	g_autofree char *change = ask_change(sentence);

	request->base_hint = ask_base_hint(sentence);
	if (find_revert(request, reading, index, change))
		return request->runnable = true;
	if (reading_has_own_patch(reading)) {
		request->patch_location = patch_place(reading->patch);
		return request->runnable = true;
	}
	find_near(request, reading, index);
	if (request->links[0])
		request->patch_location = REQUEST_PATCH_LINK;
	if (request->repo || request->links[0] || request->commits->len > 0)
		return request->runnable = true;
	if (change)
		add_word(&request->modifiers, change);
	if (reading->patch && ask_names_patch(sentence)) {
		request->patch_location = REQUEST_PATCH_QUOTED;
		return request->runnable = true;
	}
	if (reading_is_review(reading)) {
		request->patch_location = REQUEST_PATCH_PARENT;
		request->runnable = ask_names_robot(sentence);
		if (request->runnable)
			return true;
		request->patch_location = REQUEST_PATCH_NONE;
		return request->base_hint && ask_is_again(sentence);
	}
	return change || request->base_hint || ask_names_patch(sentence) || ask_is_again(sentence);
}

static void ask_test(Request *request, const Reading *reading, guint index)
{
	const char *sentence = g_array_index(reading->talk->sentences, Sentence, index).text;

	if (!find_target(request, reading, index)) {
		decide(request, REQUEST_NONE, false,
		       "a test is asked for, but of nothing of the writer's");
		return;
	}
	bool again = !reading_has_own_patch(reading) &&
		     request->patch_location == REQUEST_PATCH_NONE && !request->repo &&
		     request->commits->len == 0 && ask_is_again(sentence);
	decide(request, again ? REQUEST_RETEST : REQUEST_TEST, true, "the writer asks for a test");
}

static void take_own_patch(Request *request, const Reading *reading, const char *why)
{
	request->patch_location = patch_place(reading->patch);
	request->runnable = true;
	decide(request, REQUEST_TEST, true, why);
}

/* Returns: true when the sentence settles the matter */
static bool read_sentence(Request *request, const Reading *reading, guint index,
			  const char *greeted)
{
	const Sentence *sentence = &g_array_index(reading->talk->sentences, Sentence, index);
	AskKind kind = sentence->sample ? ASK_NONE : ask_kind(sentence->text);

	if (kind == ASK_NONE || !reading_means_us(reading, index, greeted))
		return false;
	bool answers_tester = reading_has_own_patch(reading) && !reading_is_review(reading);
	if (kind == ASK_TEST)
		ask_test(request, reading, index);
	else if (kind == ASK_QUESTION && answers_tester)
		take_own_patch(request, reading, "the writer asks whether his patch helps");
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
		decide(request, REQUEST_NONE, false, "it posts a patch to everybody");
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

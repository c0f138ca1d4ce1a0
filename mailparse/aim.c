/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/aim.h"

#include "mailparse/ask.h"
#include "mailparse/pattern.h"
#include "mailparse/targets.h"
#include "mailparse/wish.h"

#include <string.h>

#define ASIDE_MAX_WORDS 4u /* of a sentence that says nothing of its own */
#define NEAR_MOST 12u      /* with what does not count */
#define NEAR_SENTENCES 2u  /* how far behind the request its target may stand */

RequestPatch aim_patch_place(const Patch *patch)
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

void aim_default(Request *request, const Reading *reading)
{
	bool named = request->repo != NULL;

	/* A branch that is named holds the work; only a patch of this very mail goes on top. */
	if (!named || reading_has_own_patch(reading))
		request->patch_location = aim_patch_place(reading->patch);
	if (named || request->patch_location != REQUEST_PATCH_NONE)
		return;
	if (reading_is_cover(reading))
		request->patch_location = REQUEST_PATCH_CHILDREN;
	else if (reading_answers_patch(reading))
		request->patch_location = REQUEST_PATCH_PARENT;
}

static bool has_target(const Request *request)
{
	return request->repo || request->links[0] || request->commits->len > 0;
}

/* From the sentence at @first to where the one at @last ends; @asking is one of them. */
static void take_between(Request *request, const AskText *talk, guint first, guint last,
			 guint asking)
{
	const GArray *sentences = talk->sentences;
	gsize start = g_array_index(sentences, Sentence, first).start;
	gsize end = g_array_index(sentences, Sentence, last).end;

	targets_take_lines(request, talk, start, end);
	for (guint i = first; i <= last; i++) {
		const char *sentence = g_array_index(sentences, Sentence, i).text;
		if (i == asking || ask_names_patch(sentence))
			targets_take_footnotes(request, talk, sentence);
		targets_take_ids(request, sentence);
		targets_take_branch(request, sentence);
	}
}

/* "Thanks in advance!", a bare URL, a sample: they do not lead away from what was asked. */
static bool is_aside(const Sentence *sentence)
{
	guint n_blanks = 0;

	for (const char *at = sentence->text; *at; at++)
		n_blanks += *at == ' ';
	return sentence->sample || n_blanks < ASIDE_MAX_WORDS;
}

/* The last sentence that may belong to the one at @index. */
static guint last_near(const GArray *sentences, guint index)
{
	guint last = index;

	for (guint n = 0; last + 1 < sentences->len && last < index + NEAR_MOST; last++) {
		bool aside = is_aside(&g_array_index(sentences, Sentence, last + 1));
		if (!aside && n == NEAR_SENTENCES)
			break;
		n += !aside;
	}
	return last;
}

/* The first that it may look back to: what is shown above, and what was said of a patch. */
static guint first_near(const GArray *sentences, guint index)
{
	guint first = index - 1;

	for (guint n = 0; first > 0 && first + NEAR_MOST > index && n < NEAR_SENTENCES; first--) {
		const Sentence *above = &g_array_index(sentences, Sentence, first - 1);
		if (!above->sample && !ask_names_patch(above->text))
			break;
		n += !above->sample;
	}
	return first;
}

/* Is there anything to test near the sentence that asks for it?  Fills @request in. */
static void find_near(Request *request, const Reading *reading, guint index)
{
	const GArray *sentences = reading->talk->sentences;
	const char *asking = g_array_index(sentences, Sentence, index).text;

	take_between(request, reading->talk, index, last_near(sentences, index), index);
	targets_take_commits(request, asking);
	if (!has_target(request))
		targets_take_pull(request, reading->talk);
	/* "Should be fixed by URL.  Please test." */
	if (!has_target(request) && index > 0) {
		take_between(request, reading->talk, first_near(sentences, index), index, index);
		targets_take_commits(request, g_array_index(sentences, Sentence, index - 1).text);
	}
	if (request->repo && !request->branch && index > 0)
		targets_take_branch(request, g_array_index(sentences, Sentence, index - 1).text);
}

/* "Can you try reverting HASH": the hashes of the sentence, or of the one behind its colon. */
static bool find_revert(Request *request, const Reading *reading, guint index, const char *change)
{
	const GArray *sentences = reading->talk->sentences;

	if (!change || g_ascii_strncasecmp(change, "revert", 6) != 0)
		return false;
	targets_take_hashes(request, g_array_index(sentences, Sentence, index).text);
	if (request->commits->len == 0 && index + 1 < sentences->len)
		targets_take_hashes(request, g_array_index(sentences, Sentence, index + 1).text);
	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *commit = request->commits->pdata[i];
		g_autofree char *word = g_strdup_printf("revert %s", commit->sha);
		targets_add_wish(request, word);
	}
	return request->commits->len > 0;
}

/* "Can you test v6.9-rc3?"; who says so in a review asks the patch's author. */
static bool find_release(Request *request, const Reading *reading, guint index)
{
	const GArray *sentences = reading->talk->sentences;
	const char *sentence = g_array_index(sentences, Sentence, index).text;

	if (reading_is_review(reading) && !ask_names_robot(sentence))
		return false;
	return targets_take_tag(request, sentence) ||
	       (index > 0 &&
		pattern_matches("\\bthat (?:tag|release|version|kernel|one)\\b", sentence) &&
		targets_take_tag(request, g_array_index(sentences, Sentence, index - 1).text));
}

/* "I'll send the fix in reply to this mail.  Please test it." */
static bool find_children(Request *request, const Reading *reading, guint index)
{
	const GArray *sentences = reading->talk->sentences;

	for (guint i = index > 0 ? index - 1 : 0; i <= index; i++) {
		if (!pattern_matches(
			    "\\b(?:patch(?:es)?|series|fix(?:es)?|set|v\\d+)\\b.{0,60}\\b(?:in "
			    "repl(?:y|ies)"
			    "|as (?:a )?repl(?:y|ies)|follow(?:s|ing)?(?: up)? (?:to )?this)\\b"
			    "|\\bin the repl(?:y|ies) to this\\b",
			    g_array_index(sentences, Sentence, i).text))
			continue;
		request->patch_location = REQUEST_PATCH_CHILDREN;
		return true;
	}
	return false;
}

/* "I updated my branch, can you try it now?": below a patch its author speaks so, not a reviewer.
 */
static bool speaks_of_own_work(const Reading *reading, guint index)
{
	const GArray *sentences = reading->talk->sentences;

	for (guint i = index > 0 ? index - 1 : 0; i <= index; i++) {
		if (pattern_matches("\\bi(?:'ve| have)? (?:just |now "
				    ")?(?:re-?pushed|pushed|updated|uploaded|force-pushed"
				    "|rebased)\\b.{0,60}\\b(?:branch|tree|repo|git|series|patch(?:"
				    "es)?|it)\\b",
				    g_array_index(sentences, Sentence, i).text))
			return true;
	}
	return false;
}

/* "Could you give it a try?": what was said above, in words; "try that" are as often his steps. */
static bool points_at_talk(const char *sentence)
{
	return pattern_matches("\\bgiv(?:e|ing) (?:it|this|that) (?:a|another)\\b", sentence);
}

bool aim_is_near(Request *request, const Reading *reading, guint index)
{
	find_near(request, reading, index);
	return has_target(request) || find_release(request, reading, index);
}

bool aim_find(Request *request, const Reading *reading, guint index)
{
	const char *sentence = g_array_index(reading->talk->sentences, Sentence, index).text;
	g_autofree char *change = ask_change(sentence);

	request->base_hint = ask_base_hint(sentence);
	if (find_revert(request, reading, index, change))
		return request->runnable = true;
	if (reading_has_own_patch(reading)) {
		request->patch_location = aim_patch_place(reading->patch);
		return request->runnable = true;
	}
	find_near(request, reading, index);
	if (request->links[0])
		request->patch_location = REQUEST_PATCH_LINK;
	if (has_target(request))
		return request->runnable = true;
	if (change)
		targets_add_wish(request, change);
	if (find_release(request, reading, index) || find_children(request, reading, index))
		return request->runnable = true;
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
		return (request->base_hint && ask_is_again(sentence)) ||
		       speaks_of_own_work(reading, index);
	}
	return change || request->base_hint || ask_names_patch(sentence) ||
	       ask_is_again(sentence) || points_at_talk(sentence);
}

/* Below the sentence that asks he may go on: "Please use ...", "And boot with ...". */
static bool goes_on_asking(const char *sentence)
{
	return pattern_matches(
		"^(?:and |also |but |then |please |pls |you |if possible,? ){0,3}"
		"(?:use|using|boot|enable|disable|set|run|mount|with|add|make sure|need to"
		"|build|repeat|try)\\b",
		sentence);
}

guint aim_take_wishes(Request *request, const Reading *reading, guint index)
{
	const GArray *sentences = reading->talk->sentences;
	guint n = 0;

	for (guint i = index; i < sentences->len && i <= index + NEAR_SENTENCES; i++) {
		const Sentence *sentence = &g_array_index(sentences, Sentence, i);
		if (sentence->sample || (i > index && !goes_on_asking(sentence->text)))
			continue;
		g_auto(GStrv) wishes = wish_read(sentence->text);
		for (gsize k = 0; wishes[k]; k++, n++)
			targets_add_wish(request, wishes[k]);
	}
	return n;
}

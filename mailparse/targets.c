/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/targets.h"

#include "mailparse/line.h"
#include "mailparse/pattern.h"
#include "mailparse/target.h"
#include "mailparse/url.h"

#include <string.h>

#define MAX_TARGETS 50u

#define HASH "\\b([0-9a-f]{7,40})\\b"

/* ---- what is known is not added again ---- */

static void add_word(GStrv *words, const char *word)
{
	gsize n = g_strv_length(*words);

	if (n >= MAX_TARGETS || g_strv_contains((const char *const *)*words, word))
		return;
	*words = g_renew(char *, *words, n + 2);
	(*words)[n] = g_strdup(word);
	(*words)[n + 1] = NULL;
}

void targets_add_link(Request *request, const char *link)
{
	add_word(&request->links, link);
}

void targets_add_wish(Request *request, const char *wish)
{
	add_word(&request->modifiers, wish);
}

void targets_add_commit(Request *request, const char *sha, const char *subject)
{
	for (guint i = 0; i < request->commits->len; i++) {
		RequestCommit *known = request->commits->pdata[i];
		if (g_ascii_strcasecmp(known->sha, sha) != 0)
			continue;
		if (!known->subject)
			known->subject = g_strdup(subject);
		return;
	}
	if (request->commits->len >= MAX_TARGETS)
		return;
	RequestCommit *commit = g_new0(RequestCommit, 1);
	commit->sha = g_strdup(sha);
	commit->subject = g_strdup(subject);
	g_ptr_array_add(request->commits, commit);
}

static void add_source(Request *request, const char *url, const char *ref)
{
	for (guint i = 0; i < request->sources->len; i++) {
		RequestSource *known = request->sources->pdata[i];
		if (strcmp(known->url, url) != 0 || (ref && known->ref && strcmp(known->ref, ref)))
			continue;
		if (!known->ref)
			known->ref = g_strdup(ref);
		return;
	}
	if (request->sources->len >= MAX_TARGETS)
		return;
	RequestSource *source = g_new0(RequestSource, 1);
	source->url = g_strdup(url);
	source->ref = g_strdup(ref);
	g_ptr_array_add(request->sources, source);
}

static void add_repo(Request *request, const char *written, const char *url, const char *ref)
{
	add_source(request, url, ref);
	if (!request->repo) {
		request->repo = g_strdup(written);
		request->branch = g_strdup(ref);
	} else if (!request->branch && strcmp(request->repo, written) == 0) {
		request->branch = g_strdup(ref);
	}
	if (ref && target_is_hash(ref))
		targets_add_commit(request, ref, NULL);
}

void targets_add_url(Request *request, const char *url, const char *branch)
{
	g_autofree char *repo = NULL;
	g_autofree char *ref = NULL;
	UrlKind kind = url_read(url, &repo, &ref);

	if (kind == URL_REPO)
		add_repo(request, url, repo, ref ? ref : branch);
	if (!url_is_link(kind))
		return;
	targets_add_link(request, url);
	if (kind == URL_COMMIT && ref && target_is_hash(ref))
		targets_add_commit(request, ref, NULL);
	if (repo && ref)
		add_source(request, repo, ref);
}

void targets_add_repo(Request *request, const char *repo, const char *branch)
{
	g_autofree char *url = NULL;
	g_autofree char *ref = NULL;

	(void)url_read(repo, &url, &ref);
	add_repo(request, repo, url ? url : repo, branch ? branch : ref);
}

/* ---- lines ---- */

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

/* "for-next", "v6.9", "ann/topic": hardly a word of prose. */
static bool looks_like_ref(const char *word)
{
	return target_is_ref(word) && strpbrk(word, "-_/.0123456789") != NULL;
}

static bool is_noun_of_ref(const char *word)
{
	static const char *const nouns[] = {"branch", "tag", "branches", "tags", "repo",
					    "tree",   "and", "or",       "git"};

	for (gsize i = 0; i < G_N_ELEMENTS(nouns); i++) {
		if (g_ascii_strcasecmp(word, nouns[i]) == 0)
			return true;
	}
	return false;
}

/* What stands behind a repository on its line: "URL BRANCH", "git fetch URL BRANCH && ...". */
static char *branch_behind(Line rest)
{
	Line word = next_word(&rest);
	g_autofree char *raw = g_strndup(word.text, word.len);
	g_autofree char *branch = target_trim(raw);
	bool last = next_word(&rest).len == 0;

	if (is_noun_of_ref(branch) || !target_is_ref(branch))
		return NULL;
	return last || looks_like_ref(branch) ? g_steal_pointer(&branch) : NULL;
}

/* A line that holds but a ref, below one that ends in a repository. */
static char *branch_below(Line line)
{
	g_autofree char *branch = branch_behind(line);

	return branch && looks_like_ref(branch) ? g_steal_pointer(&branch) : NULL;
}

static void take_urls(Request *request, Line line, Line below)
{
	if (is_trailer(&line))
		return;
	for (Line word = next_word(&line); word.len > 0; word = next_word(&line)) {
		g_autofree char *raw = g_strndup(word.text, word.len);
		g_autofree char *url = target_trim(raw);
		if (!url_is(url))
			continue;
		Line rest = line;
		bool ends = next_word(&rest).len == 0;
		g_autofree char *branch = ends ? branch_below(below) : branch_behind(line);
		targets_add_url(request, url, branch);
	}
}

/* "- ", "* ", "A) ", "1. " */
static bool is_bullet(const Line *word)
{
	return word->len > 0 && word->len <= 3 && !g_ascii_isxdigit(word->text[word->len - 1]) &&
	       strchr("-*.):+", word->text[word->len - 1]);
}

/* `  1234567890ab ("subject")`, "- commit 1234567890ab ...", alone on its line. */
static void take_commit(Request *request, Line line)
{
	Line word = next_word(&line);

	if (is_bullet(&word))
		word = next_word(&line);
	if (word.len == 6 && line_starts_nocase(&word, "commit"))
		word = next_word(&line);
	g_autofree char *sha = g_strndup(word.text, word.len);

	while (line.len > 0 && line.text[0] == ' ')
		line = line_after(line, 1);
	line = line_chomp(line);
	if (!target_is_hash(sha) || !line_starts(&line, "(\""))
		return;
	Line subject = line_after(line, 2);
	const char *end = memmem(subject.text, subject.len, "\")", 2);
	gsize len = end ? (gsize)(end - subject.text) : 0;
	if (end && len + 2 != subject.len)
		return; /* prose goes on behind it */
	g_autofree char *text = end ? g_strndup(subject.text, len) : NULL;
	targets_add_commit(request, sha, text);
}

/* The footnote that begins at @pos of the talk; NULL. */
static const Footnote *footnote_at(const AskText *text, gsize pos)
{
	for (guint i = 0; i < text->footnotes->len; i++) {
		const Footnote *note = &g_array_index(text->footnotes, Footnote, i);
		if (note->line == pos)
			return note;
	}
	return NULL;
}

void targets_take_lines(Request *request, const AskText *text, gsize from, gsize to)
{
	const GString *talk = text->talk;
	Line line;

	for (gsize at = from; line_next(talk->str, to, &at, &line);) {
		Line below = {.text = ""};
		gsize next = at;
		(void)line_next(talk->str, talk->len, &next, &below);
		/* Where there are marks in what is said, only who names this one means the URL. */
		if (!text->has_marks || !footnote_at(text, (gsize)(line.text - talk->str)))
			take_urls(request, line, below);
		take_commit(request, line);
	}
}

/* What git-request-pull(1) writes. */
void targets_take_pull(Request *request, const AskText *text)
{
	const GString *talk = text->talk;
	static const char at[] = "are available in the Git repository at:";
	static const char up_to[] = "\nfor you to fetch changes up to ";
	const char *repo = strstr(talk->str, at);
	const char *tip = repo ? strstr(repo, up_to) : NULL;

	if (!tip)
		return;
	targets_take_lines(request, text, (gsize)(repo - talk->str) + strlen(at),
			   (gsize)(tip - talk->str));
	tip += strlen(up_to);
	g_autofree char *sha = g_strndup(tip, strcspn(tip, ": \n"));
	if (target_is_hash(sha))
		targets_add_commit(request, sha, NULL);
}

static void take_footnote(Request *request, const GString *talk, const Footnote *note)
{
	gsize at = note->text;
	Line line, below = {.text = ""};

	if (!line_next(talk->str, talk->len, &at, &line))
		return;
	(void)line_next(talk->str, talk->len, &at, &below);
	/* The URL may be too long for the line of its mark. */
	take_urls(request, line_is_blank(&line) ? below : line, below);
}

void targets_take_footnotes(Request *request, const AskText *text, const char *sentence)
{
	for (const char *mark = strchr(sentence, '['); mark; mark = strchr(mark + 1, '[')) {
		guint64 number = g_ascii_strtoull(mark + 1, NULL, 10);
		for (guint i = 0; number > 0 && i < text->footnotes->len; i++) {
			const Footnote *note = &g_array_index(text->footnotes, Footnote, i);
			if (note->number == number)
				take_footnote(request, text->talk, note);
		}
	}
}

/* ---- words of a sentence ---- */

void targets_take_hashes(Request *request, const char *sentence)
{
	g_auto(GStrv) words = g_strsplit(sentence, " ", -1);

	for (gsize i = 0; words[i]; i++) {
		g_autofree char *word = target_trim(words[i]);
		if (target_is_hash(word))
			targets_add_commit(request, word, NULL);
	}
}

/* The groups of each match of @pattern are handed to @take until it returns true. */
typedef bool (*TakeMatch)(Request *request, const GMatchInfo *info);

static bool each_match(Request *request, const char *pattern, const char *text, TakeMatch take)
{
	g_autoptr(GMatchInfo) info = NULL;
	bool taken = false;

	g_regex_match(pattern_get(pattern), text, 0, &info);
	for (; !taken && g_match_info_matches(info); g_match_info_next(info, NULL))
		taken = take(request, info);
	return taken;
}

static bool take_named_commit(Request *request, const GMatchInfo *info)
{
	g_autofree char *sha = g_match_info_fetch(info, 1);
	g_autofree char *subject = g_match_info_fetch(info, 2);

	if (target_is_hash(sha))
		targets_add_commit(request, sha, subject && subject[0] ? subject : NULL);
	return false;
}

void targets_take_commits(Request *request, const char *sentence)
{
	/* Not "the regression from HASH", nor "on top of HASH". */
	each_match(request,
		   "(?:(?<!from |since|.. by |.. in |.. of |fore |fter |than |. on |ainst |evert "
		   "|rting "
		   ")\\bcommits? "
		   "(?:id "
		   ")?|\\b(?:test|try|run|testing|trying|running|apply|applying|picking|pick|with"
		   "|whether|if|and|plus|,) )[<(\"'`]?(?:\\[\\d+\\])?" HASH
		   "(?: \\(\"([^\"]{1,200})\"\\))?",
		   sentence, take_named_commit);
}

static bool take_id(Request *request, const GMatchInfo *info)
{
	g_autofree char *id = g_match_info_fetch(info, 1);

	targets_add_link(request, id);
	return false;
}

void targets_take_ids(Request *request, const char *sentence)
{
	/* "<20240506-foo@example.org>" is no address of a person: so many digits none has. */
	each_match(request,
		   "(?:message[- "
		   "]?id|msgid|mid|patch(?:es|set)?|series|fix|posted|sent|thread|as|at|in"
		   "|from|v\\d+)[:=]? <?((?=\\S*(?:\\d[^\\s\\d@]{0,3}){6})[^\\s<>@]{8,200}"
		   "@[^\\s<>@/]{1,100}[^\\s<>@/.,;:!?)])>?",
		   sentence, take_id);
}

/* "the foo branch", but not "the same branch". */
static bool is_prose(const char *word)
{
	static const char *const words[] = {
		"a",       "above",       "all",     "also",     "an",       "and",      "any",
		"as",      "at",          "been",    "below",    "both",     "but",      "by",
		"can",     "contains",    "could",   "current",  "each",     "entire",   "every",
		"first",   "following",   "for",     "from",     "git",      "has",      "have",
		"head",    "here",        "his",     "holds",    "if",       "in",       "is",
		"it",      "its",         "last",    "latest",   "link",     "my",       "name",
		"named",   "new",         "newest",  "now",      "of",       "on",       "only",
		"or",      "other",       "our",     "own",      "patch",    "please",   "private",
		"public",  "right",       "same",    "second",   "separate", "should",   "so",
		"special", "that",        "the",     "their",    "there",    "these",    "this",
		"to",      "too",         "topic",   "tree",     "updated",  "upstream", "was",
		"we",      "where",       "which",   "whole",    "will",     "with",     "work",
		"working", "would",       "wrong",   "you",      "your",     "fix",      "test",
		"dev",     "development", "feature", "temporary"};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		if (g_ascii_strcasecmp(word, words[i]) == 0)
			return true;
	}
	return g_str_has_suffix(word, "ed") && !looks_like_ref(word);
}

static bool take_branch(Request *request, const GMatchInfo *info)
{
	g_autofree char *quote = g_match_info_fetch(info, 1);
	g_autofree char *raw = g_match_info_fetch(info, 2);
	g_autofree char *ref = target_trim(raw);

	if (!target_is_ref(ref) || (quote[0] == '\0' && is_prose(ref)))
		return false;
	targets_add_url(request, request->repo, ref);
	return true;
}

void targets_take_branch(Request *request, const char *text)
{
	static const char *const patterns[] = {
		"\\b(?:clone|checkout|fetch|worktree)\\b.{0,80} (-)(?:b|-branch)[ =]([^\\s,;]+)",
		"\\b(?:branch|tag)(?: (?:is|named|called|name))?[:=]? ?([\"'`\\x{2018}\\x{201c}]?)"
		"([^\\s\"'`\\x{2019}\\x{201d},;)]+)",
		"([\"'`\\x{2018}\\x{201c}]?)([^\\s\"'`\\x{2019}\\x{201d}(]+)[\"'`\\x{2019}\\x{201d}"
		"]?"
		"[ -](?:branch|tag)\\b",
	};

	if (!request->repo || request->branch)
		return;
	for (gsize i = 0; i < G_N_ELEMENTS(patterns); i++) {
		if (each_match(request, patterns[i], text, take_branch))
			return;
	}
}

static bool take_tag(Request *request, const GMatchInfo *info)
{
	if (!request->branch)
		request->branch = g_match_info_fetch(info, 1);
	return true;
}

bool targets_take_tag(Request *request, const char *sentence)
{
	return each_match(request,
			  "(?<!top of |ainst |sed on |since |from |fore |than |fter )"
			  "\\b(v\\d+\\.\\d+(?:\\.\\d+)?(?:-rc\\d+)?|next-20\\d{6})\\b",
			  sentence, take_tag);
}

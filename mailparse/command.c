/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/command.h"

#include "mailparse/line.h"
#include "mailparse/patchtext.h"
#include "mailparse/shown.h"
#include "mailparse/target.h"
#include "mailparse/url.h"
#include "mailparse/voice.h"

#include <string.h>

#define ROBOT "lorebot"
#define MAX_INDENT 1u /* pasted commands often keep a blank in front */
#define MAX_ARGUMENTS 16u
#define WANTED_ARGUMENTS 2u
#define PARAGRAPH_MAX_BYTES 600u /* of what may introduce an example */

typedef struct {
	VoiceWalk walk;
	bool any_robot;
	bool in_diff;
	bool documents;     /* the mail's own diff holds a command: it is about them  */
	GString *paragraph; /* the writer's last lines that are no command            */
	bool gap;           /* a blank line stands between it and what follows        */
	FormalCommand *kept;
	/* a run of commands, with no more than "or" between them */
	GPtrArray *run; /* (element-type FormalCommand) */
	bool run_is_shown;
	Line above; /* the line right above, blank or not           */
	bool cut;   /* scissors stand above: what follows is a patch */
} Scanner;

static Line skip_blanks(Line line)
{
	while (line.len > 0 && (line.text[0] == ' ' || line.text[0] == '\t'))
		line = line_after(line, 1);
	return line;
}

static Line take_word(Line *line)
{
	*line = skip_blanks(*line);
	Line word = {.text = line->text, .len = 0};
	while (word.len < line->len && !g_ascii_isspace(line->text[word.len]))
		word.len++;
	*line = line_after(*line, word.len);
	return word;
}

static bool line_equals(const Line *line, const char *text)
{
	return line->len == strlen(text) && g_ascii_strncasecmp(line->text, text, line->len) == 0;
}

static bool is_robot_name(const Line *name, bool any_robot)
{
	static const char *const directives[] = {"define", "undef", "include", "if",    "ifdef",
						 "ifndef", "elif",  "error",   "pragma"};

	if (line_equals(name, ROBOT))
		return true;
	if (!any_robot || name->len == 0 || !g_ascii_isalpha(name->text[0]))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(directives); i++) {
		if (line_equals(name, directives[i]))
			return false;
	}
	for (gsize i = 0; i < name->len; i++) {
		if (!g_ascii_isalnum(name->text[i]) && name->text[i] != '-')
			return false;
	}
	return true;
}

static bool kind_of_verb(const Line *verb, RequestKind *out_kind)
{
	static const struct {
		const char *word;
		RequestKind kind;
	} verbs[] = {
		{"test", REQUEST_TEST},     {"retest", REQUEST_RETEST}, {"re-test", REQUEST_RETEST},
		{"cancel", REQUEST_CANCEL}, {"stop", REQUEST_STOP},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (line_equals(verb, verbs[i].word)) {
			*out_kind = verbs[i].kind;
			return true;
		}
	}
	*out_kind = REQUEST_NONE;
	return verb->len > 0 && g_ascii_isalpha(verb->text[0]);
}

/* "#robot verb", maybe "verb:"; on success @line is what follows. */
static bool take_head(Line *line, bool any_robot, RequestKind *out_kind)
{
	if (!line_starts(line, "#") || line_starts(line, "# "))
		return false;
	Line rest = line_after(*line, 1);
	Line name = take_word(&rest);
	if (!is_robot_name(&name, any_robot))
		return false;
	Line verb = take_word(&rest);
	if (verb.len > 0 && verb.text[verb.len - 1] == ':')
		verb.len--;
	if (!kind_of_verb(&verb, out_kind))
		return false;
	rest = skip_blanks(rest);
	if (line_starts(&rest, ":"))
		rest = line_after(rest, 1);
	*line = rest;
	return true;
}

static void take_arguments(Line line, GPtrArray *words)
{
	for (Line word = take_word(&line); word.len > 0 && words->len < MAX_ARGUMENTS;
	     word = take_word(&line))
		g_ptr_array_add(words, g_strndup(word.text, word.len));
}

static bool is_option(const char *word)
{
	const char *equals = strchr(word, '=');

	if (!equals || !g_ascii_isalpha(word[0]) || equals[1] == '\0')
		return false;
	for (const char *c = word; c < equals; c++) {
		if (!g_ascii_isalnum(*c) && *c != '_' && *c != '-' && *c != '.')
			return false;
	}
	return true;
}

static guint count_positional(const GPtrArray *words)
{
	guint n = 0;

	for (guint i = 0; i < words->len; i++)
		n += !is_option(words->pdata[i]);
	return n;
}

static bool is_link(const char *word)
{
	g_autofree char *repo = NULL;
	g_autofree char *ref = NULL;

	return url_is_link(url_read(word, &repo, &ref));
}

static bool is_message_id(const char *word)
{
	return strchr(word, '@') && !strstr(word, "://") && !g_str_has_prefix(word, "git@");
}

/*
 * Does the next line go on with the arguments?  It must look like nothing else: an URL where none
 * is yet, or a lone ref behind one.
 */
static bool continues(const GPtrArray *words, Line next)
{
	Line rest = next;
	Line first = take_word(&rest);
	g_autofree char *word = g_strndup(first.text, first.len);
	guint n = count_positional(words);

	if (n == 0)
		return url_is(word);
	for (guint i = 0; i < words->len; i++) {
		if (is_link(words->pdata[i]) || is_message_id(words->pdata[i]))
			return false;
	}
	return n < WANTED_ARGUMENTS && skip_blanks(rest).len == 0 && target_is_ref(word);
}

static bool is_sample_word(const char *word)
{
	static const char *const samples[] = {
		"REPO", "BRANCH", "LINK", "URL", "git://repo/address.git", "branch-or-commit-hash"};

	for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
		if (strcmp(word, samples[i]) == 0)
			return true;
	}
	return (word[0] == '<' || word[0] == '[') && !strchr(word, '@');
}

static bool is_sample(const GPtrArray *words)
{
	for (guint i = 0; i < words->len; i++) {
		if (is_sample_word(words->pdata[i]))
			return true;
	}
	return false;
}

/* A tree's name in the repository's place, told from prose by what words never are. */
static bool is_tree_name(const char *word)
{
	static const char *const prose[] = {"the",     "this",  "that", "it", "please", "again",
					    "with",    "on",    "my",   "to", "for",    "and",
					    "command", "if",    "your", "is", "in",     "of",
					    "a",       "patch", "was"};

	for (gsize i = 0; i < G_N_ELEMENTS(prose); i++) {
		if (g_ascii_strcasecmp(word, prose[i]) == 0)
			return false;
	}
	return target_is_ref(word);
}

static GStrv take_options(const GPtrArray *words)
{
	g_autoptr(GStrvBuilder) options = g_strv_builder_new();

	for (guint i = 0; i < words->len; i++) {
		if (is_option(words->pdata[i]) && !url_is(words->pdata[i]))
			g_strv_builder_add(options, words->pdata[i]);
	}
	return g_strv_builder_end(options);
}

/* Sorts the arguments; an unusable command is answered with an error by whoever obeys it. */
static void settle(FormalCommand *command, const GPtrArray *words)
{
	const char *positional[WANTED_ARGUMENTS + 1] = {NULL};
	guint n = 0;

	command->options = take_options(words);
	for (guint i = 0; i < words->len && n <= WANTED_ARGUMENTS; i++) {
		if (!is_option(words->pdata[i]) || url_is(words->pdata[i]))
			positional[n++] = words->pdata[i];
	}
	if (n == 0 || command->kind == REQUEST_NONE) {
		command->usable = command->kind != REQUEST_NONE;
		return;
	}
	if (is_link(positional[0]) || is_message_id(positional[0])) {
		command->link = target_trim(positional[0]);
		command->usable = true;
		return;
	}
	bool url = url_is(positional[0]);
	bool named = !url && n == 2 && is_tree_name(positional[0]);
	if (!url && !named)
		return;
	command->usable = n == 1 || target_is_ref(positional[1]);
	command->repo = g_strdup(positional[0]);
	command->branch = command->usable ? g_strdup(positional[1]) : NULL;
}

static FormalCommand *formal_command_new(RequestKind kind, const char *text, gsize len)
{
	FormalCommand *command = g_new0(FormalCommand, 1);

	command->kind = kind;
	command->text = g_strndup(text, len);
	g_strchomp(command->text);
	return command;
}

/* What is set off further is an example. */
static bool stands_at_the_margin(const Line *line)
{
	gsize indent = 0;

	while (indent < line->len && line->text[indent] == ' ')
		indent++;
	return indent <= MAX_INDENT;
}

/* "#lorebot test is how ...", "`#lorebot test`": spoken of. */
static bool is_spoken_of(const GPtrArray *words)
{
	static const char *const verbs[] = {"is",    "was",   "does",   "did",   "works", "worked",
					    "fails", "would", "will",   "means", "has",   "should",
					    "can",   "could", "itself", "failed"};

	for (gsize i = 0; words->len > 0 && i < G_N_ELEMENTS(verbs); i++) {
		if (g_ascii_strcasecmp(words->pdata[0], verbs[i]) == 0)
			return true;
	}
	for (guint i = 0; i < words->len; i++) {
		if (strpbrk(words->pdata[i], "`\""))
			return true;
	}
	return false;
}

/* Returns: NULL when @line holds no command; @out_shown: it has the marks of an example */
static FormalCommand *read_command(Line line, Scanner *scanner, bool *out_shown)
{
	RequestKind kind;
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
	Line rest = skip_blanks(line);

	if (!stands_at_the_margin(&line) || !take_head(&rest, scanner->any_robot, &kind))
		return NULL;
	take_arguments(rest, words);
	g_autoptr(GString) text = g_string_new_len(line.text, (gssize)line.len);
	g_string_truncate(text, strlen(g_strchomp(text->str)));

	VoiceWalk ahead = scanner->walk;
	Voice voice;
	Line next;
	while (kind != REQUEST_NONE && count_positional(words) < WANTED_ARGUMENTS &&
	       voice_walk_next(&ahead, &next, &voice) && voice_is_own(voice) &&
	       continues(words, next)) {
		take_arguments(next, words);
		g_string_append_c(text, '\n');
		g_string_append_len(text, next.text, (gssize)next.len);
		scanner->walk = ahead;
	}
	*out_shown = is_sample(words) || is_spoken_of(words);

	FormalCommand *command = formal_command_new(kind, text->str, text->len);
	settle(command, words);
	return command;
}

/* Keeps the first command that asks for something, else the first. */
static void keep(FormalCommand **kept, FormalCommand *found)
{
	bool better = !*kept || ((*kept)->kind == REQUEST_NONE && found->kind != REQUEST_NONE);

	if (!better) {
		formal_command_free(found);
		return;
	}
	formal_command_free(*kept);
	*kept = found;
}

static void end_run(Scanner *scanner)
{
	for (guint i = 0; i < scanner->run->len; i++) {
		if (scanner->run_is_shown)
			formal_command_free(scanner->run->pdata[i]);
		else
			keep(&scanner->kept, scanner->run->pdata[i]);
	}
	g_ptr_array_set_size(scanner->run, 0);
	scanner->run_is_shown = false;
}

static bool line_is_code(const Line *line)
{
	if (line->len == 0)
		return false;
	g_autofree char *text = g_strndup(line->text, MIN(line->len, 80));
	return shown_by_code(g_strstrip(text));
}

static void add_to_run(Scanner *scanner, FormalCommand *command, bool shown)
{
	if (scanner->run->len == 0)
		scanner->run_is_shown = shown_by_what_stands_above(scanner->paragraph->str) ||
					scanner->cut || line_is_code(&scanner->above);
	scanner->run_is_shown |= shown;
	g_ptr_array_add(scanner->run, command);
}

/* A line that is no command. */
static void add_to_paragraph(Scanner *scanner, const Line *line)
{
	g_autofree char *text = g_strndup(line->text, MIN(line->len, PARAGRAPH_MAX_BYTES));
	GString *paragraph = scanner->paragraph;

	g_strstrip(text);
	if (scanner->run->len > 0 && shown_is_connector(text)) {
		scanner->run_is_shown |= g_ascii_strncasecmp(text, "and", 3) != 0;
		return;
	}
	if (scanner->run->len > 0) {
		scanner->run_is_shown |= shown_by_what_follows(paragraph->str, text, !scanner->gap);
		end_run(scanner);
		scanner->gap = true;
	}
	if (scanner->gap || paragraph->len > PARAGRAPH_MAX_BYTES)
		g_string_truncate(paragraph, 0);
	if (paragraph->len > 0)
		g_string_append_c(paragraph, ' ');
	g_string_append(paragraph, text);
	scanner->gap = false;
}

/* "+ send `#lorebot test`": the diff is about commands. */
static bool line_holds_command(const Line *line, bool any_robot)
{
	const char *hash = memchr(line->text, '#', line->len);
	RequestKind kind;

	if (!hash)
		return false;
	Line rest = line_after(*line, (gsize)(hash - line->text) + 1);
	if (line_starts(&rest, " "))
		return false;
	Line name = take_word(&rest);
	Line verb = take_word(&rest);
	while (verb.len > 0 && !g_ascii_isalpha(verb.text[verb.len - 1]))
		verb.len--;
	return is_robot_name(&name, any_robot) && kind_of_verb(&verb, &kind) &&
	       kind != REQUEST_NONE;
}

static void scan_line(Scanner *scanner, Line line, Voice voice)
{
	bool shown;

	if (line_is_blank(&line)) {
		scanner->gap = true;
		return;
	}
	scanner->in_diff |= line_starts(&line, "diff --git ") || line_starts(&line, "@@ -");
	scanner->cut &= !scanner->in_diff;
	if (scanner->in_diff && strchr(" +-", line.text[0])) {
		scanner->documents |= line_holds_command(&line, scanner->any_robot);
		return; /* a context line begins with a blank, a command below a diff does not */
	}
	if (voice == VOICE_QUOTE)
		g_string_truncate(scanner->paragraph, 0);
	if (voice == VOICE_INTRODUCTION)
		add_to_paragraph(scanner, &line); /* what follows without a mark is cited */
	if (voice != VOICE_WRITER)
		return;
	FormalCommand *command = read_command(line, scanner, &shown);
	if (command)
		add_to_run(scanner, command, shown);
	else
		add_to_paragraph(scanner, &line);
}

static FormalCommand *find_in_body(Scanner *scanner)
{
	Voice voice;
	Line line;

	scanner->paragraph = g_string_new(NULL);
	scanner->run = g_ptr_array_new();
	while (voice_walk_next(&scanner->walk, &line, &voice)) {
		scan_line(scanner, line, voice);
		scanner->above = line;
		scanner->cut |= voice_is_own(voice) && patchtext_is_scissors(line.text, line.len);
	}
	end_run(scanner);
	g_string_free(scanner->paragraph, TRUE);
	g_ptr_array_unref(scanner->run);
	if (scanner->documents)
		g_clear_pointer(&scanner->kept, formal_command_free);
	return scanner->kept;
}

/* Nearly no mail holds a "#robot" at all, and that is soon seen. */
static bool names_robot(const char *text, bool any_robot)
{
	for (const char *at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
		bool opens = at == text || strchr(" \t\n", at[-1]);
		Line rest = {.text = at + 1, .len = strcspn(at + 1, "\n")};
		Line name = opens ? take_word(&rest) : (Line){0};

		if (opens && is_robot_name(&name, any_robot))
			return true;
	}
	return false;
}

bool formal_command_is_possible(const char *subject, const char *body, bool any_robot)
{
	return (subject && names_robot(subject, any_robot)) || names_robot(body, any_robot);
}

static FormalCommand *find_in_subject(const char *subject, bool any_robot)
{
	Scanner scanner = {.any_robot = any_robot};
	Line line = {.text = subject, .len = strlen(subject)};
	bool shown = false;

	voice_walk_init(&scanner.walk, "", NULL);
	FormalCommand *command = read_command(line, &scanner, &shown);
	if (command && !shown && command->kind != REQUEST_NONE)
		return command;
	formal_command_free(command);
	return NULL;
}

FormalCommand *formal_command_find(const char *subject, const char *body, GHashTable *answered,
				   bool any_robot)
{
	g_return_val_if_fail(body != NULL, NULL);

	if (!formal_command_is_possible(subject, body, any_robot))
		return NULL;
	FormalCommand *command = subject ? find_in_subject(subject, any_robot) : NULL;
	if (command)
		return command;
	Scanner scanner = {.any_robot = any_robot};
	voice_walk_init(&scanner.walk, body, answered);
	return find_in_body(&scanner);
}

void formal_command_free(FormalCommand *command)
{
	if (!command)
		return;
	g_free(command->text);
	g_free(command->repo);
	g_free(command->branch);
	g_free(command->link);
	g_strfreev(command->options);
	g_free(command);
}

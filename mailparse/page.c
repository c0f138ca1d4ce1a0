/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/page.h"

#include "mailparse/target.h"

#include <string.h>

#define KERNEL_ORG "git.kernel.org/"
#define HEADS "refs/heads/"

/* What stands behind a mark in the path. */
typedef enum {
	REST_REF,   /* a ref, with slashes, maybe a path behind it */
	REST_WORD,  /* one component                               */
	REST_RANGE, /* "a...b": b counts                           */
} Rest;

typedef struct {
	const char *mark;
	PageKind kind;
	Rest rest;
	const char *format; /* of the ref; NULL: as it is */
} Route;

/* The longer marks first: "/tree/" is part of "/-/tree/". */
static const Route routes[] = {
	{"/-/tree/", PAGE_TREE, REST_REF, NULL},
	{"/-/commits/", PAGE_TREE, REST_REF, NULL},
	{"/-/commit/", PAGE_COMMIT, REST_WORD, NULL},
	{"/-/tags/", PAGE_TREE, REST_REF, NULL},
	{"/-/compare/", PAGE_TREE, REST_RANGE, NULL},
	{"/-/merge_requests/", PAGE_PULL, REST_WORD, "refs/merge-requests/%s/head"},
	{"/merge_requests/", PAGE_PULL, REST_WORD, "refs/merge-requests/%s/head"},
	{"/+log/", PAGE_TREE, REST_REF, NULL},
	{"/+/", PAGE_TREE, REST_REF, NULL},
	{"/src/branch/", PAGE_TREE, REST_REF, NULL},
	{"/src/tag/", PAGE_TREE, REST_REF, NULL},
	{"/src/commit/", PAGE_TREE, REST_WORD, NULL},
	{"/commits/branch/", PAGE_TREE, REST_REF, NULL},
	{"/commits/tag/", PAGE_TREE, REST_REF, NULL},
	{"/commits/commit/", PAGE_TREE, REST_WORD, NULL},
	{"/releases/tag/", PAGE_TREE, REST_REF, NULL},
	{"/compare/", PAGE_TREE, REST_RANGE, NULL},
	{"/pull/", PAGE_PULL, REST_WORD, "refs/pull/%s/head"},
	{"/pulls/", PAGE_PULL, REST_WORD, "refs/pull/%s/head"},
	{"/tree/", PAGE_TREE, REST_REF, NULL},
	{"/commits/", PAGE_TREE, REST_REF, NULL},
	{"/commit/", PAGE_COMMIT, REST_WORD, NULL},
	{"/shortlog/", PAGE_TREE, REST_REF, NULL},
	{"/log/", PAGE_TREE, REST_REF, NULL},
};

/* An URL in its parts; they belong to it. */
typedef struct {
	const char *url;
	gsize path;  /* where the path begins                  */
	gsize end;   /* and ends: at "?", "#" or the URL's end */
	char *query; /* without "?" and "#..."; never NULL     */
} Url;

static void url_init(Url *url, const char *text)
{
	const char *host = strstr(text, "://");
	const char *start = host ? host + 3 : text;

	url->url = text;
	url->path = (gsize)(start - text) + strcspn(start, "/");
	url->end = url->path + strcspn(text + url->path, "?#");
	const char *query = text + url->end;
	url->query = *query == '?' ? g_strndup(query + 1, strcspn(query + 1, "#")) : g_strdup("");
}

static bool is_on(const Url *url, const char *host)
{
	const char *at = strstr(url->url, "://");

	return at && g_str_has_prefix(at + 3, host);
}

/* As one ref; NULL when it is none. */
static char *ref_of(const char *text, gsize len, const char *format)
{
	g_autofree char *raw = g_strndup(text, len);
	g_autofree char *word = g_uri_unescape_string(raw, NULL);

	if (!word)
		return NULL;
	while (g_str_has_suffix(word, "/"))
		word[strlen(word) - 1] = '\0';
	if (g_str_has_suffix(word, ".patch") || g_str_has_suffix(word, ".diff"))
		*strrchr(word, '.') = '\0';
	if (g_str_has_prefix(word, HEADS))
		memmove(word, word + strlen(HEADS), strlen(word + strlen(HEADS)) + 1);
	if (!target_is_ref(word))
		return NULL;
	char **parts = format ? g_strsplit(format, "%s", 2) : NULL;
	char *ref = parts ? g_strjoinv(word, parts) : g_steal_pointer(&word);
	g_strfreev(parts);
	return ref;
}

/* The value of @key in a query whose pairs stand between "&" or ";". */
static char *value_of(const char *query, const char *key)
{
	g_auto(GStrv) pairs = g_strsplit_set(query, "&;", -1);
	gsize len = strlen(key);

	for (gsize i = 0; pairs[i]; i++) {
		if (strncmp(pairs[i], key, len) == 0 && pairs[i][len] == '=')
			return ref_of(pairs[i] + len + 1, strlen(pairs[i] + len + 1), NULL);
	}
	return NULL;
}

/* "v6.9/drivers/gpu": behind a hash, a version or a main branch stands a path. */
static gsize ref_len(const char *text, gsize len)
{
	static const char *const whole[] = {"master", "main", "HEAD"};
	gsize first = MIN(strcspn(text, "/"), len);
	g_autofree char *word = g_strndup(text, first);
	bool version = word[0] == 'v' && g_ascii_isdigit(word[1]);

	for (gsize i = 0; i < G_N_ELEMENTS(whole); i++)
		version |= strcmp(word, whole[i]) == 0;
	return version || target_is_hash(word) ? first : len;
}

static char *ref_of_rest(const Route *route, const char *text, gsize len)
{
	const char *dots;

	switch (route->rest) {
	case REST_REF:
		return ref_of(text, ref_len(text, len), route->format);
	case REST_WORD:
		return ref_of(text, MIN(strcspn(text, "/"), len), route->format);
	case REST_RANGE:
		dots = g_strstr_len(text, (gssize)len, "..");
		while (dots && *dots == '.')
			dots++;
		return dots ? ref_of(dots, len - (gsize)(dots - text), route->format) : NULL;
	}
	g_assert_not_reached();
}

/* "https://git.kernel.org/cgit/..." is for the eye. */
static char *repo_of(const Url *url, gsize len)
{
	const char *cgit = g_strstr_len(url->url, (gssize)len, KERNEL_ORG "cgit/");

	if (!cgit)
		return g_strndup(url->url, len);
	gsize head = (gsize)(cgit - url->url) + strlen(KERNEL_ORG);
	const char *tail = cgit + strlen(KERNEL_ORG "cgit/");
	return g_strdup_printf("%.*spub/scm/%.*s", (int)head, url->url,
			       (int)(len - (gsize)(tail - url->url)), tail);
}

typedef struct {
	const char *mark;
	PageKind kind;
} View;

/* The first of cgit's views in the path; *@out_at is where it begins. */
static const View *find_view(const Url *url, const char **out_at)
{
	static const View views[] = {
		{"/commit", PAGE_COMMIT}, {"/patch", PAGE_COMMIT},  {"/diff", PAGE_COMMIT},
		{"/log", PAGE_TREE},      {"/tree", PAGE_TREE},     {"/shortlog", PAGE_TREE},
		{"/refs", PAGE_TREE},     {"/summary", PAGE_TREE},  {"/tag", PAGE_TREE},
		{"/about", PAGE_TREE},    {"/snapshot", PAGE_TREE},
	};

	/* Before a view stands the path of a repository. */
	for (gsize at = url->path + 1; at < url->end; at++) {
		for (gsize i = 0; url->url[at] == '/' && i < G_N_ELEMENTS(views); i++) {
			gsize len = strlen(views[i].mark);
			*out_at = url->url + at;
			if (strncmp(*out_at, views[i].mark, len) == 0 &&
			    (at + len == url->end || (*out_at)[len] == '/'))
				return &views[i];
		}
	}
	return NULL;
}

/* "REPO/log/PATH?h=BRANCH&id=HASH"; only where the query names something, or REPO ends in ".git" */
static PageKind read_cgit(const Url *url, char **out_repo, char **out_ref)
{
	const char *at;
	const View *view = find_view(url, &at);
	g_autofree char *branch = value_of(url->query, "h");
	g_autofree char *hash = value_of(url->query, "id");

	if (!view || (!branch && !hash && strncmp(at - 4, ".git", 4) != 0))
		return PAGE_NONE;
	const char *rest = at + strlen(view->mark);
	gsize len = url->end - (gsize)(rest - url->url);
	*out_repo = repo_of(url, (gsize)(at - url->url));
	*out_ref = hash ? g_steal_pointer(&hash) : g_steal_pointer(&branch);
	/* gitweb's way: "REPO.git/shortlog/refs/heads/BRANCH", "REPO.git/commit/HASH" */
	if (!*out_ref && len > 1 &&
	    (g_str_has_prefix(rest, "/refs/") || ref_len(rest + 1, len - 1) < len - 1 ||
	     view->kind == PAGE_COMMIT))
		*out_ref = ref_of(rest + 1, ref_len(rest + 1, len - 1), NULL);
	return view->kind;
}

/* "?p=REPO;a=shortlog;h=refs/heads/BRANCH" */
static PageKind read_gitweb(const Url *url, char **out_repo, char **out_ref)
{
	g_autofree char *project = value_of(url->query, "p");
	g_autofree char *path = g_strndup(url->url + url->path, url->end - url->path);

	if (!project)
		return PAGE_NONE;
	while (g_str_has_suffix(path, "/"))
		path[strlen(path) - 1] = '\0';
	if (strstr(path, "gitweb"))
		path[0] = '\0';
	*out_repo = g_strdup_printf("%.*s%s/%s", (int)url->path, url->url,
				    is_on(url, KERNEL_ORG) ? "/pub/scm" : path, project);
	*out_ref = value_of(url->query, "h");
	return strstr(url->query, "a=commit") || strstr(url->query, "a=patch") ? PAGE_COMMIT
									       : PAGE_TREE;
}

/* "REPO/tree/BRANCH" and the like */
static PageKind read_path(const Url *url, char **out_repo, char **out_ref)
{
	for (gsize i = 0; i < G_N_ELEMENTS(routes); i++) {
		const char *at = g_strstr_len(url->url + url->path, (gssize)(url->end - url->path),
					      routes[i].mark);
		if (!at || at == url->url + url->path)
			continue;
		const char *rest = at + strlen(routes[i].mark);
		*out_ref = ref_of_rest(&routes[i], rest, url->end - (gsize)(rest - url->url));
		if (!*out_ref)
			return PAGE_NONE;
		*out_repo = repo_of(url, (gsize)(at - url->url));
		return routes[i].kind;
	}
	return PAGE_NONE;
}

/* "https://git.kernel.org/torvalds/c/HASH", "/linus/HASH", whose owner's repository it does not
 * name. */
static PageKind read_short(const Url *url, char **out_ref)
{
	static const char *const marks[] = {"/c/", "/linus/"};

	for (gsize i = 0; is_on(url, KERNEL_ORG) && i < G_N_ELEMENTS(marks); i++) {
		const char *at = g_strstr_len(url->url, (gssize)url->end, marks[i]);
		const char *rest = at ? at + strlen(marks[i]) : "";
		gsize len = strcspn(rest, "/?#");
		*out_ref = len == strlen(rest) ? ref_of(rest, len, NULL) : NULL;
		if (*out_ref && target_is_hash(*out_ref))
			return PAGE_COMMIT;
		g_clear_pointer(out_ref, g_free);
	}
	return PAGE_NONE;
}

/* "REPO.git#BRANCH" */
static PageKind read_fragment(const Url *url, char **out_repo, char **out_ref)
{
	const char *mark = strchr(url->url, '#');
	g_autofree char *repo = mark ? g_strndup(url->url, (gsize)(mark - url->url)) : NULL;

	if (!mark || (!g_str_has_suffix(repo, ".git") && !g_str_has_suffix(repo, ".git/")))
		return PAGE_NONE;
	*out_ref = ref_of(mark + 1, strlen(mark + 1), NULL);
	if (!*out_ref)
		return PAGE_NONE;
	*out_repo = g_steal_pointer(&repo);
	return PAGE_TREE;
}

PageKind page_read(const char *url, char **out_repo, char **out_ref)
{
	Url parts;

	*out_repo = *out_ref = NULL;
	url_init(&parts, url);
	PageKind kind = read_gitweb(&parts, out_repo, out_ref);
	if (kind == PAGE_NONE)
		kind = read_short(&parts, out_ref);
	if (kind == PAGE_NONE)
		kind = read_cgit(&parts, out_repo, out_ref);
	if (kind == PAGE_NONE)
		kind = read_path(&parts, out_repo, out_ref);
	if (kind == PAGE_NONE)
		kind = read_fragment(&parts, out_repo, out_ref);
	g_free(parts.query);
	return kind;
}

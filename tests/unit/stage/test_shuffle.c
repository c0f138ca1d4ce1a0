/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/stage/scene.h"

/*
 * Mails of many kinds come in hundreds of orders, with understanding (and planning) in between at
 * any time: what is tested, what waits and what is declined must always be the same.
 */

#define SHUFFLES 60

/* One mail at one door. */
typedef struct {
	const char *source;
	char *text;
	int64_t arrived_us;
} Sighting;

static void sighting_clear(gpointer sighting)
{
	g_free(((Sighting *)sighting)->text);
}

typedef struct {
	GArray *sightings; /* (element-type Sighting)                    */
	GPtrArray *ids;    /* (element-type utf8) static, in fixed order */
} Pile;

static void pile_clear(Pile *pile)
{
	g_array_unref(pile->sightings);
	g_ptr_array_unref(pile->ids);
}

static void pile_init(Pile *pile)
{
	pile->sightings = g_array_new(FALSE, FALSE, sizeof(Sighting));
	g_array_set_clear_func(pile->sightings, sighting_clear);
	pile->ids = g_ptr_array_new();
}

#define PILE(name)                                                                                 \
	__attribute__((cleanup(pile_clear))) Pile name;                                            \
	pile_init(&name)

static void put(Pile *pile, const char *id, const char *source, char *text, int64_t ago_us)
{
	Sighting sighting = {source, text, NOW_US - ago_us};

	g_array_append_val(pile->sightings, sighting);
	if (!g_ptr_array_find_with_equal_func(pile->ids, id, g_str_equal, NULL))
		g_ptr_array_add(pile->ids, (gpointer)(gsize)id);
}

static void put_patch(Pile *pile, const char *id, const char *source, const char *which,
		      const char *title, const char *parent, int64_t ago_us)
{
	g_autofree char *more =
		parent == NULL ? NULL : g_strdup_printf("In-Reply-To: <%s>\n", parent);
	put(pile, id, source, scene_patch(id, which, title, more), ago_us);
}

static void put_mail(Pile *pile, const char *id, const char *source, const char *subject,
		     const char *parent, const char *body, int64_t ago_us)
{
	g_autofree char *more =
		parent == NULL ? NULL : g_strdup_printf("In-Reply-To: <%s>\n", parent);
	put(pile, id, source, scene_mail(id, subject, more, body), ago_us);
}

static char *cover(const char *id, const char *which, const char *title)
{
	return g_strdup_printf("From: Ann Author <ann@example.org>\nTo: lab@lists.example.org\n"
			       "Subject: [PATCH %s] %s\n" SCENE_DATE "Message-ID: <%s>\n\n"
			       "Three steps.\n",
			       which, title, id);
}

static void put_series(Pile *pile, const char *const ids[4], const char *version,
		       const char *source, int64_t ago_us)
{
	static const char *const titles[] = {"gauge: one", "gauge: two", "gauge: three"};
	g_autofree char *head = g_strdup_printf("%s0/3", version);

	put(pile, ids[0], source, cover(ids[0], head, "gauge: steps"), ago_us);
	for (guint i = 0; i < 3; i++) {
		g_autofree char *which = g_strdup_printf("%s%u/3", version, i + 1);
		put_patch(pile, ids[i + 1], source, which, titles[i], ids[0], ago_us);
	}
}

/* As a list makes it: a tag in the subject, a footer. */
static char *altered(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, "Subject: ", 2);
	g_autofree char *tagged = g_strjoinv("Subject: [lab] ", parts);
	return g_strconcat(tagged,
			   "_______________________________________________\n"
			   "lab mailing list\nhttps://lists.example.org/listinfo/lab\n",
			   NULL);
}

static const char *const first_ids[] = {"a0@example.org", "a1@example.org", "a2@example.org",
					"a3@example.org"};
static const char *const second_ids[] = {"b0@example.org", "b1@example.org", "b2@example.org",
					 "b3@example.org"};

/* Whatever may be planned at any moment: nothing of it overtakes another. */
static void put_lasting(Pile *pile)
{
	/* A series of three, each part at two doors, some of them seen earlier by an archive. */
	put_series(pile, first_ids, "", "lab", HOUR_US);
	put_series(pile, first_ids, "", "copy", HOUR_US / 2);
	put_series(pile, first_ids, "", "archive", 2 * HOUR_US);
	put_mail(pile, "ar@example.org", "lab", "Re: [PATCH 0/3] gauge: steps", first_ids[0],
		 "#lorebot test", HOUR_US);
	/* A patch and a request in answer to it, each of which an archive has, too. */
	put_patch(pile, "p@example.org", "lab", "", "gauge: lone", NULL, HOUR_US);
	put_patch(pile, "p@example.org", "archive", "", "gauge: lone", NULL, HOUR_US);
	put_mail(pile, "pr@example.org", "copy", "Re: [PATCH] gauge: lone", "p@example.org",
		 "#lorebot test", HOUR_US);
	put_mail(pile, "pr@example.org", "archive", "Re: [PATCH] gauge: lone", "p@example.org",
		 "#lorebot test", HOUR_US);
	/* An answer between a patch and a request. */
	put_patch(pile, "m@example.org", "lab", "", "gauge: between", NULL, HOUR_US);
	put_mail(pile, "mm@example.org", "lab", "Re: [PATCH] gauge: between", "m@example.org",
		 "Nice.", HOUR_US);
	put(pile, "mr@example.org", "lab",
	    scene_mail("mr@example.org", "Re: [PATCH] gauge: between",
		       "In-Reply-To: <mm@example.org>\n"
		       "References: <m@example.org> <mm@example.org>\n",
		       "#lorebot test"),
	    HOUR_US);
	/* Only an archive has it; one is asked for by link, one is not. */
	put_patch(pile, "o@example.org", "archive", "", "gauge: observed", NULL, HOUR_US);
	put_patch(pile, "l@example.org", "archive", "", "gauge: linked", NULL, HOUR_US);
	put_mail(pile, "lr@example.org", "lab", "a wish", NULL,
		 "#lorebot test https://lists.example.org/lab/l@example.org/", HOUR_US);
	/* A live door shows it days after an archive. */
	put_patch(pile, "old@example.org", "archive", "", "gauge: old", NULL, 9 * DAY_US);
	put_patch(pile, "late@example.org", "archive", "", "gauge: late", NULL, 2 * DAY_US);
	put_patch(pile, "late@example.org", "lab", "", "gauge: late", NULL, 0);
	/* A request whose patch never comes, and a series with a hole that is asked for. */
	put_mail(pile, "nr@example.org", "lab", "Re: [PATCH] gauge: nowhere", "n@example.org",
		 "#lorebot test", HOUR_US);
	put_patch(pile, "h1@example.org", "lab", "1/2", "gauge: hole", NULL, HOUR_US);
	put_mail(pile, "hr@example.org", "lab", "Re: [PATCH 1/2] gauge: hole", "h1@example.org",
		 "#lorebot test", HOUR_US);
}

/* And what is overtaken, or read anew, by what comes later. */
static void put_all(Pile *pile)
{
	put_lasting(pile);
	put_series(pile, second_ids, "v2 ", "copy", HOUR_US);
	put_series(pile, second_ids, "v2 ", "archive", HOUR_US / 2);
	g_autofree char *plain = scene_patch("f@example.org", "", "gauge: footer", NULL);
	put(pile, "f@example.org", "lab", altered(plain), HOUR_US);
	put(pile, "f@example.org", "copy", g_strdup(plain), HOUR_US);
	/* An old mail at a live door, then at the same time in an archive. */
	put_patch(pile, "old@example.org", "lab", "", "gauge: old", NULL, 0);
}

static guint *shuffled(const Pile *pile, GRand *random)
{
	guint n = pile->sightings->len;
	guint *order = g_new(guint, n);

	for (guint i = 0; i < n; i++)
		order[i] = i;
	for (guint i = n; i > 1; i--) {
		guint k = (guint)g_rand_int_range(random, 0, (gint32)i);
		guint other = order[k];
		order[k] = order[i - 1];
		order[i - 1] = other;
	}
	return order;
}

/* Everything that was concluded, in words. */
static char *conclusions(Scene *scene, const Pile *pile)
{
	g_autofree char *jobs = scene_jobs(scene);
	g_autoptr(GString) all = g_string_new(jobs);

	for (guint i = 0; i < pile->ids->len; i++) {
		const char *id = pile->ids->pdata[i];
		/* A cover that comes when its series is decided is no part of it any more. */
		if (id[1] == '0')
			continue;
		g_autofree char *series = scene_series_state(scene, id);
		g_autofree char *request = scene_request_state(scene, id);
		g_string_append_printf(all, "\n%s: series %s, request %s", id, series, request);
	}
	return g_string_free(g_steal_pointer(&all), FALSE);
}

/* In @order, or as they were put when NULL; thinking now and then, as the stages do. */
static char *play(const Pile *pile, const guint *order, GRand *random, bool plans_between)
{
	SCENE(scene);

	for (guint i = 0; i < pile->sightings->len; i++) {
		const Sighting *one =
			&g_array_index(pile->sightings, Sighting, order == NULL ? i : order[i]);
		scene_arrive(&scene, one->source, one->text, one->arrived_us);
		if (g_rand_int_range(random, 0, 4) != 0)
			continue;
		scene_run(&scene, "understand");
		if (plans_between && g_rand_boolean(random))
			scene_run(&scene, "plan");
	}
	scene_think(&scene);
	scene_think(&scene);
	return conclusions(&scene, pile);
}

static guint n_shuffles(void)
{
	return g_strcmp0(g_getenv("LOREBOT_LONG"), "1") == 0 ? 3 * SHUFFLES : SHUFFLES;
}

static void check_shuffles(const Pile *pile, bool plans_between)
{
	g_autoptr(GRand) first = g_rand_new_with_seed(0);
	g_autofree char *expected = play(pile, NULL, first, plans_between);

	for (guint32 seed = 1; seed <= n_shuffles(); seed++) {
		g_autoptr(GRand) random = g_rand_new_with_seed(seed);
		g_autofree guint *order = shuffled(pile, random);
		g_autofree char *got = play(pile, order, random, plans_between);
		ck_assert_msg(g_str_equal(got, expected), "seed %u: %s\n---- instead of ----\n%s",
			      seed, got, expected);
	}
}

START_TEST(the_order_of_arrival_decides_nothing)
{
	PILE(pile);
	put_all(&pile);

	check_shuffles(&pile, false);
}
END_TEST

START_TEST(nor_does_the_moment_of_planning)
{
	PILE(pile);
	put_lasting(&pile);

	check_shuffles(&pile, true);
}
END_TEST

CHECK_MAIN("shuffle", the_order_of_arrival_decides_nothing, nor_does_the_moment_of_planning)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/policy.h"
#include "mailparse/mailparse.h"
#include "tests/unit/check_main.h"

#include <string.h>

#define DAY_US (INT64_C(86400) * 1000000)

typedef struct {
	Mailbox address;
	ListSection lists[3];
	Config config;
} Site;

/* Lab: by address and consent; other: by List-Id, ask-only; quiet: consent, but nothing unasked. */
static void site_init(Site *site)
{
	static char name[] = "lorebot", empty[] = "", own[] = "robot@example.org",
		    domain[] = "example.org", lab[] = "lab",
		    lab_address[] = "lab@lists.example.org",
		    consent[] = "https://lists.example.org/yes", other[] = "other",
		    other_id[] = "other.lists.example.org", quiet[] = "quiet",
		    quiet_address[] = "quiet@lists.example.org";

	memset(site, 0, sizeof(*site));
	site->address = (Mailbox){.name = empty, .addr = own};
	site->config.bot = (BotSection){.name = name,
					.address = &site->address,
					.id_domain = domain,
					.max_age_patches_us = 7 * DAY_US,
					.max_age_requests_us = 30 * DAY_US,
					.requests_per_sender = 20,
					.requests_per_day = 100};
	site->lists[0] = (ListSection){.name = lab,
				       .address = lab_address,
				       .consent = consent,
				       .unasked = UNASKED_REGRESSIONS};
	site->lists[1] =
		(ListSection){.name = other, .list_id = other_id, .unasked = UNASKED_REGRESSIONS};
	site->lists[2] = (ListSection){.name = quiet, .address = quiet_address, .consent = consent};
	site->config.lists = g_ptr_array_new();
	for (int i = 0; i < 3; i++)
		g_ptr_array_add(site->config.lists, &site->lists[i]);
}

static void site_clear(Site *site)
{
	g_ptr_array_unref(site->config.lists);
}

#define SITE(name)                                                                                 \
	__attribute__((cleanup(site_clear))) Site name;                                            \
	site_init(&name)

static Message *mail(const char *headers)
{
	g_autofree char *text = g_strconcat(headers, "\n\nbody\n", NULL);
	g_autoptr(GError) error = NULL;

	mailparse_start();
	Message *message = message_parse((const guint8 *)text, strlen(text), &error);
	ck_assert_msg(message != NULL, "%s", error == NULL ? "" : error->message);
	return message;
}

static const char *list_of(const Site *site, const char *headers)
{
	g_autoptr(Message) message = mail(headers);
	const ListSection *list = policy_list_of(&site->config, message);
	return list == NULL ? "none" : list->name;
}

START_TEST(a_mail_is_of_the_first_list_that_it_is_addressed_to)
{
	SITE(site);

	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nCc: B <LAB@lists.example.org>\n"
					"List-Id: <mirror.example.net>"),
			 "lab");
	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nTo: quiet@lists.example.org,\n"
					" lab@lists.example.org"),
			 "lab");
	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nTo: Other@lists.example.org"),
			 "other");
	ck_assert_str_eq(
		list_of(&site, "From: a@x.example.org\nTo: lab@lists.example.org.evil.net"),
		"none");
	ck_assert_str_eq(
		list_of(&site, "From: a@x.example.org\nTo: lab+subscribe@lists.example.org"),
		"none");
}
END_TEST

START_TEST(every_copy_of_a_mail_is_of_the_same_list)
{
	SITE(site);

	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nTo: lab@lists.example.org,\n"
					" quiet@lists.example.org\n"
					"List-Id: <quiet.lists.example.org>"),
			 "lab");
}
END_TEST

START_TEST(a_list_id_alone_makes_no_list_mail)
{
	SITE(site);

	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nTo: robot@example.org\n"
					"List-Id: <lab.lists.example.org>"),
			 "none");
}
END_TEST

static const char *vouched(const Site *site, const char *carried, const char *list_id)
{
	const char *lists[] = {carried, NULL};
	SourceSection source = {.lists = (GStrv)(gsize)lists};
	const ListSection *list = policy_list_vouched(&site->config, &source, list_id);

	return list == NULL ? "none" : list->name;
}

START_TEST(a_source_vouches_for_the_lists_it_carries)
{
	SITE(site);

	ck_assert_str_eq(vouched(&site, "lab", "lab.lists.example.org"), "lab");
	ck_assert_str_eq(vouched(&site, "other", "other.lists.example.org"), "other");
	ck_assert_str_eq(vouched(&site, "other", "lab.lists.example.org"), "none");
	ck_assert_str_eq(vouched(&site, "lab", NULL), "none");
	ck_assert_str_eq(vouched(&site, NULL, "lab.lists.example.org"), "none");
}
END_TEST

START_TEST(a_list_named_by_a_bare_word_is_found_by_it)
{
	static char bare[] = "tools";
	SITE(site);
	site.lists[2] = (ListSection){.name = bare};

	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nTo: Tools@lists.example.org"),
			 "tools");
	ck_assert_str_eq(vouched(&site, "tools", "tools.lists.example.org"), "tools");
	ck_assert_str_eq(vouched(&site, "tools", "toolsmith.lists.example.org"), "none");
	ck_assert_str_eq(list_of(&site, "From: a@x.example.org\nTo: tools-help@lists.example.org"),
			 "none");
}
END_TEST

START_TEST(our_own_mail_is_known_by_address_tag_and_id)
{
	static const char *const ours[] = {
		"From: Robot <robot@example.org>\nMessage-ID: <1@x>",
		"From: robot+tag@example.org\nMessage-ID: <1@x>",
		"From: R via lab <lab@x.example.org>\nSender: robot@example.org\nMessage-ID: <1@x>",
		"From: ann@example.org\nMessage-ID: <20260131.abc-lorebot@example.org>",
	};
	static const char *const others[] = {
		"From: ann@example.org\nMessage-ID: <20260131.abc-1-ann@example.org>",
		"From: robot@example.net\nMessage-ID: <1@x>",
		"From: robots@example.org\nMessage-ID: <1@x>",
	};
	SITE(site);

	for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
		g_autoptr(Message) message = mail(ours[i]);
		ck_assert_msg(policy_is_ours(&site.config, message), "%s", ours[i]);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		g_autoptr(Message) message = mail(others[i]);
		ck_assert_msg(!policy_is_ours(&site.config, message), "%s", others[i]);
	}
}
END_TEST

static void series_no(const Site *site, PolicyCase what, const char *part)
{
	g_autofree char *no = policy_series(&site->config, &what);

	if (part == NULL)
		ck_assert_msg(no == NULL, "%s", no);
	else
		ck_assert_msg(no != NULL && strstr(no, part) != NULL, "%s",
			      no == NULL ? "yes" : no);
}

START_TEST(a_series_is_tested_unasked_only_with_consent)
{
	SITE(site);
	PolicyCase lab = {.list = &site.lists[0], .arrived_us = DAY_US, .now_us = DAY_US};
	PolicyCase other = lab, quiet = lab, nowhere = lab;

	other.list = &site.lists[1];
	quiet.list = &site.lists[2];
	nowhere.list = NULL;

	series_no(&site, lab, NULL);
	series_no(&site, other, "list other has no consent: ask-only (list.consent)");
	series_no(&site, quiet, "wants nothing unasked");
	series_no(&site, nowhere, "not configured any more");
}
END_TEST

START_TEST(what_is_old_or_superseded_is_not_tested)
{
	SITE(site);
	PolicyCase fresh = {.list = &site.lists[0], .arrived_us = DAY_US, .now_us = 8 * DAY_US};
	PolicyCase old = fresh, superseded = fresh;

	old.now_us++;
	superseded.superseded = true;

	series_no(&site, fresh, NULL);
	series_no(&site, old, "nothing older than 7.0 days");
	series_no(&site, superseded, "later revision");
}
END_TEST

START_TEST(a_request_needs_no_consent_but_a_list_and_youth)
{
	SITE(site);
	PolicyCase other = {.list = &site.lists[1], .arrived_us = 0, .now_us = 30 * DAY_US};
	PolicyCase old = other, homeless = other;

	old.now_us++;
	homeless.list = NULL;
	g_autofree char *yes = policy_request(&site.config, &other);
	g_autofree char *too_old = policy_request(&site.config, &old);
	g_autofree char *no_list = policy_request(&site.config, &homeless);

	ck_assert_ptr_null(yes);
	ck_assert_ptr_nonnull(strstr(too_old, "bot.maxAgeRequests"));
	ck_assert_ptr_nonnull(no_list);
}
END_TEST

START_TEST(who_asks_too_much_in_a_day_waits)
{
	SITE(site);
	PolicyCase last = {.list = &site.lists[1], .n_of_sender = 2, .n_of_everybody = 5};
	PolicyCase greedy = last, crowd = last;

	site.config.bot.requests_per_sender = 3;
	site.config.bot.requests_per_day = 6;
	greedy.n_of_sender++;
	crowd.n_of_everybody++;
	g_autofree char *yes = policy_request(&site.config, &last);
	g_autofree char *of_sender = policy_request(&site.config, &greedy);
	g_autofree char *of_all = policy_request(&site.config, &crowd);

	ck_assert_ptr_null(yes);
	ck_assert_ptr_nonnull(strstr(of_sender, "bot.requestsPerSender"));
	ck_assert_ptr_nonnull(strstr(of_all, "bot.requestsPerDay"));
}
END_TEST

CHECK_MAIN("policy", a_mail_is_of_the_first_list_that_it_is_addressed_to,
	   every_copy_of_a_mail_is_of_the_same_list, a_list_id_alone_makes_no_list_mail,
	   a_source_vouches_for_the_lists_it_carries, a_list_named_by_a_bare_word_is_found_by_it,
	   our_own_mail_is_known_by_address_tag_and_id,
	   a_series_is_tested_unasked_only_with_consent, what_is_old_or_superseded_is_not_tested,
	   a_request_needs_no_consent_but_a_list_and_youth, who_asks_too_much_in_a_day_waits)

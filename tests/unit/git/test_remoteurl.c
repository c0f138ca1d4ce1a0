/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/base/error.h"
#include "bot/git/remoteurl.h"

#include <arpa/inet.h>

START_TEST(spellings_of_one_repository_have_one_key)
{
	static const char *const rows[][2] = {
		{"https://Git.Example.org/a/linux.git", "//git.example.org/a/linux"},
		{"https://git.example.org/a/linux/", "//git.example.org/a/linux"},
		{"git://git.example.org:9418/a/linux.git/", "//git.example.org/a/linux"},
		{"https://git.example.org:8443/a", "//git.example.org:8443/a"},
		{"/srv/git/linux.git", "/srv/git/linux"},
		{"file:///srv/git/linux.git", "/srv/git/linux"},
		{"/srv/git/.git", "/srv/git/.git"},
		{"not a url", "not a url"},
		{"", ""},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *key = remoteurl_normalise(rows[i][0]);
		ck_assert_str_eq(key, rows[i][1]);
	}
}
END_TEST

START_TEST(only_listed_hosts_by_https_and_git_pass)
{
	static const char *const hosts[] = {"git.example.org", "127.0.0.1:9999", NULL};
	static const struct {
		const char *url;
		bool ok;
	} rows[] = {
		{"https://git.example.org/x", true},
		{"git://GIT.example.org/x", true},
		{"https://git.example.org:443/x", true},
		{"https://git.example.org:444/x", false},
		{"git://127.0.0.1:9999/x", true},
		{"git://127.0.0.1/x", false},
		{"http://git.example.org/x", false},
		{"ssh://git.example.org/x", false},
		{"file:///etc", false},
		{"/etc", false},
		{"git.example.org:x", false},
		{"https://user@git.example.org/x", false},
		{"https://git.example.org\\@evil.example.org/x", false},
		{"https://git.example.org/x y", false},
		{"https://git.example.org/x\n", false},
		{"https://evil.example.org/git.example.org", false},
		{"https:///x", false},
		{"ext::sh -c true", false},
		{"", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		bool ok = remoteurl_check(rows[i].url, hosts, true, &error);
		ck_assert_msg(ok == rows[i].ok, "%s: %s", rows[i].url,
			      error ? error->message : "passed");
	}
	ck_assert(!remoteurl_check("https://git.example.org/x", NULL, true, NULL));
}
END_TEST

START_TEST(loopback_is_refused_unless_private_is_allowed)
{
	static const char *const hosts[] = {"127.0.0.1", "[::1]", "::1", NULL};
	g_autoptr(GError) error = NULL;

	ck_assert(!remoteurl_check("git://127.0.0.1/x", hosts, false, &error));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	ck_assert(!remoteurl_check("git://[::1]/x", hosts, false, NULL));
	ck_assert(remoteurl_check("git://127.0.0.1/x", hosts, true, NULL));
}
END_TEST

START_TEST(private_addresses_are_told_from_public_ones)
{
	static const struct {
		const char *text;
		bool public;
	} rows[] = {
		{"8.8.8.8", true},
		{"127.0.0.1", false},
		{"10.1.2.3", false},
		{"172.15.0.1", true},
		{"172.16.0.1", false},
		{"172.31.255.255", false},
		{"172.32.0.1", true},
		{"192.168.1.1", false},
		{"169.254.169.254", false},
		{"100.64.0.1", false},
		{"0.0.0.0", false},
		{"224.0.0.1", false},
		{"255.255.255.255", false},
		{"2001:4860::1", true},
		{"::1", false},
		{"::", false},
		{"::ffff:10.0.0.1", false},
		{"fe80::1", false},
		{"fc00::1", false},
		{"fd00::1", false},
		{"ff02::1", false},
		{"64:ff9b::a00:1", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		guint8 bytes[16];
		bool six = strchr(rows[i].text, ':') != NULL;

		ck_assert_int_eq(inet_pton(six ? AF_INET6 : AF_INET, rows[i].text, bytes), 1);
		ck_assert_msg(remoteurl_address_is_public(bytes, six ? 16 : 4) == rows[i].public,
			      "%s", rows[i].text);
	}
}
END_TEST

CHECK_MAIN("remoteurl", spellings_of_one_repository_have_one_key,
	   only_listed_hosts_by_https_and_git_pass, loopback_is_refused_unless_private_is_allowed,
	   private_addresses_are_told_from_public_ones)

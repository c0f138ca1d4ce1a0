/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/remoteurl.h"

#include "bot/base/error.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* Blocks of the IANA special-purpose registries (RFC 6890) that no public repository lives in. */
static const struct {
	gsize len;
	guint8 bytes[16];
	unsigned bits;
} special_blocks[] = {
	{4, {0}, 8},
	{4, {10}, 8},
	{4, {100, 64}, 10},
	{4, {127}, 8},
	{4, {169, 254}, 16},
	{4, {172, 16}, 12},
	{4, {192, 0, 0}, 24},
	{4, {192, 168}, 16},
	{4, {198, 18}, 15},
	{4, {224}, 3},
	{16, {0}, 8}, /* unspecified, loopback and IPv4 in disguise */
	{16, {0x00, 0x64, 0xff, 0x9b}, 32},
	{16, {0x20, 0x02}, 16}, /* 6to4 */
	{16, {0xfc}, 7},
	{16, {0xfe, 0x80}, 10},
	{16, {0xfe, 0xc0}, 10},
	{16, {0xff}, 8},
};

static bool bits_equal(const guint8 *a, const guint8 *b, unsigned bits)
{
	unsigned whole = bits / 8;
	guint8 mask = (guint8)(0xff00 >> (bits % 8));

	return memcmp(a, b, whole) == 0 && (bits % 8 == 0 || ((a[whole] ^ b[whole]) & mask) == 0);
}

bool remoteurl_address_is_public(const guint8 *bytes, gsize len)
{
	for (gsize i = 0; i < G_N_ELEMENTS(special_blocks); i++) {
		if (special_blocks[i].len == len &&
		    bits_equal(bytes, special_blocks[i].bytes, special_blocks[i].bits))
			return false;
	}
	return len == 4 || len == 16;
}

bool remoteurl_is_local(const char *url)
{
	return url[0] == '/' || url[0] == '.' || g_str_has_prefix(url, "file://");
}

static int default_port(const char *scheme)
{
	if (g_strcmp0(scheme, "https") == 0)
		return 443;
	if (g_strcmp0(scheme, "http") == 0)
		return 80;
	return g_strcmp0(scheme, "git") == 0 ? 9418 : 22;
}

static void trim_path(char *path)
{
	gsize len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (len > 4 && strcmp(path + len - 4, ".git") == 0 && path[len - 5] != '/')
		path[len - 4] = '\0';
}

char *remoteurl_normalise(const char *url)
{
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;
	g_autofree char *path = NULL;
	g_autofree char *lower = NULL;
	int port;

	if (!host || host[0] == '\0') {
		path = g_strdup(uri && remoteurl_is_local(url) ? g_uri_get_path(uri) : url);
		trim_path(path);
		return g_steal_pointer(&path);
	}
	path = g_strdup(g_uri_get_path(uri));
	trim_path(path);
	lower = g_ascii_strdown(host, -1);
	port = g_uri_get_port(uri);
	if (port == -1 || port == default_port(g_uri_get_scheme(uri)))
		return g_strdup_printf("//%s%s", lower, path);
	return g_strdup_printf("//%s:%d%s", lower, port, path);
}

static bool refuse_url(GError **error, const char *url, const char *why)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "%s is not fetched: %s", url, why);
	return false;
}

static bool is_plain(const char *url)
{
	for (const char *c = url; *c != '\0'; c++) {
		if (!g_ascii_isgraph(*c) || *c == '\\')
			return false;
	}
	return true;
}

static bool is_allowed(const char *host, int port, bool usual, const char *const *allow_hosts)
{
	g_autofree char *with_port = g_strdup_printf("%s:%d", host, port);

	for (; allow_hosts && *allow_hosts; allow_hosts++) {
		if (g_ascii_strcasecmp(*allow_hosts, with_port) == 0 ||
		    (usual && g_ascii_strcasecmp(*allow_hosts, host) == 0))
			return true;
	}
	return false;
}

static bool has_public_address(const struct addrinfo *entry)
{
	if (entry->ai_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)entry->ai_addr;
		return remoteurl_address_is_public((const guint8 *)&in->sin_addr, 4);
	}
	if (entry->ai_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)entry->ai_addr;
		return remoteurl_address_is_public((const guint8 *)&in6->sin6_addr, 16);
	}
	return false;
}

/* Every address must be public: which one libgit2 will take is not ours to choose. */
static bool check_addresses(const char *url, const char *host, GError **error)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	bool public = true;
	int rc = getaddrinfo(host, NULL, &hints, &found);

	if (rc != 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "cannot look up the host of %s: %s", url, gai_strerror(rc));
		return false;
	}
	for (const struct addrinfo *entry = found; entry; entry = entry->ai_next)
	public = public && has_public_address(entry);
	freeaddrinfo(found);
	return public || refuse_url(error, url, "its host is a loopback or private address");
}

bool remoteurl_check(const char *url, const char *const *allow_hosts, bool allow_private,
		     GError **error)
{
	g_autoptr(GUri) uri = is_plain(url) ? g_uri_parse(url, G_URI_FLAGS_NONE, NULL) : NULL;
	const char *scheme = uri ? g_uri_get_scheme(uri) : NULL;
	const char *host = uri ? g_uri_get_host(uri) : NULL;

	if (!host || host[0] == '\0')
		return refuse_url(error, url, "it is no URL with a host");
	if (strcmp(scheme, "https") != 0 && strcmp(scheme, "git") != 0)
		return refuse_url(error, url, "only https:// and git:// are");
	if (g_uri_get_userinfo(uri))
		return refuse_url(error, url, "it names a user");

	int port = g_uri_get_port(uri) == -1 ? default_port(scheme) : g_uri_get_port(uri);
	if (!is_allowed(host, port, port == default_port(scheme), allow_hosts))
		return refuse_url(error, url, "its host is not among the allowed ones");
	return allow_private || check_addresses(url, host, error);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/net/curl.h"

#include "bot/base/error.h"

#include <arpa/inet.h>
#include <string.h>

#define DEFAULT_CONNECT_TIMEOUT_MS 30000L
#define KEEPALIVE_S 60L

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CURLU, curl_url_cleanup)

static void start_library(void)
{
	static gsize started;

	if (g_once_init_enter(&started)) {
		curl_global_init(CURL_GLOBAL_DEFAULT);
		g_once_init_leave(&started, 1);
	}
}

/* (transfer full): one part of the url, or NULL when it has none. */
static char *take_part(CURLU *url, CURLUPart part)
{
	char *text = NULL;
	char *copy = NULL;

	if (curl_url_get(url, part, &text, 0) == CURLUE_OK)
		copy = g_strdup(text);
	curl_free(text);
	return copy;
}

static bool host_is_loopback(const char *host)
{
	struct in_addr v4;

	if (g_ascii_strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
		return true;
	return inet_pton(AF_INET, host, &v4) == 1 && (ntohl(v4.s_addr) >> 24) == 127;
}

static bool scheme_has_tls(const char *scheme)
{
	return strcmp(scheme, "imaps") == 0 || strcmp(scheme, "smtps") == 0;
}

static bool url_has_more(CURLU *url)
{
	static const CURLUPart parts[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS,
					  CURLUPART_QUERY, CURLUPART_FRAGMENT};
	g_autofree char *path = take_part(url, CURLUPART_PATH);

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_autofree char *text = take_part(url, parts[i]);
		if (text)
			return true;
	}
	return path && strcmp(path, "/") != 0;
}

static bool check_url(const LinkOptions *options, char **out_scheme, char **out_host,
		      GError **error)
{
	static const char *const schemes[] = {"imap", "imaps", "smtp", "smtps", NULL};
	g_autoptr(CURLU) url = curl_url();
	CURLUcode rc = curl_url_set(url, CURLUPART_URL, options->url, CURLU_NON_SUPPORT_SCHEME);
	g_autofree char *scheme = rc == CURLUE_OK ? take_part(url, CURLUPART_SCHEME) : NULL;
	g_autofree char *host = rc == CURLUE_OK ? take_part(url, CURLUPART_HOST) : NULL;

	/* The url itself is left out of the messages: it may hold a password by mistake. */
	if (!scheme || !host || !g_strv_contains(schemes, scheme)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "not a mail server url: write imaps://HOST, imap://HOST, smtps://HOST "
			    "or smtp://HOST, with :PORT if it is not the usual one");
		return false;
	}
	if (url_has_more(url)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s: the url of a mail server holds a host and a port only; user and "
			    "password have their own keys",
			    host);
		return false;
	}
	if (options->clear_text && (scheme_has_tls(scheme) || !host_is_loopback(host))) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s: clear text is for imap:// or smtp:// on this machine (127.0.0.1, "
			    "localhost, [::1]) only; remove the clear text setting",
			    host);
		return false;
	}
	g_autofree char *port = take_part(url, CURLUPART_PORT);
	*out_host = port ? g_strdup_printf("%s:%s", host, port) : g_strdup(host);
	*out_scheme = g_steal_pointer(&scheme);
	return true;
}

/* libcurl sends what it is given: a line break in a user name would be a command of its own. */
static bool text_has_controls(const char *text)
{
	for (; text && *text; text++) {
		if (g_ascii_iscntrl(*text))
			return true;
	}
	return false;
}

/* Mechanism -> libcurl's login option; the bearer ones take a token for a password. */
static const struct {
	const char *name;
	const char *login_options;
	bool bearer;
} mechanisms[] = {
	{"PLAIN", "AUTH=PLAIN", false},
	{"LOGIN", "AUTH=LOGIN", false},
	{"XOAUTH2", "AUTH=XOAUTH2", true},
	{"OAUTHBEARER", "AUTH=OAUTHBEARER", true},
};

static bool is_anonymous(const LinkOptions *options)
{
	return g_strcmp0(options->mechanism, "ANONYMOUS") == 0;
}

static bool check_mechanism(const LinkOptions *options, const char *host, GError **error)
{
	const char *mechanism = options->mechanism;

	if (is_anonymous(options) && (options->user || options->password)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s: ANONYMOUS goes with neither user nor password; remove them", host);
		return false;
	}
	if (!mechanism || is_anonymous(options))
		return true;
	for (size_t i = 0; i < G_N_ELEMENTS(mechanisms); i++) {
		if (strcmp(mechanism, mechanisms[i].name) == 0)
			return true;
	}
	g_set_error(
		error, BOT_ERROR, BOT_ERROR_CONFIG,
		"%s: login mechanism %s is not known; use PLAIN, LOGIN, XOAUTH2, OAUTHBEARER or "
		"ANONYMOUS",
		host, mechanism);
	return false;
}

static bool check_login(const LinkOptions *options, const char *host, GError **error)
{

	if (text_has_controls(options->user) || text_has_controls(options->password)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s: user and password must not hold control characters (a line break "
			    "at the end of the password file?)",
			    host);
		return false;
	}
	if (options->user && !options->password) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s: user %s has no password; set one", host, options->user);
		return false;
	}
	return check_mechanism(options, host, error);
}

/*
 * The mechanism is always named.  Left to itself libcurl tries Kerberos first when the server
 * offers it and the user name holds an '@', and fails for want of a ticket.
 */
static void set_login(CURL *curl, const LinkOptions *options)
{
	const char *login_options = "AUTH=PLAIN;AUTH=LOGIN";
	bool bearer = false;

	if (!options->user)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(mechanisms); i++) {
		if (g_strcmp0(options->mechanism, mechanisms[i].name) == 0) {
			login_options = mechanisms[i].login_options;
			bearer = mechanisms[i].bearer;
		}
	}
	curl_easy_setopt(curl, CURLOPT_USERNAME, options->user);
	curl_easy_setopt(curl, bearer ? CURLOPT_XOAUTH2_BEARER : CURLOPT_PASSWORD,
			 options->password);
	curl_easy_setopt(curl, CURLOPT_LOGIN_OPTIONS, login_options);
}

static void set_tls(CURL *curl, const LinkOptions *options)
{
	curl_easy_setopt(curl, CURLOPT_USE_SSL,
			 (long)(options->clear_text ? CURLUSESSL_NONE : CURLUSESSL_ALL));
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (options->ca_file) {
		curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca_file);
		/* Else the system's authorities would be trusted beside the named one. */
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
}

CURL *curl_handle_new(const LinkOptions *options, char **out_host, GError **error)
{
	g_autofree char *scheme = NULL;
	g_autofree char *host = NULL;

	start_library();
	if (!check_url(options, &scheme, &host, error) || !check_login(options, host, error))
		return NULL;

	CURL *curl = curl_easy_init();
	if (!curl) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "%s: libcurl has no memory for a connection", host);
		return NULL;
	}
	curl_easy_setopt(curl, CURLOPT_URL, options->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, scheme);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
			 options->connect_timeout_ms > 0 ? options->connect_timeout_ms
							 : DEFAULT_CONNECT_TIMEOUT_MS);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S);
	set_tls(curl, options);
	set_login(curl, options);
	*out_host = g_steal_pointer(&host);
	return curl;
}

typedef struct {
	CURLcode rc;
	BotError code;
	LinkStep step;
	const char *step_and_cure;
} Failure;

static const Failure failures[] = {
	{CURLE_COULDNT_RESOLVE_HOST, BOT_ERROR_TRANSIENT, LINK_STEP_NAME,
	 "the name was not found; check the name and the resolver"},
	{CURLE_COULDNT_CONNECT, BOT_ERROR_TRANSIENT, LINK_STEP_TCP,
	 "no connection; check host, port and firewall, or wait until the server is back"},
	{CURLE_OPERATION_TIMEDOUT, BOT_ERROR_TRANSIENT, LINK_STEP_GREETING,
	 "connect, TLS and login took too long; wait or check the network, and that the port "
	 "speaks what "
	 "the url says (with TLS at once: imaps, smtps; after STARTTLS: imap, smtp)"},
	{CURLE_SEND_ERROR, BOT_ERROR_TRANSIENT, LINK_STEP_GREETING,
	 "the connection broke before the login was done"},
	{CURLE_RECV_ERROR, BOT_ERROR_TRANSIENT, LINK_STEP_GREETING,
	 "the connection broke before the login was done"},
	{CURLE_GOT_NOTHING, BOT_ERROR_TRANSIENT, LINK_STEP_GREETING,
	 "the server closed before the login was done"},
	{CURLE_OUT_OF_MEMORY, BOT_ERROR_TRANSIENT, LINK_STEP_GREETING, "no memory"},
	{CURLE_PEER_FAILED_VERIFICATION, BOT_ERROR_PERMANENT, LINK_STEP_TLS,
	 "the certificate is not trusted or is for another name; check the host name, or name the "
	 "issuer's certificate by caFile"},
	{CURLE_SSL_CACERT_BADFILE, BOT_ERROR_CONFIG, LINK_STEP_TLS, "caFile cannot be read"},
	{CURLE_USE_SSL_FAILED, BOT_ERROR_PERMANENT, LINK_STEP_TLS,
	 "the server does not offer STARTTLS (or somebody on the way removed it): nothing was "
	 "sent; use imaps:// or smtps://"},
	{CURLE_SSL_CONNECT_ERROR, BOT_ERROR_PEER, LINK_STEP_TLS,
	 "TLS could not be set up; check that the port speaks TLS (imaps 993, smtps 465)"},
	{CURLE_LOGIN_DENIED, BOT_ERROR_PERMANENT, LINK_STEP_LOGIN,
	 "the login was refused, or the server does not offer the mechanism; check user, password "
	 "(or token) and mechanism"},
	{CURLE_URL_MALFORMAT, BOT_ERROR_CONFIG, LINK_STEP_NAME, "the url cannot be understood"},
};

/* Silence before the port had answered is another fault than silence afterwards. */
static bool never_connected(CURL *curl)
{
	curl_off_t connected_us = 0;

	return curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME_T, &connected_us) == CURLE_OK &&
	       connected_us == 0;
}

LinkStep curl_handle_fail(CURL *curl, CURLcode rc, const char *detail, const char *host,
			  const LinkOptions *options, GError **error)
{
	BotError code = BOT_ERROR_PEER;
	LinkStep step = LINK_STEP_GREETING;
	const char *text = "the server did not speak as its protocol asks";
	g_autofree char *user = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(failures); i++) {
		if (failures[i].rc == rc) {
			code = failures[i].code;
			step = failures[i].step;
			text = failures[i].step_and_cure;
		}
	}
	if (rc == CURLE_LOGIN_DENIED && options->user)
		user = g_strdup_printf(" as %s", options->user);
	g_set_error(error, BOT_ERROR, code, "%s%s: %s (%s)", host, user ? user : "", text,
		    detail && *detail ? detail : curl_easy_strerror(rc));
	return rc == CURLE_OPERATION_TIMEDOUT && never_connected(curl) ? LINK_STEP_TCP : step;
}

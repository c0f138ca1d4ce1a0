/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mailbox.h"

#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/text.h"

#include <string.h>

#define ENCODED_WORD_MAX_BYTES 75u /* RFC 2047 section 2 */
#define ATOM_SPECIALS "()<>[]:;@\\,\""

static bool refuse(GError **error, const char *addr, const char *why)
{
	g_autofree char *shown = g_strescape(addr, NULL);

	g_set_error(error, MAIL_ERROR, MAIL_ERROR_UNSAFE, "address \"%.*s\" %s", 80, shown, why);
	return false;
}

/* Returns: the '@' that ends the local part, NULL when there is none or the quoting is broken. */
static const char *find_at(const char *addr)
{
	if (*addr != '"')
		return strchr(addr, '@');
	for (const char *at = addr + 1; *at != '\0'; at++) {
		if (*at == '\\' && at[1] != '\0')
			at++;
		else if (*at == '"')
			return at[1] == '@' ? at + 1 : NULL;
	}
	return NULL;
}

static bool is_domain(const char *domain)
{
	gsize len = strlen(domain);
	const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

	if (len > 2 && domain[0] == '[' && domain[len - 1] == ']')
		return strspn(domain + 1, "abcdefABCDEFIiPpv0123456789.:") == len - 2;
	return len > 0 && strspn(domain, allowed) == len;
}

static bool check_addr(const char *addr, GError **error)
{
	if (strlen(addr) > MAILBOX_MAX_BYTES) {
		g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT,
			    "address has %" G_GSIZE_FORMAT " bytes, the limit is %u", strlen(addr),
			    MAILBOX_MAX_BYTES);
		return false;
	}
	for (const char *c = addr; *c != '\0'; c++) {
		if (*c < ' ' || *c == 0x7f)
			return refuse(error, addr, "holds a control or non-ASCII byte");
		if (*c == '<' || *c == '>')
			return refuse(error, addr, "holds an angle bracket");
	}

	const char *at = find_at(addr);
	if (at == NULL)
		return refuse(error, addr, "has no \"@\" or broken quotes");
	if (at == addr || at[1] == '\0')
		return refuse(error, addr, "has an empty part");
	if (*addr != '"' && strcspn(addr, ATOM_SPECIALS " ") != (gsize)(at - addr))
		return refuse(error, addr, "has a character before its \"@\" that needs quotes");
	if (!is_domain(at + 1))
		return refuse(error, addr, "has a domain with a character that none may have");
	return true;
}

static char *lower_domain(const char *addr)
{
	char *copy = g_strdup(addr);

	for (char *c = strrchr(copy, '@'); *c != '\0'; c++)
		*c = g_ascii_tolower(*c);
	return copy;
}

Mailbox *mailbox_new(const char *name, const char *addr, GError **error)
{
	if (!check_addr(addr, error))
		return NULL;

	g_autofree char *utf8 = text_to_utf8(name ? name : "", name ? strlen(name) : 0, NULL);
	Mailbox *mailbox = g_new0(Mailbox, 1);
	mailbox->name = text_tidy(utf8);
	mailbox->addr = lower_domain(addr);
	mailbox->written = g_strdup(addr);
	return mailbox;
}

Mailbox *mailbox_copy(const Mailbox *mailbox)
{
	Mailbox *copy = g_new0(Mailbox, 1);

	copy->name = g_strdup(mailbox->name);
	copy->addr = g_strdup(mailbox->addr);
	copy->written = g_strdup(mailbox->written);
	return copy;
}

void mailbox_free(Mailbox *mailbox)
{
	if (mailbox == NULL)
		return;
	g_free(mailbox->name);
	g_free(mailbox->addr);
	g_free(mailbox->written);
	g_free(mailbox);
}

bool mailbox_equal(const Mailbox *a, const Mailbox *b)
{
	return g_ascii_strcasecmp(a->addr, b->addr) == 0;
}

/* Spellings of one mailbox: quotes and backslashes in the local part, a dot after the domain. */
char *mailbox_addr_plain(const char *addr)
{
	GString *plain = g_string_new(NULL);

	for (const char *c = addr; *c != '\0'; c++) {
		if (*c != '"' && *c != '\\')
			g_string_append_c(plain, *c);
	}
	if (plain->len > 0 && plain->str[plain->len - 1] == '.')
		g_string_truncate(plain, plain->len - 1);
	return g_string_free(plain, FALSE);
}

bool mailbox_addr_matches(const char *written, const char *own)
{
	g_autofree char *addr = mailbox_addr_plain(written);
	const char *addr_at = strrchr(addr, '@');
	const char *own_at = strrchr(own, '@');

	if (addr_at == NULL || own_at == NULL || g_ascii_strcasecmp(addr_at, own_at) != 0)
		return false;

	gsize n_addr = (gsize)(addr_at - addr);
	gsize n_own = (gsize)(own_at - own);
	return n_addr >= n_own && g_ascii_strncasecmp(addr, own, n_own) == 0 &&
	       (n_addr == n_own || addr[n_own] == '+');
}

static bool is_ascii(const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text >= 0x80)
			return false;
	}
	return true;
}

static void append_q_char(GString *word, const char *c, gsize len)
{
	if (len == 1 && g_ascii_isalnum(*c)) {
		g_string_append_c(word, *c);
	} else if (len == 1 && *c == ' ') {
		g_string_append_c(word, '_');
	} else {
		for (gsize i = 0; i < len; i++)
			g_string_append_printf(word, "=%02X", (unsigned char)c[i]);
	}
}

/* Words of at most 75 bytes with a blank between them, where a long header may be folded. */
static char *encode_name(const char *name)
{
	static const char begin[] = "=?UTF-8?q?";
	GString *out = g_string_new(begin);
	gsize word_start = 0;

	for (const char *c = name; *c != '\0'; c += g_utf8_skip[(guchar)*c]) {
		gsize n_bytes = (gsize)g_utf8_skip[(guchar)*c];

		if (out->len - word_start + 3 * n_bytes + 2 > ENCODED_WORD_MAX_BYTES) {
			g_string_append(out, "?= ");
			word_start = out->len;
			g_string_append(out, begin);
		}
		append_q_char(out, c, n_bytes);
	}
	g_string_append(out, "?=");
	return g_string_free(out, FALSE);
}

static char *quote_name(const char *name)
{
	GString *out = g_string_new("\"");

	for (const char *c = name; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *c);
	}
	g_string_append_c(out, '"');
	return g_string_free(out, FALSE);
}

char *mailbox_to_header(const Mailbox *mailbox)
{
	g_autofree char *name = NULL;

	if (mailbox->name[0] == '\0')
		return g_strdup(mailbox->addr);
	if (!is_ascii(mailbox->name) || strstr(mailbox->name, "=?") != NULL)
		name = encode_name(mailbox->name);
	else if (strpbrk(mailbox->name, ATOM_SPECIALS ".") != NULL)
		name = quote_name(mailbox->name);
	else
		name = g_strdup(mailbox->name);
	return g_strdup_printf("%s <%s>", name, mailbox->addr);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/bodyhash.h"

#include "mailparse/line.h"

#include <string.h>

/* ---- the canonical body ---- */

static void feed(GChecksum *sum, const char *bytes, gsize len)
{
	g_checksum_update(sum, (const guchar *)bytes, (gssize)len);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Section 3.4.4: runs of white space are one blank, none stands at the end. */
static void feed_relaxed(GChecksum *sum, Line line)
{
	gsize at = 0;

	while (line.len > 0 && is_blank(line.text[line.len - 1]))
		line.len--;
	while (at < line.len) {
		gsize start = at;
		while (at < line.len && !is_blank(line.text[at]))
			at++;
		feed(sum, line.text + start, at - start);
		if (at < line.len)
			feed(sum, " ", 1);
		while (at < line.len && is_blank(line.text[at]))
			at++;
	}
}

/* Section 3.4.3 and 3.4.4; empty lines at the end do not count. */
static void feed_body(GChecksum *sum, bool relaxed, const char *body, gsize len)
{
	gsize pos = 0, n_empty = 0;
	bool any = false;
	Line line;

	while (line_next(body, len, &pos, &line)) {
		line = line_chomp(line);
		if (line.len == 0 || (relaxed && line_is_blank(&line))) {
			n_empty++;
			continue;
		}
		for (; n_empty > 0; n_empty--)
			feed(sum, "\r\n", 2);
		if (relaxed)
			feed_relaxed(sum, line);
		else
			feed(sum, line.text, line.len);
		feed(sum, "\r\n", 2);
		any = true;
	}
	if (!any && !relaxed)
		feed(sum, "\r\n", 2);
}

/* ---- the signature ---- */

/* Value of a tag (section 3.2), without white space; NULL when it is not there. */
static char *get_tag(char **tags, const char *name)
{
	gsize name_len = strlen(name);

	for (gsize i = 0; tags[i] != NULL; i++) {
		if (strncmp(tags[i], name, name_len) == 0 && tags[i][name_len] == '=')
			return g_strdup(tags[i] + name_len + 1);
	}
	return NULL;
}

static char **split_tags(ByteSlice value)
{
	g_autoptr(GString) text = g_string_sized_new(value.len);

	for (gsize i = 0; i < value.len; i++) {
		if (!g_ascii_isspace(value.ptr[i]) && value.ptr[i] != '\0')
			g_string_append_c(text, value.ptr[i]);
	}
	return g_strsplit(text->str, ";", -1);
}

static bool is_below(const char *domain, const char *above)
{
	gsize len = strlen(domain), above_len = strlen(above);

	return len >= above_len && g_ascii_strcasecmp(domain + len - above_len, above) == 0 &&
	       (len == above_len || domain[len - above_len - 1] == '.');
}

/* Section 3.3.1 and 3.3.2, RFC 8463. */
static bool hash_of(const char *algorithm, GChecksumType *out_type)
{
	if (algorithm == NULL)
		return false;
	*out_type = g_str_has_suffix(algorithm, "-sha1") ? G_CHECKSUM_SHA1 : G_CHECKSUM_SHA256;
	return g_str_has_suffix(algorithm, "-sha1") || g_str_has_suffix(algorithm, "-sha256");
}

static BodyState check_signature(ByteSlice value, const char *domain, const char *body, gsize len)
{
	g_auto(GStrv) tags = split_tags(value);
	g_autofree char *signer = get_tag(tags, "d");
	g_autofree char *algorithm = get_tag(tags, "a");
	g_autofree char *canon = get_tag(tags, "c");
	g_autofree char *hash = get_tag(tags, "bh");
	GChecksumType type;
	guint8 digest[32];
	gsize digest_len = sizeof(digest), hash_len = 0;

	if (signer == NULL || hash == NULL || !hash_of(algorithm, &type) ||
	    !(is_below(domain, signer) || is_below(signer, domain)))
		return BODY_UNSIGNED;
	g_autoptr(GChecksum) sum = g_checksum_new(type);
	g_autofree guint8 *want = g_base64_decode(hash, &hash_len);
	feed_body(sum, canon != NULL && g_str_has_suffix(canon, "/relaxed"), body, len);
	g_checksum_get_digest(sum, digest, &digest_len);
	return hash_len == digest_len && memcmp(want, digest, digest_len) == 0 ? BODY_INTACT
									       : BODY_ALTERED;
}

BodyState bodyhash_check(const Header *header, const char *domain, const char *body, gsize len)
{
	static const char name[] = "DKIM-Signature";
	BodyState state = BODY_UNSIGNED;
	guint n = 0;

	for (guint i = 0; i < header->fields->len && n < BODYHASH_MAX_SIGNATURES; i++) {
		const HeaderField *field = &g_array_index(header->fields, HeaderField, i);
		if (field->name.len != strlen(name) ||
		    g_ascii_strncasecmp(field->name.ptr, name, strlen(name)) != 0)
			continue;
		n++;
		BodyState each = check_signature(field->value, domain, body, len);
		if (each == BODY_ALTERED)
			return BODY_ALTERED;
		state = MAX(state, each);
	}
	return state;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mime.h"

#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/text.h"
#include "mailparse/transfer.h"

#include <gmime/gmime.h>
#include <string.h>

#define TEXT_PLAIN "text/plain"

/* One open multipart. */
typedef struct {
	char *boundary; /* without the leading "--"                                     */
	gsize boundary_len;
	unsigned group; /* of the nearest multipart/alternative around, 0 when none     */
	unsigned depth; /* multiparts and mails around its parts                        */
	bool digest;    /* a part without Content-Type is a mail                        */
	bool forwarded; /* inside a message/rfc822                                      */
} Frame;

/* The part being read. */
typedef struct {
	Header *header;
	GMimeContentType *type;
	char *type_name; /* lower case                                                   */
	unsigned group;
	unsigned depth;
	bool digest;
	bool forwarded;
} Entity;

typedef struct {
	ByteCursor *cursor;
	GPtrArray *parts;
	GArray *part_groups; /* (element-type unsigned) of each part                    */
	GArray *stack;       /* (element-type Frame)                                    */
	unsigned n_groups;
	Entity entity;
} Walker;

static void frame_clear(gpointer frame)
{
	g_free(((Frame *)frame)->boundary);
}

static void entity_clear(Entity *entity)
{
	g_clear_pointer(&entity->header, header_unref);
	g_clear_object(&entity->type);
	g_clear_pointer(&entity->type_name, g_free);
}

void mime_part_free(MessagePart *part)
{
	if (part == NULL)
		return;
	g_free(part->content_type);
	g_free(part->charset);
	g_free(part->filename);
	g_clear_pointer(&part->bytes, g_bytes_unref);
	g_free(part->text);
	g_free(part);
}

static bool fail_limit(GError **error, const Walker *walker, const char *what, unsigned limit)
{
	g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT,
		    "line %" G_GSIZE_FORMAT ": the mail has more than %u %s", walker->cursor->line,
		    limit, what);
	return false;
}

/* "Content-Type: text" and the like mean what no Content-Type means. */
static void read_type(Entity *entity)
{
	g_autofree char *value = header_get(entity->header, "Content-Type");
	const char *fallback = entity->digest ? "message/rfc822" : TEXT_PLAIN;
	bool usable = value != NULL && strchr(value, '/') != NULL;

	entity->type = g_mime_content_type_parse(NULL, usable ? value : fallback);

	g_autofree char *name = g_mime_content_type_get_mime_type(entity->type);
	g_autofree char *valid = g_utf8_make_valid(name, -1);
	entity->type_name = g_ascii_strdown(valid, -1);
}

static bool has_parameter(const Entity *entity, const char *name, const char *wanted)
{
	const char *value = g_mime_content_type_get_parameter(entity->type, name);

	return value != NULL && g_ascii_strcasecmp(value, wanted) == 0;
}

/* The boundary when @entity is a multipart that can be taken apart, else NULL. */
static const char *entity_boundary(const Entity *entity)
{
	const char *boundary = NULL;

	if (g_str_has_prefix(entity->type_name, "multipart/"))
		boundary = g_mime_content_type_get_parameter(entity->type, "boundary");
	return boundary != NULL && *boundary != '\0' ? boundary : NULL;
}

/* A mail inside a mail may not be encoded (RFC 2046 section 5.2.1); one that is stays one part. */
static bool is_nested_mail(const Entity *entity)
{
	g_autofree char *encoding = header_get(entity->header, "Content-Transfer-Encoding");

	return strcmp(entity->type_name, "message/rfc822") == 0 &&
	       (encoding == NULL || (g_ascii_strcasecmp(encoding, "base64") != 0 &&
				     g_ascii_strcasecmp(encoding, "quoted-printable") != 0));
}

static void push_frame(Walker *walker, const char *boundary)
{
	Entity *entity = &walker->entity;
	Frame frame = {
		.boundary = g_strdup(boundary),
		.boundary_len = strlen(boundary),
		.group = entity->group,
		.depth = entity->depth + 1,
		.digest = strcmp(entity->type_name, "multipart/digest") == 0,
		.forwarded = entity->forwarded,
	};

	if (strcmp(entity->type_name, "multipart/alternative") == 0)
		frame.group = ++walker->n_groups;
	g_array_append_val(walker->stack, frame);
}

/*
 * Returns: index of the innermost open multipart whose boundary @line is, -1 for none; @out_is_end
 *   for its closing form
 */
static int match_boundary(const Walker *walker, ByteSlice line, bool *out_is_end)
{
	if (line.len < 3 || line.ptr[0] != '-' || line.ptr[1] != '-')
		return -1;
	while (line.len > 0 && g_ascii_isspace(line.ptr[line.len - 1]))
		line.len--;
	for (guint i = walker->stack->len; i > 0; i--) {
		const Frame *frame = &g_array_index(walker->stack, Frame, i - 1);
		gsize len = frame->boundary_len + 2;

		if (line.len < len || memcmp(line.ptr + 2, frame->boundary, len - 2) != 0)
			continue;
		*out_is_end = line.len == len + 2 && memcmp(line.ptr + len, "--", 2) == 0;
		if (line.len == len || *out_is_end)
			return (int)i - 1;
	}
	return -1;
}

/* The line end before a boundary belongs to the boundary (RFC 2046 section 5.1.1). */
static ByteSlice body_before(const char *start, const char *boundary_line)
{
	ByteSlice body = {.ptr = start, .len = (gsize)(boundary_line - start)};

	if (body.len > 0 && body.ptr[body.len - 1] == '\n')
		body.len--;
	if (body.len > 0 && body.ptr[body.len - 1] == '\r')
		body.len--;
	return body;
}

/*
 * Reads on to where the next part begins, closing the multiparts that end on the way.
 *
 * @out_body: all up to the first boundary
 * @out_frame: index of the multipart which that boundary belongs to, -1 at the end of the mail
 *
 * Returns: false at the end of the mail
 */
static bool read_body(Walker *walker, ByteSlice *out_body, int *out_frame)
{
	ByteCursor *cursor = walker->cursor;
	const char *start = cursor->data + cursor->pos;
	ByteSlice line;
	bool in_body = true;

	*out_frame = -1;
	*out_body = (ByteSlice){.ptr = start, .len = cursor_left(cursor)};
	while (cursor_take_line(cursor, &line)) {
		bool is_end = false;
		int index = match_boundary(walker, line, &is_end);

		if (index < 0)
			continue;
		if (in_body) {
			*out_body = body_before(start, line.ptr);
			*out_frame = index;
			in_body = false;
		}
		g_array_set_size(walker->stack, (guint)(is_end ? index : index + 1));
		if (!is_end)
			return true;
	}
	return false;
}

/* Without folders of any system and without control characters; NULL when nothing is left. */
static char *tidy_filename(const char *raw)
{
	g_autofree char *text = text_decode_field(raw);
	char *last = text;

	for (char *c = text; *c != '\0'; c++) {
		if (*c == '/' || *c == '\\')
			last = c + 1;
	}
	if (*last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return NULL;
	return g_strdup(last);
}

static void read_disposition(const Entity *entity, MessagePart *part)
{
	g_autofree char *value = header_get(entity->header, "Content-Disposition");
	GMimeContentDisposition *disposition =
		g_mime_content_disposition_parse(NULL, value ? value : "inline");
	const char *name = g_mime_content_disposition_get_parameter(disposition, "filename");
	const char *word = g_mime_content_disposition_get_disposition(disposition);

	if (name == NULL)
		name = g_mime_content_type_get_parameter(entity->type, "name");
	part->filename = name ? tidy_filename(name) : NULL;
	part->attachment = word != NULL && g_ascii_strcasecmp(word, "attachment") == 0;
	g_object_unref(disposition);
}

static void read_text(MessagePart *part)
{
	g_autoptr(GBytes) bytes =
		part->flowed ? text_unflow(part->bytes, part->delsp) : g_bytes_ref(part->bytes);
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);

	if (g_str_has_prefix(part->content_type, "text/") || text_has_diff(data, len))
		part->text = text_to_lf(text_to_utf8(data, len, part->charset));
}

static bool add_part(Walker *walker, ByteSlice body, const char *type_name, GError **error)
{
	const Entity *entity = &walker->entity;
	g_autofree char *encoding = header_get(entity->header, "Content-Transfer-Encoding");
	const char *charset = g_mime_content_type_get_parameter(entity->type, "charset");

	if (walker->parts->len >= MAIL_MAX_PARTS)
		return fail_limit(error, walker, "parts", MAIL_MAX_PARTS);

	MessagePart *part = g_new0(MessagePart, 1);
	part->content_type = g_strdup(type_name);
	part->charset = charset ? g_ascii_strdown(charset, -1) : NULL;
	part->forwarded = entity->forwarded;
	part->flowed =
		strcmp(type_name, TEXT_PLAIN) == 0 && has_parameter(entity, "format", "flowed");
	part->delsp = part->flowed && has_parameter(entity, "delsp", "yes");
	g_autoptr(GBytes) bytes = transfer_decode(body, encoding);
	bool text = g_str_has_prefix(part->content_type, "text/");
	part->bytes = text ? text_unsign(bytes) : g_bytes_ref(bytes);
	read_disposition(entity, part);
	read_text(part);
	g_ptr_array_add(walker->parts, part);
	g_array_append_val(walker->part_groups, entity->group);
	return true;
}

/* Enters the mails inside mails that start here, up to a multipart or a leaf. */
static bool enter_nested_mails(Walker *walker, GError **error)
{
	Entity *entity = &walker->entity;

	read_type(entity);
	while (is_nested_mail(entity)) {
		if (++entity->depth > MAIL_MAX_DEPTH)
			return fail_limit(error, walker, "levels of nesting", MAIL_MAX_DEPTH);
		entity_clear(entity);
		entity->digest = false;
		entity->forwarded = true;
		entity->header = header_read(walker->cursor, error);
		if (entity->header == NULL)
			return false;
		read_type(entity);
	}
	return true;
}

/*
 * Reads one part.
 *
 * @out_more: another part begins at the cursor
 */
static bool read_entity(Walker *walker, bool *out_more, GError **error)
{
	if (!enter_nested_mails(walker, error))
		return false;

	const Entity *entity = &walker->entity;
	const char *boundary = entity_boundary(entity);
	int own = (int)walker->stack->len;
	ByteSlice body;
	int frame;

	if (boundary == NULL) {
		bool is_multipart = g_str_has_prefix(entity->type_name, "multipart/");

		*out_more = read_body(walker, &body, &frame);
		return add_part(walker, body, is_multipart ? TEXT_PLAIN : entity->type_name, error);
	}
	if (entity->depth + 1 > MAIL_MAX_DEPTH)
		return fail_limit(error, walker, "levels of nesting", MAIL_MAX_DEPTH);
	push_frame(walker, boundary);
	*out_more = read_body(walker, &body, &frame);
	return frame == own || add_part(walker, body, TEXT_PLAIN, error);
}

static bool begin_next_entity(Walker *walker, GError **error)
{
	const Frame *frame = &g_array_index(walker->stack, Frame, walker->stack->len - 1);

	entity_clear(&walker->entity);
	walker->entity = (Entity){
		.group = frame->group,
		.depth = frame->depth,
		.digest = frame->digest,
		.forwarded = frame->forwarded,
	};
	walker->entity.header = header_read(walker->cursor, error);
	return walker->entity.header != NULL;
}

static bool walk(Walker *walker, GError **error)
{
	bool more;

	do {
		if (!read_entity(walker, &more, error))
			return false;
	} while (more && begin_next_entity(walker, error));
	return !more;
}

static bool group_has_plain(const Walker *walker, unsigned group)
{
	for (guint i = 0; i < walker->parts->len; i++) {
		const MessagePart *part = g_ptr_array_index(walker->parts, i);

		if (g_array_index(walker->part_groups, unsigned, i) == group &&
		    strcmp(part->content_type, TEXT_PLAIN) == 0)
			return true;
	}
	return false;
}

static void mark_html_twins(const Walker *walker)
{
	for (guint i = 0; i < walker->parts->len; i++) {
		MessagePart *part = g_ptr_array_index(walker->parts, i);
		unsigned group = g_array_index(walker->part_groups, unsigned, i);

		part->alternative = group != 0 && strcmp(part->content_type, "text/html") == 0 &&
				    group_has_plain(walker, group);
	}
}

bool mime_read_parts(Header *header, ByteCursor *cursor, GPtrArray *parts, GError **error)
{
	Walker walker = {
		.cursor = cursor,
		.parts = parts,
		.part_groups = g_array_new(FALSE, FALSE, sizeof(unsigned)),
		.stack = g_array_new(FALSE, FALSE, sizeof(Frame)),
		.entity = {.header = header_ref(header)},
	};

	g_array_set_clear_func(walker.stack, frame_clear);
	bool ok = walk(&walker, error);
	if (ok)
		mark_html_twins(&walker);
	entity_clear(&walker.entity);
	g_array_unref(walker.stack);
	g_array_unref(walker.part_groups);
	return ok;
}

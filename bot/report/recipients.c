/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/recipients.h"

#include "bot/base/error.h"

#define NAME_MAX_CHARS 120

void recipients_free(Recipients *recipients)
{
	if (recipients == NULL)
		return;
	g_ptr_array_unref(recipients->to);
	g_ptr_array_unref(recipients->cc);
	g_free(recipients);
}

/* No name may make a header line longer than a line may be. */
static char *short_name(const char *name)
{
	if (name == NULL || g_utf8_strlen(name, -1) <= NAME_MAX_CHARS)
		return g_strdup(name);
	return g_utf8_substring(name, 0, NAME_MAX_CHARS);
}

Mailbox *recipients_mailbox(const json_t *object, GError **error)
{
	const char *addr = json_string_value(json_object_get(object, "addr"));

	if (addr == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "the facts of the mail hold a person without \"addr\"");
		return NULL;
	}
	g_autoptr(GError) unsafe = NULL;
	g_autofree char *name = short_name(json_string_value(json_object_get(object, "name")));
	Mailbox *mailbox = mailbox_new(name, addr, &unsafe);
	if (mailbox == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "the facts of the mail: %s",
			    unsafe->message);
	return mailbox;
}

static bool holds(const GPtrArray *list, const Mailbox *mailbox)
{
	for (guint i = 0; i < list->len; i++) {
		if (mailbox_equal(g_ptr_array_index(list, i), mailbox))
			return true;
	}
	return false;
}

static bool add(Recipients *recipients, GPtrArray *list, const json_t *object, const Mailbox *own,
		GError **error)
{
	if (object == NULL || json_is_null(object))
		return true;

	g_autoptr(Mailbox) mailbox = recipients_mailbox(object, error);
	if (mailbox == NULL)
		return false;
	bool known = holds(recipients->to, mailbox) || holds(recipients->cc, mailbox);
	bool full = recipients->to->len + recipients->cc->len >= RECIPIENTS_MAX;
	if (!known && !full && !mailbox_addr_matches(mailbox->addr, own->addr))
		g_ptr_array_add(list, g_steal_pointer(&mailbox));
	return true;
}

static bool add_all(Recipients *recipients, const json_t *list, const Mailbox *own, GError **error)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!add(recipients, recipients->cc, json_array_get(list, i), own, error))
			return false;
	}
	return true;
}

static bool collect(Recipients *recipients, const json_t *facts, const Mailbox *own, GError **error)
{
	const json_t *answered = json_object_get(facts, "answered");
	const json_t *from = json_object_get(answered, "from");
	const json_t *author = json_object_get(facts, "patch_author");
	const json_t *list = json_object_get(facts, "list_address");

	return add(recipients, recipients->to, from, own, error) &&
	       add(recipients, recipients->to, author, own, error) &&
	       add(recipients, recipients->cc, list, own, error) &&
	       add_all(recipients, json_object_get(answered, "to"), own, error) &&
	       add_all(recipients, json_object_get(answered, "cc"), own, error);
}

Recipients *recipients_from_facts(const json_t *facts, const Mailbox *own, GError **error)
{
	g_autoptr(Recipients) recipients = g_new0(Recipients, 1);

	recipients->to = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	recipients->cc = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	if (!collect(recipients, facts, own, error))
		return NULL;
	if (recipients->to->len == 0) {
		g_set_error(
			error, BOT_ERROR, BOT_ERROR_PERMANENT,
			"nobody to write to: the mail that is answered is from us or from nobody, "
			"and no author of a patch is known");
		return NULL;
	}
	return g_steal_pointer(&recipients);
}

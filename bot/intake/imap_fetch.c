/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_fetch.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include <string.h>

#define MAILS_PER_COMMAND 100u
#define SEARCH_LEAST (16u * 1024)

typedef struct {
	uint32_t first;
	uint32_t last;
	GArray *mails;
} Listing;

static bool take_listed(const ImapResponse *response, const ImapHead *head, void *payload,
			GError **error)
{
	Listing *listing = payload;
	g_auto(ImapFetch) fetch = {0};

	if (strcmp(head->keyword, "FETCH") != 0)
		return true;
	if (!imap_fetch_parse(response, head, &fetch, error))
		return false;
	ImapMail *mail;
	return imap_mails_add(listing->mails, listing->first, listing->last, &fetch, &mail, error);
}

GArray *imap_fetch_list(ImapSession *session, uint32_t first, uint32_t last, GError **error)
{
	g_autoptr(GArray) mails = imap_mails_new();
	Listing listing = {first, last, mails};
	g_autofree char *text =
		g_strdup_printf("UID FETCH %u:%u (UID RFC822.SIZE INTERNALDATE)", first, last);

	imap_session_set_max_kept(session, 0);
	if (!imap_session_run_one(session, text, take_listed, &listing, error))
		return NULL;
	imap_mails_sort(mails);
	return g_steal_pointer(&mails);
}

/* The mails being fetched, and the room that is left for them. */
typedef struct {
	ImapRoom room;
	GArray *mails;
} Bodies;

static bool take_body(const ImapResponse *response, const ImapHead *head, void *payload,
		      GError **error)
{
	Bodies *bodies = payload;
	g_auto(ImapFetch) fetch = {0};

	if (strcmp(head->keyword, "FETCH") != 0)
		return true;
	if (!imap_fetch_parse(response, head, &fetch, error))
		return false;
	ImapMail *mail = imap_mails_find(bodies->mails, fetch.uid);
	if (!fetch.has_body || !mail || mail->state != IMAP_MAIL_LISTED)
		return true;
	if (fetch.body_size == 0)
		mail->state = IMAP_MAIL_GONE; /* or withheld: confirm_gone() looks */
	else
		imap_mail_take(mail, &fetch, &bodies->room);
	return true;
}

/* One command and the mails it asks for: the LISTED ones among [first, end) of the array. */
typedef struct {
	guint first;
	guint end;
} Slice;

static guint count_listed(const GArray *mails, Slice slice)
{
	guint n = 0;

	for (guint i = slice.first; i < slice.end; i++)
		n += g_array_index(mails, ImapMail, i).state == IMAP_MAIL_LISTED;
	return n;
}

/* "UID FETCH 5:7,9 (UID BODY.PEEK[])"; a range joins neighbours only, so nothing else is sent. */
static char *fetch_command(const GArray *mails, Slice slice)
{
	g_autoptr(GString) text = g_string_new("UID FETCH ");
	uint32_t from = 0;
	uint32_t to = 0;

	for (guint i = slice.first; i <= slice.end; i++) {
		const ImapMail *mail = i < slice.end ? &g_array_index(mails, ImapMail, i) : NULL;
		if (mail && mail->state != IMAP_MAIL_LISTED)
			continue;
		if (mail && from > 0 && mail->uid == to + 1) {
			to++;
			continue;
		}
		if (from > 0)
			g_string_append_printf(text, from == to ? "%u," : "%u:%u,", from, to);
		from = to = mail ? mail->uid : 0;
	}
	g_string_truncate(text, text->len - 1);
	g_string_append(text, " (UID BODY.PEEK[])");
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static bool answer_means_gone(const ImapCommand *command)
{
	return g_ascii_strcasecmp(command->code, "EXPUNGEISSUED") == 0 ||
	       g_ascii_strcasecmp(command->code, "NONEXISTENT") == 0;
}

/* The server says NO to a single mail. */
static void judge_refusal(ImapMail *mail, const ImapCommand *command)
{
	mail->state = answer_means_gone(command) ? IMAP_MAIL_GONE : IMAP_MAIL_WITHHELD;
	if (mail->state == IMAP_MAIL_WITHHELD)
		mail->refused = g_strdup_printf("the server will not hand it out: %s%s%s%s",
						command->code[0] ? "[" : "", command->code,
						command->code[0] ? "] " : "", command->words);
}

/* What an ended command leaves LISTED: gone (OK), or to be asked for one by one (NO). */
static bool judge_end(const GArray *mails, Slice slice, const ImapCommand *command,
		      GArray *io_singles, GError **error)
{
	bool alone = slice.end - slice.first == 1;

	if (command->status == IMAP_STATUS_BAD) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
			    "the server does not understand UID FETCH: %s", command->words);
		return false;
	}
	for (guint i = slice.first; i < slice.end; i++) {
		ImapMail *mail = &g_array_index(mails, ImapMail, i);
		if (mail->state != IMAP_MAIL_LISTED)
			continue;
		if (command->status == IMAP_STATUS_OK) {
			mail->state = IMAP_MAIL_GONE;
		} else if (alone) {
			judge_refusal(mail, command);
		} else {
			Slice single = {i, i + 1};
			g_array_append_val(io_singles, single);
		}
	}
	return true;
}

static bool fetch_slices(Bodies *bodies, const GArray *slices, GArray *io_singles, GError **error)
{
	g_autoptr(GArray) commands = g_array_new(FALSE, TRUE, sizeof(ImapCommand));
	g_array_set_clear_func(commands, (GDestroyNotify)imap_command_clear);

	for (guint i = 0; i < slices->len; i++) {
		ImapCommand command = {
			.text = fetch_command(bodies->mails, g_array_index(slices, Slice, i))};
		g_array_append_val(commands, command);
	}
	if (!imap_session_run(bodies->room.session, (ImapCommand *)(void *)commands->data,
			      commands->len, take_body, bodies, error))
		return false;
	for (guint i = 0; i < slices->len; i++) {
		if (!judge_end(bodies->mails, g_array_index(slices, Slice, i),
			       &g_array_index(commands, ImapCommand, i), io_singles, error))
			return false;
	}
	return true;
}

/* What was passed over with OK, or came without a byte, has been expunged; or it is still there. */
static bool confirm_gone(ImapSession *session, GArray *mails, GError **error)
{
	for (guint i = 0; i < mails->len; i++) {
		ImapMail *mail = &g_array_index(mails, ImapMail, i);
		if (mail->state != IMAP_MAIL_GONE)
			continue;
		g_autoptr(GArray) still = imap_fetch_list(session, mail->uid, mail->uid, error);
		if (!still)
			return false;
		if (still->len == 0)
			continue;
		bool empty = g_array_index(still, ImapMail, 0).size_bytes == 0;
		mail->state = empty ? IMAP_MAIL_REFUSED : IMAP_MAIL_WITHHELD;
		mail->refused = g_strdup(empty ? "it is empty"
					       : "the server lists it but does not hand it out");
	}
	return true;
}

bool imap_fetch_bodies(ImapSession *session, GArray *mails, size_t max_bytes, GError **error)
{
	Bodies bodies = {.room = {.session = session}, .mails = mails};
	g_autoptr(GArray) slices = g_array_new(FALSE, FALSE, sizeof(Slice));
	g_autoptr(GArray) singles = g_array_new(FALSE, FALSE, sizeof(Slice));

	for (guint i = 0; i < mails->len; i += MAILS_PER_COMMAND) {
		Slice slice = {i, MIN(i + MAILS_PER_COMMAND, mails->len)};
		if (count_listed(mails, slice) > 0)
			g_array_append_val(slices, slice);
	}
	imap_room_set(&bodies.room, max_bytes);
	return fetch_slices(&bodies, slices, singles, error) &&
	       fetch_slices(&bodies, singles, NULL, error) && confirm_gone(session, mails, error);
}

static bool take_uid(const ImapResponse *response, const ImapHead *head, void *payload,
		     GError **error)
{
	uint32_t *next = payload;
	g_auto(ImapFetch) fetch = {0};

	if (strcmp(head->keyword, "FETCH") != 0)
		return true;
	if (!imap_fetch_parse(response, head, &fetch, error))
		return false;
	if (fetch.uid >= *next && fetch.uid < G_MAXUINT32)
		*next = fetch.uid + 1;
	return true;
}

bool imap_fetch_find_next(ImapSession *session, uint32_t *io_uid_next, GError **error)
{
	g_autofree char *text = g_strdup_printf("UID FETCH %u:* (UID)", *io_uid_next);

	imap_session_set_max_kept(session, 0);
	return imap_session_run_one(session, text, take_uid, io_uid_next, error);
}

typedef struct {
	uint32_t first;
	uint32_t lowest;
} Search;

static bool take_found(const ImapResponse *response, const ImapHead *head, void *payload,
		       GError **error)
{
	Search *search = payload;

	return strcmp(head->keyword, "SEARCH") != 0 ||
	       imap_search_parse(response, head, search->first, &search->lowest, error);
}

/*
 * " SINCE 1-Feb-2024".  SINCE looks at the date alone, in whatever zone the server keeps it, so the
 * day before is asked for and the exact time is left to INTERNALDATE.
 */
static char *since_clause(int64_t since_us)
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc(since_us / CLOCK_US_PER_S);
	g_autoptr(GDateTime) day = at ? g_date_time_add_days(at, -1) : NULL;

	if (!day)
		return g_strdup("");
	return g_strdup_printf(" SINCE %d-%s-%04d", g_date_time_get_day_of_month(day),
			       months[g_date_time_get_month(day) - 1], g_date_time_get_year(day));
}

bool imap_fetch_find_first(ImapSession *session, uint32_t first, uint32_t last, int64_t since_us,
			   uint32_t *out_uid, GError **error)
{
	g_autofree char *since = since_us > 0 ? since_clause(since_us) : g_strdup("");
	uint64_t from = first;
	uint64_t span = SEARCH_LEAST;

	*out_uid = 0;
	while (from <= last && *out_uid == 0) {
		uint64_t to = MIN(from + span - 1, last);
		Search search = {.first = (uint32_t)from, .lowest = G_MAXUINT32};
		/* The set comes last: public-inbox takes all that follows for a part of it. */
		g_autofree char *text = g_strdup_printf("UID SEARCH%s UID %u:%u", since,
							(unsigned)from, (unsigned)to);
		if (!imap_session_run_one(session, text, take_found, &search, error))
			return false;
		if (search.lowest <= to)
			*out_uid = search.lowest;
		from = to + 1;
		span = MIN(span * 2, IMAP_SEARCH_MOST);
	}
	return true;
}

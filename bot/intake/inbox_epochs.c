/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/inbox_epochs.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/inbox_source_epoch.h"
#include "bot/intake/source_private.h"

#include <string.h>

/* Somebody fetches, repacks or mends: what is not there now may be soon. */
#define HOLD_US (INT64_C(60) * 60 * CLOCK_US_PER_S)
/* Then what cannot be read is given up at once: a thousand of them wait an hour together. */
#define GIVE_UP_US (24 * HOLD_US)

static void epoch_free(gpointer data)
{
	InboxEpoch *epoch = data;

	g_array_unref(epoch->commits);
	g_free(epoch);
}

static InboxEpoch *epoch_new(const InboxMark *mark)
{
	InboxEpoch *epoch = g_new0(InboxEpoch, 1);

	epoch->mark = *mark;
	epoch->held_us = mark->held_us;
	g_strlcpy(epoch->target, mark->pos, sizeof epoch->target);
	epoch->commits = g_array_new(FALSE, FALSE, sizeof(git_oid));
	return epoch;
}

void inbox_epochs_init(InboxEpochs *epochs, const char *folder, int64_t start_us, int stop_fd)
{
	*epochs = (InboxEpochs){
		.folder = g_strdup(folder),
		.stop_fd = stop_fd,
		.start_us = MAX(start_us, 0),
		.all = g_ptr_array_new_with_free_func(epoch_free),
	};
}

void inbox_epochs_clear(InboxEpochs *epochs)
{
	g_clear_pointer(&epochs->folder, g_free);
	g_clear_pointer(&epochs->all, g_ptr_array_unref);
	g_clear_error(&epochs->fault);
	g_clear_pointer(&epochs->anomaly, g_free);
}

bool inbox_epochs_take_cursor(InboxEpochs *epochs, const char *text, GError **error)
{
	InboxCursor cursor;

	if (!inbox_cursor_parse(text, &cursor, error))
		return false;
	epochs->start_us = cursor.start_us;
	epochs->newest = cursor.newest;
	for (guint i = 0; i < cursor.marks->len; i++)
		g_ptr_array_add(epochs->all, epoch_new(&g_array_index(cursor.marks, InboxMark, i)));
	inbox_cursor_clear(&cursor);
	epochs->has_cursor = true;
	return true;
}

/* The mark of an epoch of which so many listed commits are done. */
static InboxMark mark_after(const InboxEpoch *epoch, guint n_done)
{
	InboxMark mark = epoch->mark;

	mark.held_us = epoch->held_us;
	if (n_done == epoch->commits->len) {
		g_strlcpy(mark.pos, epoch->target, sizeof mark.pos);
		mark.limit[0] = '\0';
	} else if (n_done > 0) {
		git_oid_tostr(mark.pos, sizeof mark.pos,
			      &g_array_index(epoch->commits, git_oid, n_done - 1));
		if (n_done > epoch->n_limited)
			mark.limit[0] = '\0';
	}
	return mark;
}

char *inbox_epochs_cursor(const InboxEpochs *epochs)
{
	InboxCursor cursor;

	inbox_cursor_init(&cursor, epochs->start_us);
	cursor.newest = epochs->newest;
	for (guint i = 0; i < epochs->all->len; i++) {
		const InboxEpoch *epoch = epochs->all->pdata[i];
		InboxMark mark = mark_after(epoch, epoch->taken);
		g_array_append_val(cursor.marks, mark);
	}
	char *text = inbox_cursor_format(&cursor);
	inbox_cursor_clear(&cursor);
	return text;
}

/* ---- which epochs there are ---- */

/* "12.git" */
static bool parse_folder_name(const char *name, unsigned *out_number)
{
	g_autofree char *again = NULL;
	guint64 number = g_ascii_strtoull(name, NULL, 10);

	if (number > INBOX_MAX_EPOCH)
		return false;
	again = g_strdup_printf("%" G_GUINT64_FORMAT ".git", number);
	*out_number = (unsigned)number;
	return strcmp(again, name) == 0;
}

char *inbox_epochs_path(const InboxEpochs *epochs, unsigned number)
{
	return g_strdup_printf("%s/%u.git", epochs->folder, number);
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return (left > right) - (left < right);
}

GArray *inbox_epochs_list(const InboxEpochs *epochs, GError **error)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GError) failed = NULL;
	g_autoptr(GDir) dir = g_dir_open(epochs->folder, 0, &failed);
	const char *name;
	unsigned number;

	if (!dir) {
		g_set_error_literal(error, BOT_ERROR, BOT_ERROR_TRANSIENT, failed->message);
		g_array_unref(numbers);
		return NULL;
	}
	while ((name = g_dir_read_name(dir)) != NULL) {
		if (parse_folder_name(name, &number))
			g_array_append_val(numbers, number);
	}
	g_array_sort(numbers, compare_numbers);
	return numbers;
}

/* Where the epoch stands in the list, or would stand. */
static guint place_of(const InboxEpochs *epochs, unsigned number)
{
	guint i = 0;

	while (i < epochs->all->len &&
	       ((const InboxEpoch *)epochs->all->pdata[i])->mark.number < number)
		i++;
	return i;
}

static InboxEpoch *find_epoch(const InboxEpochs *epochs, unsigned number)
{
	guint place = place_of(epochs, number);
	InboxEpoch *epoch = place < epochs->all->len ? epochs->all->pdata[place] : NULL;

	return epoch && epoch->mark.number == number ? epoch : NULL;
}

static InboxEpoch *add_epoch(InboxEpochs *epochs, unsigned number)
{
	InboxMark mark = {.number = number};
	InboxEpoch *epoch = epoch_new(&mark);

	g_ptr_array_insert(epochs->all, (gint)place_of(epochs, number), epoch);
	return epoch;
}

/* To be read from its root: all of it, or what came since the start if it was there before us. */
static void restart_epoch(const InboxEpochs *epochs, InboxEpoch *epoch, const char *tip)
{
	bool later = epoch->mark.number > epochs->newest;

	epoch->mark.missing = false;
	epoch->mark.pos[0] = '\0';
	g_strlcpy(epoch->mark.limit, later ? "" : tip, sizeof epoch->mark.limit);
}

static void mark_missing(InboxEpochs *epochs, unsigned number, const char *how)
{
	InboxEpoch *epoch = find_epoch(epochs, number);

	if (epoch && epoch->mark.missing)
		return;
	if (!epoch)
		epoch = add_epoch(epochs, number);
	source_note(&epochs->anomaly, "epoch %u is %s", number, how);
	epoch->mark = (InboxMark){.number = number, .missing = true};
	epoch->target[0] = '\0';
}

/* Lists what stands between the mark and the tip. */
static bool list_commits(InboxEpochs *epochs, InboxEpoch *epoch, const char *path, const char *tip,
			 GError **error)
{
	InboxRange range;

	if (!inbox_epoch_list(path, tip, &epoch->mark, epochs->start_us, epochs->stop_fd, &range,
			      error))
		return false;
	if (range.is_rewritten) {
		g_array_unref(range.commits);
		source_note(&epochs->anomaly, "epoch %u was rewritten: read again",
			    epoch->mark.number);
		restart_epoch(epochs, epoch, tip);
		if (!inbox_epoch_list(path, tip, &epoch->mark, epochs->start_us, epochs->stop_fd,
				      &range, error))
			return false;
	}
	g_array_unref(epoch->commits);
	epoch->commits = range.commits;
	epoch->n_limited = range.n_limited;
	epoch->acked = epoch->taken = 0;
	g_strlcpy(epoch->target, tip, sizeof epoch->target);
	return true;
}

static bool look_at_epoch(InboxEpochs *epochs, unsigned number, GError **error)
{
	g_autofree char *path = inbox_epochs_path(epochs, number);
	InboxEpoch *epoch = find_epoch(epochs, number);
	char tip[INBOX_ID_LEN + 1];

	if (epoch && epoch->acked < epoch->commits->len)
		return true; /* it waits, see inbox_epoch_hold() */
	if (!inbox_epoch_tip(path, tip, error))
		return false;
	if (tip[0] == '\0') {
		if (epoch && (epoch->mark.pos[0] || epoch->mark.limit[0]))
			mark_missing(epochs, number, "empty now");
		else if (!epoch) {
			(void)add_epoch(epochs, number);
			source_note(&epochs->anomaly, "epoch %u is empty", number);
		}
		return true;
	}
	if (!epoch || epoch->mark.missing) {
		epoch = epoch ? epoch : add_epoch(epochs, number);
		restart_epoch(epochs, epoch, tip);
	}
	return strcmp(epoch->mark.pos, tip) == 0 || list_commits(epochs, epoch, path, tip, error);
}

/* Epochs known or to be expected that are not in the folder. */
static void look_for_gaps(InboxEpochs *epochs, const GArray *numbers)
{
	unsigned lowest = g_array_index(numbers, unsigned, 0);
	guint at = 0;

	for (guint i = 0; i < epochs->all->len; i++) {
		unsigned number = ((const InboxEpoch *)epochs->all->pdata[i])->mark.number;
		if (!g_array_binary_search((GArray *)(gsize)numbers, &number, compare_numbers,
					   NULL))
			mark_missing(epochs, number, "gone");
	}
	for (unsigned number = lowest; at < numbers->len; number++) {
		if (g_array_index(numbers, unsigned, at) == number)
			at++;
		else
			mark_missing(epochs, number, "missing");
	}
}

bool inbox_epochs_look(InboxEpochs *epochs, GError **error)
{
	g_autoptr(GArray) numbers = inbox_epochs_list(epochs, error);

	if (!numbers)
		return false;
	if (numbers->len == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "%s holds no epoch (0.git) yet",
			    epochs->folder);
		return false;
	}
	if (!epochs->has_cursor)
		epochs->newest = g_array_index(numbers, unsigned, numbers->len - 1);
	look_for_gaps(epochs, numbers);
	g_clear_error(&epochs->fault);
	for (guint i = 0; i < numbers->len; i++) {
		g_autoptr(GError) failed = NULL;

		if (!look_at_epoch(epochs, g_array_index(numbers, unsigned, i), &failed) &&
		    !epochs->fault)
			epochs->fault = g_steal_pointer(&failed);
	}
	if (!epochs->fault || epochs->has_cursor)
		return true;
	g_ptr_array_set_size(epochs->all, 0);
	g_propagate_error(error, g_steal_pointer(&epochs->fault));
	return false;
}

/* ---- what is done ---- */

int64_t inbox_epochs_left(const InboxEpochs *epochs)
{
	int64_t n = 0;

	for (guint i = 0; i < epochs->all->len; i++) {
		const InboxEpoch *epoch = epochs->all->pdata[i];
		n += epoch->commits->len - epoch->taken;
	}
	return n;
}

bool inbox_epoch_hold(InboxEpoch *epoch, bool *out_is_new)
{
	int64_t now_us = g_get_real_time();

	*out_is_new = epoch->held_us == 0 || epoch->held_us > now_us ||
		      now_us - epoch->held_us > GIVE_UP_US;
	if (*out_is_new)
		epoch->held_us = now_us;
	return now_us - epoch->held_us >= HOLD_US;
}

void inbox_epoch_mended(InboxEpoch *epoch)
{
	if (g_get_real_time() - epoch->held_us < HOLD_US)
		epoch->held_us = 0;
}

void inbox_epochs_rewind(InboxEpochs *epochs)
{
	for (guint i = 0; i < epochs->all->len; i++) {
		InboxEpoch *epoch = epochs->all->pdata[i];
		epoch->taken = epoch->acked;
	}
}

void inbox_epochs_acknowledge(InboxEpochs *epochs)
{
	for (guint i = 0; i < epochs->all->len; i++) {
		InboxEpoch *epoch = epochs->all->pdata[i];
		epoch->acked = epoch->taken;
		if (epoch->acked < epoch->commits->len)
			continue;
		epoch->mark = mark_after(epoch, epoch->acked);
		epoch->n_limited = epoch->acked = epoch->taken = 0;
		g_array_set_size(epoch->commits, 0);
	}
	epochs->has_cursor = true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * inbox_source - a public-inbox v2 folder as a Source: which epochs there are and what is new.
 *
 * A look compares the tip of each epoch with the cursor and lists the commits in between; batches
 * are cut from these lists, and when they are empty the next look is due.  A locator is the id of
 * the mail's blob, which stays when the history around it is rewritten.
 */

#include "bot/intake/source_private.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/intake/inbox_source_epoch.h"
#include "bot/intake/inbox_source_fetch.h"
#include "bot/intake/watch.h"
#include "mailparse/limits.h"

#include <string.h>

#define LOOK_MS 2000 /* between looks at refs that somebody else moves            */
#define ANOMALY_MAX_BYTES 1000u

/* What is still to be read of one epoch. */
typedef struct {
	InboxMark mark; /* as acknowledged                                              */
	char target[INBOX_ID_LEN + 1]; /* the mark's position when all are taken                */
	GArray *commits;               /* (element-type git_oid) oldest first                   */
	guint n_limited;               /* of them stand below the mark's limit                  */
	guint acked;                   /* so many are done for good                             */
	guint taken;                   /* so many are done with the batch handed out last       */
} Epoch;

typedef struct {
	Source base;
	char *name;
	char *folder; /* DIR/git */
	bool (*is_known)(const char *locator, void *payload);
	void *payload;
	int stop_fd;

	char *fetch_url; /* NULL: somebody else brings the epochs */
	char *ca_file;
	int64_t fetch_every_us;
	int64_t fetch_timeout_ms;
	uint64_t fetch_max_bytes;
	int64_t fetch_due_us; /* monotonic */
	unsigned n_fetches;

	int64_t start_us;
	unsigned newest;   /* epoch at first contact */
	bool has_cursor;   /* false only at first contact */
	GPtrArray *epochs; /* (element-type Epoch), rising */
	GString *anomaly;  /* since the last acknowledgement */
	char *acked;       /* the cursor as acknowledged; NULL before */
	char *handed;      /* that behind the batch handed out last */
} InboxSource;

static void epoch_free(gpointer data)
{
	Epoch *epoch = data;

	g_array_unref(epoch->commits);
	g_free(epoch);
}

static void close_source(Source *source)
{
	InboxSource *inbox = (InboxSource *)source;

	g_ptr_array_unref(inbox->epochs);
	g_string_free(inbox->anomaly, TRUE);
	g_free(inbox->acked);
	g_free(inbox->handed);
	g_free(inbox->fetch_url);
	g_free(inbox->ca_file);
	g_free(inbox->name);
	g_free(inbox->folder);
	g_free(inbox);
}

static Epoch *epoch_new(const InboxMark *mark)
{
	Epoch *epoch = g_new0(Epoch, 1);

	epoch->mark = *mark;
	g_strlcpy(epoch->target, mark->pos, sizeof epoch->target);
	epoch->commits = g_array_new(FALSE, FALSE, sizeof(git_oid));
	return epoch;
}

static bool take_cursor(InboxSource *inbox, const char *text, GError **error)
{
	InboxCursor cursor;

	if (!inbox_cursor_parse(text, &cursor, error))
		return false;
	inbox->start_us = cursor.start_us;
	inbox->newest = cursor.newest;
	for (guint i = 0; i < cursor.marks->len; i++)
		g_ptr_array_add(inbox->epochs,
				epoch_new(&g_array_index(cursor.marks, InboxMark, i)));
	inbox_cursor_clear(&cursor);
	inbox->acked = g_strdup(text);
	inbox->has_cursor = true;
	return true;
}

/* With something to fetch the folder is made, else it must be there. */
static bool find_folder(const InboxSource *inbox, const char *dir, GError **error)
{
	g_autofree char *v1 = g_build_filename(dir, "objects", NULL);

	if (inbox->fetch_url)
		return fs_make_dir(inbox->folder, 0700, error);
	if (g_file_test(inbox->folder, G_FILE_TEST_IS_DIR))
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s is no public-inbox v2 folder: %s", dir,
		    g_file_test(v1, G_FILE_TEST_IS_DIR)
			    ? "it is a repository itself, as in public-inbox's first format; name "
			      "the folder that holds git/0.git"
			    : "there is no folder git in it");
	return false;
}

static Source *open_source(const SourceOptions *options, GError **error)
{
	InboxSource *inbox = g_new0(InboxSource, 1);
	const char *dir = strchr(options->url, ':') + 1;

	inbox->base.ops = &inbox_source_ops;
	inbox->name = g_strdup(options->name);
	inbox->folder = g_build_filename(dir, "git", NULL);
	inbox->is_known = options->is_known;
	inbox->payload = options->payload;
	/* Descriptor 0 is a field left out, not a wish to stop at the end of standard input. */
	inbox->stop_fd = options->stop_fd > 0 ? options->stop_fd : -1;
	inbox->fetch_url = g_strdup(options->fetch_url);
	inbox->ca_file = g_strdup(options->ca_file);
	inbox->fetch_every_us = options->fetch_every_us;
	inbox->fetch_timeout_ms = options->fetch_timeout_ms;
	inbox->fetch_max_bytes = options->fetch_max_bytes;
	inbox->start_us = MAX(options->start_us, 0);
	inbox->epochs = g_ptr_array_new_with_free_func(epoch_free);
	inbox->anomaly = g_string_new(NULL);
	if (find_folder(inbox, dir, error) &&
	    (!options->cursor || take_cursor(inbox, options->cursor, error)))
		return &inbox->base;
	g_prefix_error(error, "source %s: ", inbox->name);
	close_source(&inbox->base);
	return NULL;
}

/* ---- what is told ---- */

G_GNUC_PRINTF(2, 3) static void note(InboxSource *inbox, const char *format, ...)
{
	va_list args;

	if (inbox->anomaly->len >= ANOMALY_MAX_BYTES) {
		if (!g_str_has_suffix(inbox->anomaly->str, "; ..."))
			g_string_append(inbox->anomaly, "; ...");
		return;
	}
	if (inbox->anomaly->len > 0)
		g_string_append(inbox->anomaly, "; ");
	va_start(args, format);
	g_string_append_vprintf(inbox->anomaly, format, args);
	va_end(args);
}

/* The mark of an epoch of which so many listed commits are done. */
static InboxMark mark_after(const Epoch *epoch, guint n_done)
{
	InboxMark mark = epoch->mark;

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

static char *format_cursor(const InboxSource *inbox)
{
	InboxCursor cursor;

	inbox_cursor_init(&cursor, inbox->start_us);
	cursor.newest = inbox->newest;
	for (guint i = 0; i < inbox->epochs->len; i++) {
		const Epoch *epoch = inbox->epochs->pdata[i];
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

static char *path_of(const InboxSource *inbox, unsigned number)
{
	return g_strdup_printf("%s/%u.git", inbox->folder, number);
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return (left > right) - (left < right);
}

/* Returns: (element-type unsigned): the epochs in the folder, rising */
static GArray *list_epochs(const InboxSource *inbox, GError **error)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GError) failed = NULL;
	g_autoptr(GDir) dir = g_dir_open(inbox->folder, 0, &failed);
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
static guint place_of(const InboxSource *inbox, unsigned number)
{
	guint i = 0;

	while (i < inbox->epochs->len &&
	       ((const Epoch *)inbox->epochs->pdata[i])->mark.number < number)
		i++;
	return i;
}

static Epoch *find_epoch(const InboxSource *inbox, unsigned number)
{
	guint place = place_of(inbox, number);
	Epoch *epoch = place < inbox->epochs->len ? inbox->epochs->pdata[place] : NULL;

	return epoch && epoch->mark.number == number ? epoch : NULL;
}

static Epoch *add_epoch(InboxSource *inbox, unsigned number)
{
	InboxMark mark = {.number = number};
	Epoch *epoch = epoch_new(&mark);

	g_ptr_array_insert(inbox->epochs, (gint)place_of(inbox, number), epoch);
	return epoch;
}

/* To be read from its root: all of it, or what came since the start if it was there before us. */
static void restart_epoch(const InboxSource *inbox, Epoch *epoch, const char *tip)
{
	bool later = epoch->mark.number > inbox->newest;

	epoch->mark.missing = false;
	epoch->mark.pos[0] = '\0';
	g_strlcpy(epoch->mark.limit, later ? "" : tip, sizeof epoch->mark.limit);
}

static void mark_missing(InboxSource *inbox, unsigned number, const char *how)
{
	Epoch *epoch = find_epoch(inbox, number);

	if (epoch && epoch->mark.missing)
		return;
	if (!epoch)
		epoch = add_epoch(inbox, number);
	note(inbox, "epoch %u is %s", number, how);
	epoch->mark = (InboxMark){.number = number, .missing = true};
	epoch->target[0] = '\0';
}

/* Lists what stands between the mark and the tip. */
static bool list_commits(InboxSource *inbox, Epoch *epoch, const char *path, const char *tip,
			 GError **error)
{
	InboxRange range;

	if (!inbox_epoch_list(path, tip, &epoch->mark, inbox->start_us, inbox->stop_fd, &range,
			      error))
		return false;
	if (range.is_rewritten) {
		g_array_unref(range.commits);
		note(inbox, "epoch %u was rewritten: read again", epoch->mark.number);
		restart_epoch(inbox, epoch, tip);
		if (!inbox_epoch_list(path, tip, &epoch->mark, inbox->start_us, inbox->stop_fd,
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

static bool look_at_epoch(InboxSource *inbox, unsigned number, GError **error)
{
	g_autofree char *path = path_of(inbox, number);
	Epoch *epoch = find_epoch(inbox, number);
	char tip[INBOX_ID_LEN + 1];

	if (!inbox_epoch_tip(path, tip, error))
		return false;
	if (tip[0] == '\0') {
		if (epoch && (epoch->mark.pos[0] || epoch->mark.limit[0]))
			mark_missing(inbox, number, "empty now");
		else if (!epoch) {
			(void)add_epoch(inbox, number);
			note(inbox, "epoch %u is empty", number);
		}
		return true;
	}
	if (!epoch || epoch->mark.missing) {
		epoch = epoch ? epoch : add_epoch(inbox, number);
		restart_epoch(inbox, epoch, tip);
	}
	return strcmp(epoch->mark.pos, tip) == 0 || list_commits(inbox, epoch, path, tip, error);
}

/* Epochs known or to be expected that are not in the folder. */
static void look_for_gaps(InboxSource *inbox, const GArray *numbers)
{
	unsigned lowest = g_array_index(numbers, unsigned, 0);
	guint at = 0;

	for (guint i = 0; i < inbox->epochs->len; i++) {
		unsigned number = ((const Epoch *)inbox->epochs->pdata[i])->mark.number;
		if (!g_array_binary_search((GArray *)(gsize)numbers, &number, compare_numbers,
					   NULL))
			mark_missing(inbox, number, "gone");
	}
	for (unsigned number = lowest; at < numbers->len; number++) {
		if (g_array_index(numbers, unsigned, at) == number)
			at++;
		else
			mark_missing(inbox, number, "missing");
	}
}

/* Compares the folder with the cursor; what is new stands in the epochs' lists afterwards. */
static bool look(InboxSource *inbox, GError **error)
{
	g_autoptr(GArray) numbers = list_epochs(inbox, error);

	if (!numbers)
		return false;
	if (numbers->len == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "%s holds no epoch (0.git) yet",
			    inbox->folder);
		return false;
	}
	if (!inbox->has_cursor)
		inbox->newest = g_array_index(numbers, unsigned, numbers->len - 1);
	look_for_gaps(inbox, numbers);
	for (guint i = 0; i < numbers->len; i++) {
		if (!look_at_epoch(inbox, g_array_index(numbers, unsigned, i), error))
			return false;
	}
	return true;
}

/* ---- fetching ---- */

/* Epochs but the newest are closed: one of them in turn is enough to notice a rewrite. */
static bool fetch(InboxSource *inbox, GError **error)
{
	InboxFetch fetch = {
		.url = inbox->fetch_url,
		.ca_file = inbox->ca_file,
		.folder = inbox->folder,
		.timeout_ms = inbox->fetch_timeout_ms,
		.max_bytes = inbox->fetch_max_bytes,
		.stop_fd = inbox->stop_fd,
	};
	g_autoptr(GArray) numbers = list_epochs(inbox, error);

	if (!numbers)
		return false;
	int newest = -1, older = -1;
	if (numbers->len > 0)
		newest = (int)g_array_index(numbers, unsigned, numbers->len - 1);
	if (numbers->len > 1)
		older = (int)g_array_index(numbers, unsigned,
					   inbox->n_fetches % (numbers->len - 1));
	if (!inbox_fetch(&fetch, newest, older, error))
		return false;
	inbox->n_fetches++;
	inbox->fetch_due_us = g_get_monotonic_time() + inbox->fetch_every_us;
	return true;
}

static bool fetch_is_due(const InboxSource *inbox)
{
	return inbox->fetch_url && g_get_monotonic_time() >= inbox->fetch_due_us;
}

/* ---- batches ---- */

/* What one batch is made of. */
typedef struct {
	InboxSource *inbox;
	Epoch *epoch;
	git_repository *repo; /* the epoch's */
	size_t max_mails;
	size_t bytes; /* held by the batch */
	SourceBatch *out;
} Reading;

static bool has_room(const Reading *reading, const InboxMail *mail)
{
	if (reading->out->mails->len == 0)
		return true;
	return reading->out->mails->len < reading->max_mails &&
	       (mail->size_bytes > MAIL_MAX_BYTES ||
		reading->bytes + mail->size_bytes <= SOURCE_BATCH_MAX_BYTES);
}

/* @out_full: the mail was left for the next batch */
static bool take_mail(Reading *reading, InboxMail *mail, bool *out_full, GError **error)
{
	const InboxSource *inbox = reading->inbox;

	if (inbox->is_known && inbox->is_known(git_oid_tostr_s(&mail->blob), inbox->payload))
		return true;
	*out_full = !has_room(reading, mail);
	if (*out_full)
		return true;
	SourceMail *out = inbox_mail_take(reading->repo, mail, error);
	if (!out)
		return false;
	if (out->bytes)
		reading->bytes += mail->size_bytes;
	g_ptr_array_add(reading->out->mails, out);
	return true;
}

static bool read_commit(Reading *reading, bool *out_full, GError **error)
{
	Epoch *epoch = reading->epoch;
	const git_oid *id = &g_array_index(epoch->commits, git_oid, epoch->taken);
	InboxMail mail;
	bool has_mail;
	g_autofree char *odd = NULL;

	*out_full = false;
	if (!inbox_commit_look(reading->repo, id, &mail, &has_mail, &odd, error))
		return false;
	if (odd)
		note(reading->inbox, "epoch %u, commit %s was passed over: %s", epoch->mark.number,
		     git_oid_tostr_s(id), odd);
	bool fine = !has_mail || take_mail(reading, &mail, out_full, error);
	g_free(mail.broken);
	if (fine && !*out_full)
		epoch->taken++;
	return fine;
}

/* @out_full: the batch holds as much as it may, or a stop is wished for */
static bool read_epoch(Reading *reading, bool *out_full, GError **error)
{
	const Epoch *epoch = reading->epoch;
	g_autofree char *path = path_of(reading->inbox, epoch->mark.number);
	g_autoptr(git_repository) repo = NULL;

	*out_full = false;
	if (epoch->taken == epoch->commits->len)
		return true;
	repo = inbox_epoch_open(path, error);
	reading->repo = repo;
	bool fine = repo != NULL;
	for (unsigned n = 1; fine && !*out_full && epoch->taken < epoch->commits->len; n++) {
		fine = read_commit(reading, out_full, error);
		if (n % 256 == 0 && watch_stop_asked(reading->inbox->stop_fd))
			*out_full = true;
	}
	return fine;
}

/* A fault behind mails that could be read waits for the next batch. */
static bool fill_batch(InboxSource *inbox, size_t max_mails, SourceBatch *out, GError **error)
{
	Reading reading = {.inbox = inbox, .max_mails = max_mails, .out = out};
	g_autoptr(GError) failed = NULL;
	bool full = false;

	for (guint i = 0; i < inbox->epochs->len && !full; i++) {
		reading.epoch = inbox->epochs->pdata[i];
		if (read_epoch(&reading, &full, &failed))
			continue;
		if (out->mails->len > 0)
			return true;
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	return true;
}

static int64_t count_left(const InboxSource *inbox)
{
	int64_t n = 0;

	for (guint i = 0; i < inbox->epochs->len; i++) {
		const Epoch *epoch = inbox->epochs->pdata[i];
		n += epoch->commits->len - epoch->taken;
	}
	return n;
}

/* At first contact all must be there before it is decided what is new. */
static bool read_news(InboxSource *inbox, size_t max_mails, SourceBatch *out, GError **error)
{
	if (count_left(inbox) > 0)
		return fill_batch(inbox, max_mails, out, error);
	if (!inbox->has_cursor && fetch_is_due(inbox) && !fetch(inbox, error))
		return false;
	if (!look(inbox, error) || !fill_batch(inbox, max_mails, out, error))
		return false;
	if (out->mails->len > 0 || !fetch_is_due(inbox))
		return true;
	return fetch(inbox, error) && look(inbox, error) &&
	       fill_batch(inbox, max_mails, out, error);
}

static void hand_out(InboxSource *inbox, SourceBatch *out)
{
	g_free(inbox->handed);
	inbox->handed = format_cursor(inbox);
	if (g_strcmp0(inbox->handed, inbox->acked) != 0)
		out->cursor = g_strdup(inbox->handed);
	if (inbox->anomaly->len > 0)
		out->anomaly = g_strdup(inbox->anomaly->str);
	out->behind = count_left(inbox);
}

static bool next_batch(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error)
{
	InboxSource *inbox = (InboxSource *)source;

	/* The last batch was not acknowledged: its mails come again. */
	for (guint i = 0; i < inbox->epochs->len; i++) {
		Epoch *epoch = inbox->epochs->pdata[i];
		epoch->taken = epoch->acked;
	}
	g_clear_pointer(&inbox->handed, g_free);
	if (!read_news(inbox, max_mails, out_batch, error)) {
		g_prefix_error(error, "source %s: ", inbox->name);
		return false;
	}
	hand_out(inbox, out_batch);
	return true;
}

static bool ack_batch(Source *source, GError **error)
{
	InboxSource *inbox = (InboxSource *)source;

	(void)error;
	if (!inbox->handed)
		return true;
	for (guint i = 0; i < inbox->epochs->len; i++) {
		Epoch *epoch = inbox->epochs->pdata[i];
		epoch->acked = epoch->taken;
		if (epoch->acked < epoch->commits->len)
			continue;
		epoch->mark = mark_after(epoch, epoch->acked);
		epoch->n_limited = epoch->acked = epoch->taken = 0;
		g_array_set_size(epoch->commits, 0);
	}
	g_string_truncate(inbox->anomaly, 0);
	g_free(inbox->acked);
	inbox->acked = g_steal_pointer(&inbox->handed);
	inbox->has_cursor = true;
	return true;
}

static bool wait_source(Source *source, int timeout_ms, GError **error)
{
	const InboxSource *inbox = (const InboxSource *)source;
	int64_t left_ms = LOOK_MS;

	(void)error;
	if (!inbox->has_cursor || count_left(inbox) > 0)
		return true;
	if (inbox->fetch_url)
		left_ms = MAX((inbox->fetch_due_us - g_get_monotonic_time()) / 1000 + 1, 0);
	watch_wait(-1, inbox->stop_fd, (int)MIN(left_ms, (int64_t)timeout_ms));
	return true;
}

const SourceOps inbox_source_ops = {
	.scheme = "public-inbox",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};

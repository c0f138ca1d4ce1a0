/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * maildir_source - a Maildir as a Source, read-only: nothing is moved from new/ to cur/.
 *
 * One scan makes a queue of the mails that are not yet known, in order of arrival; batches are cut
 * from it.  inotify, or a changed time of new/ or cur/, asks for the next scan.  A mail is known by
 * its base name, the file name up to ':' (what follows are flags, which a mail reader may change at
 * any time by renaming the file).  Memory: the base names of all mails, about 100 bytes each.
 */

#include "bot/intake/source_private.h"

#include "bot/base/autofd.h"
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/maildir_file.h"
#include "bot/intake/watch.h"
#include "mailparse/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#define SCANS_PER_BATCH 4
#define CURSOR_PREFIX "start="

/* A file that somebody still writes is looked at again for ever. */
#define UNFINISHED_LOOK_MS 2000

/* A change of permissions is told by nobody. */
#define RETRY_US (60 * CLOCK_US_PER_S)

/* new/ first: a mail that is moved during the scan is then seen at least once. */
static const char *const folders[] = {"new", "cur"};
#define N_FOLDERS G_N_ELEMENTS(folders)

typedef struct {
	char *base;
	char *file; /* its present name in the folder */
	size_t folder;
	int64_t arrived_us;
	int64_t size_bytes;
	int errnum;      /* why it could not be read */
	const char *odd; /* what it is that is no file, and is never opened; NULL; static */
} Entry;

typedef struct {
	Source base;
	char *name;
	char *path;
	int64_t start_us;
	bool has_cursor;
	bool (*is_known)(const char *locator, void *payload);
	void *payload;
	int stop_fd;

	int watch_fd;
	bool changed;                       /* scan before the next batch */
	bool unfinished;                    /* files were left that are still being written */
	struct timespec scanned[N_FOLDERS]; /* the folders' times at the last scan */
	GHashTable *done;  /* base names that are known, too old or acknowledged; owned */
	GPtrArray *queue;  /* (element-type Entry), the next one last */
	GPtrArray *handed; /* (element-type utf8): base names of a batch not yet acknowledged */
	GHashTable *unreadable; /* base names of files that could not be read, and it was told */
	int64_t retry_us;       /* monotonic: when these are tried again; 0: there is no need   */
} MaildirSource;

static void entry_free(Entry *entry)
{
	if (!entry)
		return;
	g_free(entry->base);
	g_free(entry->file);
	g_free(entry);
}

static void close_source(Source *source)
{
	MaildirSource *maildir = (MaildirSource *)source;

	autofd_close(&maildir->watch_fd);
	g_hash_table_unref(maildir->done);
	g_ptr_array_unref(maildir->queue);
	g_ptr_array_unref(maildir->handed);
	g_hash_table_unref(maildir->unreadable);
	g_free(maildir->name);
	g_free(maildir->path);
	g_free(maildir);
}

static int open_folder(const MaildirSource *maildir, size_t folder)
{
	g_autofree char *path = g_build_filename(maildir->path, folders[folder], NULL);
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool fail_errno(const MaildirSource *maildir, BotError code, const char *what,
		       GError **error)
{
	int errnum = errno;
	bool is_missing = errnum == ENOENT && *what != '\0' && strchr(what, '/') == NULL;

	g_set_error(error, BOT_ERROR, (int)code, "source %s: %s/%s: %s%s", maildir->name,
		    maildir->path, what, g_strerror(errnum),
		    is_missing ? "; a Maildir has the folders new, cur and tmp" : "");
	return false;
}

/* Watches again, in case a folder was made anew; an existing watch is kept as it is. */
static bool watch_folders(MaildirSource *maildir, BotError code, GError **error)
{
	for (size_t i = 0; i < N_FOLDERS; i++) {
		g_autofree char *path = g_build_filename(maildir->path, folders[i], NULL);
		if (!watch_add(maildir->watch_fd, path,
			       IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF |
				       IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW))
			return fail_errno(maildir, code, folders[i], error);
	}
	return true;
}

static bool parse_cursor(MaildirSource *maildir, const char *cursor, GError **error)
{
	size_t len = strlen(CURSOR_PREFIX);

	if (strncmp(cursor, CURSOR_PREFIX, len) == 0 &&
	    g_ascii_string_to_signed(cursor + len, 10, 0, G_MAXINT64, &maildir->start_us, NULL))
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "source %s: the stored cursor \"%s\" is not one of a Maildir", maildir->name,
		    cursor);
	return false;
}

static Source *open_source(const SourceOptions *options, GError **error)
{
	MaildirSource *maildir = g_new0(MaildirSource, 1);

	maildir->base.ops = &maildir_source_ops;
	maildir->name = g_strdup(options->name);
	maildir->path = g_strdup(options->url + strlen("maildir:"));
	maildir->start_us = MAX(options->start_us, 0);
	maildir->has_cursor = options->cursor != NULL;
	maildir->is_known = options->is_known;
	maildir->payload = options->payload;
	/* Descriptor 0 is a field left out, not a wish to stop at the end of standard input. */
	maildir->stop_fd = options->stop_fd > 0 ? options->stop_fd : -1;
	maildir->changed = true;
	maildir->done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	maildir->queue = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
	maildir->handed = g_ptr_array_new_with_free_func(g_free);
	maildir->unreadable = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	maildir->watch_fd = watch_open();
	bool fine = maildir->watch_fd >= 0 || fail_errno(maildir, BOT_ERROR_TRANSIENT, "", error);
	if (!fine || !watch_folders(maildir, BOT_ERROR_CONFIG, error) ||
	    (options->cursor && !parse_cursor(maildir, options->cursor, error))) {
		close_source(&maildir->base);
		return NULL;
	}
	return &maildir->base;
}

/* The file name up to ':' and safe to print and store: what is no text is written as \ooo. */
static char *base_name_of(const char *file)
{
	g_autofree char *base = g_strndup(file, strcspn(file, ":"));
	bool plain = g_utf8_validate(base, -1, NULL);

	for (const char *at = base; plain && *at; at++)
		plain = !g_ascii_iscntrl(*at);
	return plain ? g_steal_pointer(&base) : g_strescape(base, NULL);
}

static const char *oddity_of(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	return S_ISLNK(mode) ? "it is a link" : S_ISDIR(mode) ? "it is a folder" : "it is no file";
}

/* Puts one file into the queue unless it is done; what is no file is there to be named. */
static void look_at_file(MaildirSource *maildir, size_t folder, int folder_fd, const char *file,
			 GHashTable *io_seen)
{
	struct stat info;

	if (file[0] == '.')
		return;
	g_autofree char *base = base_name_of(file);
	if (g_hash_table_contains(maildir->done, base) || g_hash_table_contains(io_seen, base))
		return;
	if (fstatat(folder_fd, file, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	int64_t arrived_us =
		(int64_t)info.st_mtim.tv_sec * CLOCK_US_PER_S + info.st_mtim.tv_nsec / 1000;
	arrived_us = MIN(arrived_us, g_get_real_time());
	if (arrived_us < maildir->start_us ||
	    (maildir->is_known && maildir->is_known(base, maildir->payload))) {
		g_hash_table_add(maildir->done, g_steal_pointer(&base));
		return;
	}
	Entry *entry = g_new0(Entry, 1);
	entry->base = g_steal_pointer(&base);
	entry->file = g_strdup(file);
	entry->folder = folder;
	entry->arrived_us = arrived_us;
	entry->size_bytes = info.st_size;
	entry->odd = oddity_of(info.st_mode);
	g_ptr_array_add(maildir->queue, entry);
	g_hash_table_add(io_seen, entry->base);
}

static bool scan_folder(MaildirSource *maildir, size_t folder, GHashTable *io_seen, GError **error)
{
	autofd int fd = open_folder(maildir, folder);
	struct stat info;

	if (fd < 0 || fstat(fd, &info) != 0)
		return fail_errno(maildir, BOT_ERROR_TRANSIENT, folders[folder], error);
	maildir->scanned[folder] = info.st_mtim;
	DIR *dir = fdopendir(fd);
	if (!dir)
		return fail_errno(maildir, BOT_ERROR_TRANSIENT, folders[folder], error);
	int dir_fd = autofd_steal(&fd);
	for (;;) {
		errno = 0;
		const struct dirent *file = readdir(dir);
		if (!file)
			break;
		look_at_file(maildir, folder, dir_fd, file->d_name, io_seen);
	}
	bool fine = errno == 0 || fail_errno(maildir, BOT_ERROR_TRANSIENT, folders[folder], error);
	closedir(dir);
	return fine;
}

/* The latest first, since the queue is taken from its end. */
static int compare_entries(const void *a, const void *b)
{
	const Entry *left = *(Entry *const *)a;
	const Entry *right = *(Entry *const *)b;

	if (left->arrived_us != right->arrived_us)
		return left->arrived_us < right->arrived_us ? 1 : -1;
	return strcmp(right->base, left->base);
}

static gboolean is_not_among(gpointer base, gpointer unused, gpointer seen)
{
	(void)unused;
	return !g_hash_table_contains(seen, base);
}

static bool scan(MaildirSource *maildir, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	g_ptr_array_set_size(maildir->queue, 0);
	maildir->changed = true;
	maildir->unfinished = false;
	maildir->retry_us = 0;
	if (!watch_folders(maildir, BOT_ERROR_TRANSIENT, error))
		return false;
	/* Before the scan: what happens during it is then told again. */
	watch_drain(maildir->watch_fd);
	for (size_t i = 0; i < N_FOLDERS; i++) {
		if (!scan_folder(maildir, i, seen, error))
			return false;
	}
	g_hash_table_foreach_remove(maildir->unreadable, is_not_among, seen);
	g_ptr_array_sort(maildir->queue, compare_entries);
	maildir->changed = false;
	return true;
}

/* For file systems whose changes inotify does not see, as those made by another NFS client. */
static bool folders_have_changed(const MaildirSource *maildir)
{
	for (size_t i = 0; i < N_FOLDERS; i++) {
		g_autofree char *path = g_build_filename(maildir->path, folders[i], NULL);
		struct stat info;
		if (lstat(path, &info) != 0 || info.st_mtim.tv_sec != maildir->scanned[i].tv_sec ||
		    info.st_mtim.tv_nsec != maildir->scanned[i].tv_nsec)
			return true;
	}
	return false;
}

/* What the lack of means of ours, or of the whole folder, says nothing of one file. */
static bool is_of_file(int errnum)
{
	return errnum != EMFILE && errnum != ENFILE && errnum != ENOMEM;
}

/* @out_mail: set when the file was read; error: what is wrong with more than this file */
static bool read_entry(MaildirSource *maildir, Entry *entry, SourceMail **out_mail,
		       MaildirFileState *out_state, GError **error)
{
	autofd int folder_fd = open_folder(maildir, entry->folder);
	g_autoptr(SourceMail) mail = g_new0(SourceMail, 1);

	if (folder_fd < 0)
		return fail_errno(maildir, BOT_ERROR_TRANSIENT, folders[entry->folder], error);
	*out_state = maildir_file_read(folder_fd, entry->file, &mail->bytes, &mail->size_bytes,
				       &entry->errnum);
	if (*out_state == MAILDIR_FILE_UNREADABLE && !is_of_file(entry->errnum)) {
		errno = entry->errnum;
		return fail_errno(maildir, BOT_ERROR_TRANSIENT, entry->file, error);
	}
	if (*out_state != MAILDIR_FILE_READ)
		return true;
	mail->locator = g_strdup(entry->base);
	mail->arrived_us = entry->arrived_us;
	if (mail->bytes == NULL)
		source_mail_refuse_size(mail);
	*out_mail = g_steal_pointer(&mail);
	return true;
}

/* Told once; tried again, since whoever reads of it may mend it. */
static void pass_over(MaildirSource *maildir, const Entry *entry, SourceBatch *batch)
{
	/* What takes the place of an odd one is told by the folder. */
	if (!entry->odd)
		maildir->retry_us = g_get_monotonic_time() + RETRY_US;
	if (g_hash_table_add(maildir->unreadable, g_strdup(entry->base)))
		source_note(&batch->anomaly, "%s/%s cannot be read (%s%s)", folders[entry->folder],
			    entry->base, entry->odd ? entry->odd : g_strerror(entry->errnum),
			    entry->odd ? "" : "; it is tried again");
}

/* Moves mails from the queue to the batch; false only on error. */
static bool take_from_queue(MaildirSource *maildir, size_t max_mails, SourceBatch *batch,
			    GError **error)
{
	GPtrArray *queue = maildir->queue;
	size_t room = SOURCE_BATCH_MAX_BYTES;

	while (queue->len > 0 && batch->mails->len < max_mails) {
		Entry *entry = g_ptr_array_index(queue, queue->len - 1);
		/* Room for the largest is kept, as a file may have grown since it was listed. */
		if (batch->mails->len > 0 && room < MAIL_MAX_BYTES)
			return true;
		SourceMail *mail = NULL;
		MaildirFileState state = MAILDIR_FILE_UNREADABLE;
		if (!entry->odd && !read_entry(maildir, entry, &mail, &state, error))
			return false;
		if (state == MAILDIR_FILE_UNREADABLE)
			pass_over(maildir, entry, batch);
		if (state == MAILDIR_FILE_UNREADABLE || state == MAILDIR_FILE_UNFINISHED) {
			maildir->unfinished |= state == MAILDIR_FILE_UNFINISHED;
			g_ptr_array_remove_index(queue, queue->len - 1);
			continue;
		}
		g_hash_table_remove(maildir->unreadable, entry->base);
		if (state == MAILDIR_FILE_MOVED) {
			/* Moved from new to cur, renamed or deleted: only a scan can tell. */
			maildir->changed = true;
			g_ptr_array_set_size(queue, 0);
			return true;
		}
		if (mail->bytes)
			room -= g_bytes_get_size(mail->bytes);
		g_ptr_array_add(batch->mails, mail);
		g_ptr_array_add(maildir->handed, g_strdup(entry->base));
		g_ptr_array_remove_index(queue, queue->len - 1);
	}
	return true;
}

static bool next_batch(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error)
{
	MaildirSource *maildir = (MaildirSource *)source;

	/* The last batch was not acknowledged: a scan finds its mails again. */
	if (maildir->handed->len > 0) {
		g_ptr_array_set_size(maildir->handed, 0);
		g_ptr_array_set_size(maildir->queue, 0);
		maildir->changed = true;
	}
	for (int i = 0; i < SCANS_PER_BATCH && out_batch->mails->len == 0; i++) {
		if (maildir->queue->len == 0 &&
		    (maildir->changed || watch_drain(maildir->watch_fd) ||
		     folders_have_changed(maildir)) &&
		    !scan(maildir, error))
			return false;
		if (!take_from_queue(maildir, max_mails, out_batch, error))
			return false;
		if (!maildir->changed)
			break;
	}
	if (!maildir->has_cursor)
		out_batch->cursor =
			g_strdup_printf(CURSOR_PREFIX "%" G_GINT64_FORMAT, maildir->start_us);
	out_batch->behind = maildir->changed ? -1 : (int64_t)maildir->queue->len;
	return true;
}

static bool ack_batch(Source *source, GError **error)
{
	MaildirSource *maildir = (MaildirSource *)source;

	(void)error;
	for (guint i = 0; i < maildir->handed->len; i++)
		g_hash_table_add(maildir->done, g_strdup(g_ptr_array_index(maildir->handed, i)));
	g_ptr_array_set_size(maildir->handed, 0);
	maildir->has_cursor = true;
	return true;
}

static bool wait_source(Source *source, int timeout_ms, GError **error)
{
	MaildirSource *maildir = (MaildirSource *)source;

	(void)error;
	if (maildir->changed || maildir->queue->len > 0 || maildir->handed->len > 0)
		return true;
	if (maildir->unfinished && timeout_ms > UNFINISHED_LOOK_MS)
		timeout_ms = UNFINISHED_LOOK_MS;
	watch_wait(maildir->watch_fd, maildir->stop_fd, timeout_ms);
	maildir->changed |= maildir->unfinished ||
			    (maildir->retry_us > 0 && g_get_monotonic_time() >= maildir->retry_us);
	return true;
}

const SourceOps maildir_source_ops = {
	.scheme = "maildir",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};

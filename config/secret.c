/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/config.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/spawn.h"

#include <string.h>

#define SECRET_MAX_BYTES ((size_t)64 * 1024)
#define COMMAND_TIMEOUT_MS 10000

static char *first_line(const char *bytes, size_t len, const char *where, GError **error)
{
	size_t end = 0;

	while (end < len && bytes[end] != '\n' && bytes[end] != '\r' && bytes[end] != '\0')
		end++;
	if (end > 0)
		return g_strndup(bytes, end);
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
		    "%s holds no secret: its first line is empty", where);
	return NULL;
}

static char *credential_path(const char *name, GError **error)
{
	const char *folder = g_getenv("CREDENTIALS_DIRECTORY");

	if (folder != NULL)
		return g_build_filename(folder, name, NULL);
	g_set_error(
		error, BOT_ERROR, BOT_ERROR_CONFIG,
		"passwordFile %s: there is no such file beside the configuration and no credential "
		"folder ($CREDENTIALS_DIRECTORY)",
		name);
	return NULL;
}

static char *read_secret_file(const char *file, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_autofree char *path =
		strchr(file, '/') != NULL ? g_strdup(file) : credential_path(file, error);

	if (path == NULL)
		return NULL;
	g_autoptr(GBytes) bytes = fs_read(path, SECRET_MAX_BYTES, &failed);
	if (bytes == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "passwordFile: %s",
			    failed->message);
		return NULL;
	}
	return first_line(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), path, error);
}

/* What the command printed is never repeated: it may be the secret. */
static bool check_ended(const char *program, const SpawnResult *result, GError **error)
{
	if (result->timed_out)
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "passwordCommand %s did not end within %d seconds", program,
			    COMMAND_TIMEOUT_MS / 1000);
	else if (result->exit_code != 0)
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "passwordCommand %s failed with %s %d; run it by hand to see why",
			    program, result->signal != 0 ? "signal" : "status",
			    result->signal != 0 ? result->signal : result->exit_code);
	return !result->timed_out && result->exit_code == 0;
}

static char *read_secret_command(const char *const *argv, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_auto(SpawnResult) result = {0};
	SpawnOptions options = {
		.argv = argv, .timeout_ms = COMMAND_TIMEOUT_MS, .max_output = SECRET_MAX_BYTES};
	char *secret = NULL;

	if (!spawn_run(&options, &result, &failed)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "passwordCommand: %s",
			    failed->message);
		return NULL;
	}
	if (check_ended(argv[0], &result, error))
		secret = first_line(result.out, result.out_len, argv[0], error);
	explicit_bzero(result.out, result.out_len);
	return secret;
}

char *secret_read(const char *file, const char *const *command, GError **error)
{
	if (file != NULL)
		return read_secret_file(file, error);
	return command != NULL ? read_secret_command(command, error) : NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/bwrap_args.h"

#include <string.h>

#define INSIDE_ID "1000"

/* The small /etc of the sandbox. */
static const struct {
	const char *path;
	const char *text;
} etc_files[BWRAP_N_ETC_FILES] = {
	{"/etc/passwd", "root:x:0:0:root:/:/bin/false\n"
			"bot:x:" INSIDE_ID ":" INSIDE_ID ":bot:/tmp:/bin/sh\n"},
	{"/etc/group", "root:x:0:\nbot:x:" INSIDE_ID ":\n"},
	{"/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"},
};

/* Compilers are found through alternatives, libraries through the loader's cache. */
static const char *const etc_shared[] = {"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
					 "/etc/ld.so.conf.d"};

const char *bwrap_etc_text(size_t i)
{
	return etc_files[i].text;
}

static void add_args(GPtrArray *argv, ...) G_GNUC_NULL_TERMINATED;

static void add_args(GPtrArray *argv, ...)
{
	va_list args;
	const char *arg;

	va_start(args, argv);
	while ((arg = va_arg(args, const char *)) != NULL)
		g_ptr_array_add(argv, g_strdup(arg));
	va_end(args);
}

static void add_fd_option(GPtrArray *argv, const char *option, int fd)
{
	g_ptr_array_add(argv, g_strdup(option));
	g_ptr_array_add(argv, g_strdup_printf("%d", fd));
}

static void add_tmpfs(GPtrArray *argv, const char *mode, uint64_t size_bytes, const char *dir)
{
	g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)size_bytes);

	add_args(argv, "--perms", mode, "--size", size, "--tmpfs", dir, NULL);
}

/* /bin and the like are links into /usr on a merged system, folders of their own elsewhere. */
static void add_system_dirs(GPtrArray *argv)
{
	static const char *const dirs[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

	add_args(argv, "--ro-bind", "/usr", "/usr", NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autofree char *target = g_file_read_link(dirs[i], NULL);

		if (target != NULL)
			add_args(argv, "--symlink", target, dirs[i], NULL);
		else
			add_args(argv, "--ro-bind-try", dirs[i], dirs[i], NULL);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(etc_shared); i++)
		add_args(argv, "--ro-bind-try", etc_shared[i], etc_shared[i], NULL);
}

static void add_etc_files(GPtrArray *argv, const BwrapFds *fds)
{
	for (size_t i = 0; i < G_N_ELEMENTS(etc_files); i++) {
		add_args(argv, "--perms", "0444", NULL);
		add_fd_option(argv, "--ro-bind-data", fds->etc[i]);
		add_args(argv, etc_files[i].path, NULL);
	}
}

static void add_binds(GPtrArray *argv, const SandboxOptions *options, bool staged)
{
	for (size_t i = 0; i < options->n_binds; i++) {
		g_autofree char *stage = g_strdup_printf(BWRAP_STAGE_DIR "/%zu", i);

		add_args(argv, "--ro-bind", staged ? stage : options->binds[i].outside,
			 options->binds[i].inside, NULL);
	}
}

static void add_environment(GPtrArray *argv, const char *const *env)
{
	add_args(argv, "--clearenv", NULL);
	for (; env != NULL && *env != NULL; env++) {
		const char *equals = strchr(*env, '=');

		if (equals == NULL)
			continue;
		g_autofree char *name = g_strndup(*env, (gsize)(equals - *env));
		add_args(argv, "--setenv", name, equals + 1, NULL);
	}
}

/*
 * --as-pid-1: argv[0] itself is the namespace's init, so bubblewrap's outer process reaps it, its
 * exit means that the whole namespace is gone, and the times of wait4() hold all that ran inside.
 * --remount-ro: the file systems that bubblewrap makes for "/" and /dev have no size limit.
 */
GPtrArray *bwrap_args_new(const char *bwrap, const SandboxOptions *options, const BwrapFds *fds,
			  bool staged)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

	add_args(argv, bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--uid",
		 INSIDE_ID, "--gid", INSIDE_ID, "--hostname", "sandbox", "--die-with-parent",
		 "--new-session", "--as-pid-1", "--cap-drop", "ALL", NULL);
	add_fd_option(argv, "--json-status-fd", fds->json);
	add_fd_option(argv, "--block-fd", fds->block);
	add_environment(argv, options->env);
	add_system_dirs(argv);
	add_etc_files(argv, fds);
	add_args(argv, "--proc", "/proc", "--dev", "/dev", NULL);
	add_tmpfs(argv, "1777", options->disk_bytes / 8, "/dev/shm");
	add_tmpfs(argv, "1777", options->disk_bytes / 8, "/tmp");
	add_tmpfs(argv, "0755", options->disk_bytes / 4 * 3, options->work_dir);
	add_binds(argv, options, staged);
	add_args(argv, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", options->work_dir,
		 "--", NULL);
	for (const char *const *arg = options->argv; *arg != NULL; arg++)
		add_args(argv, *arg, NULL);
	g_ptr_array_add(argv, NULL);
	return argv;
}

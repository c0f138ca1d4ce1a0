/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/cgroup.h"

#include "bot/base/autofd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define GROUP_PREFIX "lorebot-sandbox-"
#define MAX_PROC_BYTES 65536
#define REMOVE_TRIES 50

struct Cgroup {
	const char *kind;
	char *memory_dir;
	char *pids_dir; /* version 2: the same folder */
};

/* Where one hierarchy is mounted and which group of it we are in. */
typedef struct {
	char *own_dir;
	char *mount_dir;
} Hierarchy;

static void hierarchy_clear(Hierarchy *hierarchy)
{
	g_free(hierarchy->own_dir);
	g_free(hierarchy->mount_dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Hierarchy, hierarchy_clear)

/* Kernel files state no size, so they are read to the end. */
static char *read_kernel_file(const char *path)
{
	autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	g_autoptr(GString) text = g_string_new(NULL);
	char chunk[4096];
	ssize_t n;

	if (fd < 0)
		return NULL;
	while (text->len < MAX_PROC_BYTES && (n = read(fd, chunk, sizeof(chunk))) > 0)
		g_string_append_len(text, chunk, n);
	return g_strdup(text->str);
}

static bool write_kernel_file(const char *dir, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	autofd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool write_number(const char *dir, const char *name, uint64_t number)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)number);

	return write_kernel_file(dir, name, text);
}

/* "a,b,c" or "a b c" holds @word. */
static bool has_word(const char *list, const char *word)
{
	g_auto(GStrv) words = g_strsplit_set(list, ", \n", -1);

	return g_strv_contains((const char *const *)words, word);
}

/* /proc/self/cgroup: "4:memory:/user.slice", version 2 "0::/user.slice". */
static char *own_group(const char *controller)
{
	g_autofree char *text = read_kernel_file("/proc/self/cgroup");
	g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

	for (char **line = lines; *line != NULL; line++) {
		g_auto(GStrv) fields = g_strsplit(*line, ":", 3);

		if (g_strv_length(fields) == 3 &&
		    (*controller == '\0' ? *fields[1] == '\0' : has_word(fields[1], controller)))
			return g_strdup(fields[2]);
	}
	return NULL;
}

/*
 * /proc/self/mountinfo (proc(5)): "31 30 0:28 ROOT DIR OPTIONS [TAGS] - TYPE SOURCE SUPER-OPTIONS".
 * ROOT is the part of the hierarchy that is mounted: a container sees its own group as "/".
 */
static bool match_mount(const char *line, const char *controller, const char *group,
			Hierarchy *hierarchy)
{
	g_auto(GStrv) halves = g_strsplit(line, " - ", 2);

	if (g_strv_length(halves) != 2)
		return false;
	g_auto(GStrv) left = g_strsplit(halves[0], " ", -1);
	g_auto(GStrv) right = g_strsplit(halves[1], " ", -1);
	if (g_strv_length(left) < 6 || g_strv_length(right) < 3)
		return false;
	bool v2 = *controller == '\0';
	if (strcmp(right[0], v2 ? "cgroup2" : "cgroup") != 0 ||
	    (!v2 && !has_word(right[2], controller)))
		return false;

	const char *root = strcmp(left[3], "/") == 0 ? "" : left[3];
	if (!g_str_has_prefix(group, root))
		return false;
	hierarchy->mount_dir = g_strdup(left[4]);
	hierarchy->own_dir = g_build_filename(left[4], group + strlen(root), NULL);
	return true;
}

/* @controller "" is version 2. */
static bool find_hierarchy(const char *controller, Hierarchy *hierarchy)
{
	g_autofree char *group = own_group(controller);
	g_autofree char *text = read_kernel_file("/proc/self/mountinfo");
	g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

	if (group == NULL)
		return false;
	for (char **line = lines; *line != NULL; line++) {
		if (match_mount(*line, controller, group, hierarchy))
			return true;
	}
	return false;
}

static char *make_group(const char *parent)
{
	g_autofree char *dir =
		g_strdup_printf("%s/" GROUP_PREFIX "%d-XXXXXX", parent, (int)getpid());

	if (g_mkdtemp_full(dir, 0755) == NULL)
		return NULL;
	return g_steal_pointer(&dir);
}

static Cgroup *new_v1(const CgroupLimits *limits)
{
	g_auto(Hierarchy) memory = {NULL, NULL};
	g_auto(Hierarchy) pids = {NULL, NULL};

	if (!find_hierarchy("memory", &memory) || !find_hierarchy("pids", &pids))
		return NULL;
	g_autoptr(Cgroup) cgroup = g_new0(Cgroup, 1);
	cgroup->kind = "cgroup1";
	cgroup->memory_dir = make_group(memory.own_dir);
	cgroup->pids_dir = make_group(pids.own_dir);
	if (cgroup->memory_dir == NULL || cgroup->pids_dir == NULL ||
	    !write_number(cgroup->memory_dir, "memory.limit_in_bytes", limits->memory_bytes) ||
	    !write_number(cgroup->pids_dir, "pids.max", limits->n_processes))
		return NULL;
	/* Absent where the kernel does not account swap. */
	(void)write_number(cgroup->memory_dir, "memory.memsw.limit_in_bytes", limits->memory_bytes);
	return g_steal_pointer(&cgroup);
}

static bool hands_down(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "cgroup.subtree_control", NULL);
	g_autofree char *text = read_kernel_file(path);

	if (text == NULL)
		return false;
	return (has_word(text, "memory") && has_word(text, "pids")) ||
	       write_kernel_file(dir, "cgroup.subtree_control", "+memory +pids");
}

static Cgroup *new_v2_below(const char *parent, const CgroupLimits *limits)
{
	if (!hands_down(parent))
		return NULL;
	g_autoptr(Cgroup) cgroup = g_new0(Cgroup, 1);
	cgroup->kind = "cgroup2";
	cgroup->memory_dir = make_group(parent);
	cgroup->pids_dir = g_strdup(cgroup->memory_dir);
	if (cgroup->memory_dir == NULL ||
	    !write_number(cgroup->memory_dir, "memory.max", limits->memory_bytes) ||
	    !write_number(cgroup->memory_dir, "pids.max", limits->n_processes))
		return NULL;
	(void)write_kernel_file(cgroup->memory_dir, "memory.swap.max", "0");
	return g_steal_pointer(&cgroup);
}

static Cgroup *new_v2(const CgroupLimits *limits)
{
	g_auto(Hierarchy) unified = {NULL, NULL};

	if (!find_hierarchy("", &unified))
		return NULL;
	Cgroup *cgroup = new_v2_below(unified.own_dir, limits);
	if (cgroup != NULL || strcmp(unified.own_dir, unified.mount_dir) == 0)
		return cgroup;
	g_autofree char *parent = g_path_get_dirname(unified.own_dir);
	return new_v2_below(parent, limits);
}

Cgroup *cgroup_new(const CgroupLimits *limits)
{
	Cgroup *cgroup = new_v2(limits);

	return cgroup != NULL ? cgroup : new_v1(limits);
}

const char *cgroup_kind(const Cgroup *cgroup)
{
	return cgroup->kind;
}

bool cgroup_add(const Cgroup *cgroup, pid_t pid)
{
	return write_number(cgroup->memory_dir, "cgroup.procs", (uint64_t)pid) &&
	       write_number(cgroup->pids_dir, "cgroup.procs", (uint64_t)pid);
}

bool cgroup_hit_memory(const Cgroup *cgroup)
{
	bool v2 = strcmp(cgroup->kind, "cgroup2") == 0;
	g_autofree char *path = g_build_filename(cgroup->memory_dir,
						 v2 ? "memory.events" : "memory.oom_control", NULL);
	g_autofree char *text = read_kernel_file(path);
	g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

	for (char **line = lines; *line != NULL; line++) {
		if (g_str_has_prefix(*line, "oom_kill "))
			return strcmp(*line, "oom_kill 0") != 0;
	}
	return false;
}

/* A group whose last process has just ended can be busy for a moment longer. */
static bool remove_group(const char *dir)
{
	for (unsigned i = 0; i < REMOVE_TRIES; i++) {
		if (rmdir(dir) == 0 || errno == ENOENT)
			return true;
		if (errno != EBUSY)
			return false;
		g_usleep(10 * 1000);
	}
	return false;
}

void cgroup_free(Cgroup *cgroup)
{
	if (cgroup == NULL)
		return;
	if (cgroup->memory_dir != NULL)
		(void)remove_group(cgroup->memory_dir);
	if (cgroup->pids_dir != NULL)
		(void)remove_group(cgroup->pids_dir);
	g_free(cgroup->memory_dir);
	g_free(cgroup->pids_dir);
	g_free(cgroup);
}

static void kill_members(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "cgroup.procs", NULL);
	g_autofree char *text = read_kernel_file(path);
	g_auto(GStrv) lines = g_strsplit(text != NULL ? text : "", "\n", -1);

	for (char **line = lines; *line != NULL; line++) {
		guint64 pid = g_ascii_strtoull(*line, NULL, 10);

		if (pid > 1)
			(void)kill((pid_t)pid, SIGKILL);
	}
}

/* A fork bomb refills the group while it is read, so it takes several rounds. */
static bool sweep_group(const char *dir)
{
	for (unsigned i = 0; i < REMOVE_TRIES; i++) {
		kill_members(dir);
		if (rmdir(dir) == 0)
			return true;
		g_usleep(10 * 1000);
	}
	return false;
}

/* The maker's process id is in the name. */
static bool is_orphan(const char *name)
{
	if (!g_str_has_prefix(name, GROUP_PREFIX))
		return false;
	guint64 pid = g_ascii_strtoull(name + strlen(GROUP_PREFIX), NULL, 10);
	return pid > 1 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static unsigned sweep_dir(const char *parent)
{
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;
	unsigned n = 0;

	while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(parent, name, NULL);

		if (is_orphan(name) && sweep_group(path))
			n++;
	}
	return n;
}

unsigned cgroup_sweep(void)
{
	static const char *const controllers[] = {"", "memory", "pids"};
	unsigned n = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(controllers); i++) {
		g_auto(Hierarchy) hierarchy = {NULL, NULL};

		if (!find_hierarchy(controllers[i], &hierarchy))
			continue;
		n += sweep_dir(hierarchy.own_dir);
		if (*controllers[i] == '\0' &&
		    strcmp(hierarchy.own_dir, hierarchy.mount_dir) != 0) {
			g_autofree char *parent = g_path_get_dirname(hierarchy.own_dir);

			n += sweep_dir(parent);
		}
	}
	return n;
}

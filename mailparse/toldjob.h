/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * toldjob - the job that a test robot's report tells of: what was tested, how, and on what.
 *
 * Reports are lines of "key: value".  Robots call the same things by other names ("commit", "HEAD
 * commit", "git commit"); read are those of the kernel test robot, syzbot, LKFT, KernelCI, CKI and
 * of lorebot, quoted or not, in any order.  Values are as written, on one line, up to 300 bytes.
 */

#include <glib.h>

typedef struct {
	char *commit;     /* hash as written, 7 to 40 digits                            */
	char *base;       /* what it was compared with, or stood on: hash or "URL REF"  */
	char *tree;       /* name or URL                                                */
	char *branch;     /* of it                                                      */
	char *testcase;   /* or suite                                                   */
	char *config;     /* name or link                                               */
	char *compiler;   /*                                                            */
	char *machine;    /*                                                            */
	char *reproducer; /* link                                                       */
	GStrv parameters; /* "key=value" in order; never NULL                           */
} ToldJob;

/**
 * toldjob_read:
 * @body: of a report, or of an answer that quotes one; UTF-8, LF
 *
 * Returns: (transfer full) (nullable): NULL when it names no commit, or nothing but a commit
 */
ToldJob *toldjob_read(const char *body);
void toldjob_free(ToldJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ToldJob, toldjob_free)

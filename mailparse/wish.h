/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * wish - what a request wants besides its target: boot and mount options, configuration, compiler,
 * workload, architecture, number of runs.
 *
 * Each is told as "key=value", the value as written: "boot=mitigations=off", "mount=nobarrier",
 * "config=CONFIG_KASAN=y", "compiler=clang-17", "workload=fio", "arch=arm64", "runs=20";
 * "runs=more" and "workload=other" where no more was said.
 */

#include <glib.h>

/**
 * wish_read:
 * @sentence: one that asks for a test, or goes on about it
 *
 * Returns: (transfer full): never NULL
 */
GStrv wish_read(const char *sentence);

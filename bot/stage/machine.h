/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * machine - what a reader must know of the machine a number comes from.
 */

/** machine_describe: "2 threads 1 sockets MODEL with 24G memory", from /proc; never NULL. */
char *machine_describe(void);

/** machine_compiler: "gcc-12"; NULL when there is none in PATH. */
char *machine_compiler(void);

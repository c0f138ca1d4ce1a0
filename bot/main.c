/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

int main(void)
{
	fputs("lorebot: no command is built in yet\n", stderr);
	return 2;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * noise - measurement noise of known shape, for tests that count how often the verdict is wrong.
 *
 * One metric's runs in time order, base and head alternating; the mean is 1 and the spread @cv.
 * Repeatable: everything comes from the GRand that is passed in.
 */

#include <glib.h>
#include <math.h>

typedef enum {
	NOISE_NORMAL,
	NOISE_LOG_T3,  /* heavy tails                                    */
	NOISE_BIMODAL, /* 70 % in one mode, the other 3 cv above         */
	NOISE_AR1,     /* each run remembers the last, correlation 0.7   */
	NOISE_DRIFT,   /* the machine gets faster or slower by 2 cv      */
	NOISE_DRIFT_4CV,
	NOISE_GRID, /* whole numbers, many ties                       */
} NoiseShape;

#define NOISE_N_SHAPES 7u

static inline const char *noise_name(NoiseShape shape)
{
	static const char *const names[] = {"normal",    "log-t3",    "bimodal", "AR(1) .7",
					    "drift 2cv", "drift 4cv", "grid"};
	return names[shape];
}

/* Box and Muller. */
static inline double noise_gauss(GRand *rand)
{
	double u = 1 - g_rand_double(rand);

	return sqrt(-2 * log(u)) * cos(2 * G_PI * g_rand_double(rand));
}

static inline double noise_t3(GRand *rand)
{
	double squares = 0;

	for (int i = 0; i < 3; i++) {
		double z = noise_gauss(rand);
		squares += z * z;
	}
	return noise_gauss(rand) / sqrt(squares / 3);
}

static inline double noise_next(GRand *rand, NoiseShape shape, double cv, double place,
				double slope, double *memory)
{
	double z = noise_gauss(rand);

	switch (shape) {
	case NOISE_NORMAL:
		return 1 + cv * z;
	case NOISE_LOG_T3:
		return exp(cv * noise_t3(rand) / sqrt(3));
	case NOISE_BIMODAL:
		return (g_rand_double(rand) < 0.7 ? 1 : 1 + 3 * cv) + cv / 4 * z;
	case NOISE_AR1:
		*memory = 0.7 * *memory + sqrt(1 - 0.49) * z;
		return 1 + cv * *memory;
	case NOISE_DRIFT:
		return 1 + cv * (z + slope * 2 * place);
	case NOISE_DRIFT_4CV:
		return 1 + cv * (z + slope * 4 * place);
	case NOISE_GRID:
		return 100 + floor(z);
	}
	return 1;
}

/*
 * n pairs of runs in the order base, head, base, head ...; the head's values are @effect times as
 * large as they would be (1: an A/A comparison).
 */
static inline void noise_fill(GRand *rand, NoiseShape shape, double cv, size_t n, double effect,
			      double *base, double *head)
{
	double memory = noise_gauss(rand);
	double slope = g_rand_boolean(rand) ? 1 : -1;

	for (size_t i = 0; i < 2 * n; i++) {
		double place = (double)i / (double)(2 * n - 1) - 0.5;
		double value = noise_next(rand, shape, cv, place, slope, &memory);

		if (i % 2 == 0)
			base[i / 2] = value;
		else
			head[i / 2] = value * effect;
	}
}

/* Means of windows: what average pooling layers of one, two and three dimensions share. averages.c tells how. */
#ifndef THNN_POOLING_AVERAGES_H
#define THNN_POOLING_AVERAGES_H

#include "pooling/window.h"

/* A sum may be beyond what a real holds, and the mean not: that is computed anew, from cells by this, and the mean by its inverse. */
#define THNN_SCALED_DOWN 0x1p-64
#define THNN_SCALED_UP 0x1p64

/* updateOutput and updateGradInput of a layer with these windows, which it has checked against the input. */
int32_t THNN_(averageForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, int includePad,
                              const Windows *p);
int32_t THNN_(averageBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                               THTensor *gradInput, int includePad, const Windows *p);

#endif

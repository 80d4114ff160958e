/* Means of windows: what average pooling layers of one, two and three dimensions share. averages.c tells how. */
#ifndef THNN_POOLING_AVERAGES_H
#define THNN_POOLING_AVERAGES_H

#include "pooling/window.h"

/* updateOutput and updateGradInput of a layer with these windows, which it has checked against the input. */
int32_t THNN_(averageForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, int includePad,
                              const Windows *p);
int32_t THNN_(averageBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                               THTensor *gradInput, int includePad, const Windows *p);

#endif

/* SoftPool in one, two and three dimensions: its definition and all else but the arguments of its layers is in softpool.c. */
#ifndef THNN_POOLING_SOFTPOOL_H
#define THNN_POOLING_SOFTPOOL_H

#include "pooling/softweights.h"

/* What updateOutput and updateGradInput do once the windows are known. */
int32_t THNN_(softPool)(const char *f, THNNState *state, const THTensor *input, THTensor *output, double beta, const Space *p);
int32_t THNN_(softSpread)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                          double beta, int32_t exact, const Space *p);

#endif

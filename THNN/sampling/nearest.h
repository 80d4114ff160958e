/* Every cell becomes a block of equal cells: what nearest upsampling shares in two and three dimensions.
 *
 * With scale factor s, an output cell (t, h, w) shows (t / s, h / s, w / s), rounded down; planes of H x W have one t, which stays. */
#ifndef THNN_NEAREST_H
#define THNN_NEAREST_H

#include "core/real.h"
#include "core/volumes.h"

typedef struct Blocks {
  Volumes in, out;
  int64_t scale, scaleT; /* scaleT is 1 for planes of H x W */
} Blocks;

/* What the layers call: nearest.c. */
int32_t THNN_(checkBlocks)(const char *f, const THTensor *input, int32_t dims, int64_t scale, Blocks *p);
int32_t THNN_(nearestForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Blocks *p);
int32_t THNN_(nearestBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                               THTensor *gradInput, const Blocks *p);

/* What is fast: blocks.c on the host, THCUNN/sampling/blocks.cu on the device. */
void THNN_(widenBlocks)(Call *call, real *y, const real *x, const Blocks *p);
void THNN_(narrowBlocks)(Call *call, real *gx, const real *g, const Blocks *p);

#endif

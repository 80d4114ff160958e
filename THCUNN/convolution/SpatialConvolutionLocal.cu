/* The kernels of SpatialConvolutionLocal: a product for each position, all in one batch. Pieces of scratch memory are bounded; their sizes
 * depend on the shapes. Checks and functions are those of the C file, which ends this one. */
#include "convolution/SpatialConvolutionLocal.h"
#include "core/gemm.h"

enum {
#ifdef THCUNN_HOST /* so few that the small tensors of tests are divided, too */
  PATCH_ELEMENTS = 1 << 10
#else
  PATCH_ELEMENTS = 1 << 24 /* elements of patches at a time, about */
#endif
};

/* X of the positions from `position` on, one after the other. */
__global__ static void copyPatches(real *patches, const real *x, LocalSizes s, int64_t position, int64_t n)
{
  for (int64_t task = firstThread(); task < n * s.samples * s.depth; task += allThreads()) {
    const int64_t d = task % s.depth, sample = task / s.depth % s.samples, at = position + task / s.depth / s.samples;
    const int64_t c = d / s.kW / s.kH, i = d / s.kW % s.kH, j = d % s.kW;
    const int64_t h = at / s.oWidth * s.dH + i - s.padH, w = at % s.oWidth * s.dW + j - s.padW;
    const bool inside = h >= 0 && h < s.height && w >= 0 && w < s.width;
    patches[task] = inside ? x[((sample * s.planes + c) * s.height + h) * s.width + w] : real(0.f);
  }
}

/* Copies y, a tensor shaped as output, to the matrices outputs x samples of n positions from `position` on; or copies the matrices to y and
 * adds their bias b. */
__global__ static void copyPositions(real *matrices, real *y, const real *b, LocalSizes s, int64_t position, int64_t n)
{
  const int64_t area = s.oHeight * s.oWidth;
  for (int64_t task = firstThread(); task < s.samples * s.outputs * n; task += allThreads()) {
    const int64_t p = task % n, o = task / n % s.outputs, sample = task / n / s.outputs, at = position + p;
    real *matrix = matrices + (p * s.outputs + o) * s.samples + sample, *cell = y + (sample * s.outputs + o) * area + at;
    if (b) *cell = (real)((accreal)*matrix + (accreal)b[o * area + at]);
    else *matrix = *cell;
  }
}

/* The number of positions in memory at once. */
static int64_t positionsAtOnce(const LocalSizes *s)
{
  return THNN_min(THNN_max(PATCH_ELEMENTS / THNN_max(s->samples * s->depth, 1), 1), s->oHeight * s->oWidth);
}

void THNN_(localForward)(Call *call, const LocalSizes *s, const real *x, real *y, const real *w, const real *b)
{
  const int64_t maxPositions = positionsAtOnce(s), patch = s->samples * s->depth, product = s->samples * s->outputs;
  const int64_t bank = s->outputs * s->depth;
  real *patches = THNN_scratch(call, maxPositions * patch, sizeof(real)), *products = THNN_scratch(call, maxPositions * product,
                                                                                                   sizeof(real));
  for (int64_t position = 0; position < s->oHeight * s->oWidth && THNN_ready(call); position += maxPositions) {
    const int64_t n = THNN_min(maxPositions, s->oHeight * s->oWidth - position);
    launch(call, blocksFor(n * patch), BLOCK, copyPatches, patches, x, *s, position, n);
    THNN_(gemm)(call, {s->outputs, s->samples, s->depth, n}, 1,
                {0, w + position * bank, s->depth, bank}, {1, patches, s->depth, patch}, {0, products, s->samples, product});
    launch(call, blocksFor(n * product), BLOCK, copyPositions, products, y, b, *s, position, n);
  }
}

/* Adds up gX of all positions, for some channels of some samples: a thread has a cell and reads the positions whose window has it, in their
 * order. */
__global__ static void gatherPatches(real *gx, const real *patches, LocalSizes s, int64_t sample, int64_t samples, int64_t plane,
                                     int64_t planes)
{
  const int64_t size = s.height * s.width, cells = s.kH * s.kW;
  for (int64_t task = firstThread(); task < samples * planes * size; task += allThreads()) {
    const int64_t w = task % s.width, h = task / s.width % s.height, c = task / size % planes, n = task / size / planes;
    const int64_t first = THNN_firstWindowWith(w, s.kW, s.dW, s.padW), end = THNN_endWindowWith(w, s.oWidth, s.dW, s.padW);
    accreal sum = 0;
    for (int64_t oh = THNN_firstWindowWith(h, s.kH, s.dH, s.padH); oh < THNN_endWindowWith(h, s.oHeight, s.dH, s.padH); oh++)
      for (int64_t ow = first; ow < end; ow++) {
        const int64_t i = h + s.padH - oh * s.dH, j = w + s.padW - ow * s.dW;
        sum += (accreal)patches[(((oh * s.oWidth + ow) * samples + n) * planes + c) * cells + i * s.kW + j];
      }
    gx[((sample + n) * s.planes + plane + c) * size + h * s.width + w] = (real)sum;
  }
}

void THNN_(localBackward)(Call *call, const LocalSizes *s, const real *g, real *gx, const real *w)
{
  const int64_t area = s->oHeight * s->oWidth, cells = s->kH * s->kW, position = s->samples * s->outputs;
  const int64_t room = PATCH_ELEMENTS / (area * cells);
  const int64_t planes = THNN_min(THNN_max(room, 1), s->planes), samples = THNN_min(THNN_max(room / planes, 1), s->samples);
  real *matrices = THNN_scratch(call, area * position, sizeof(real));
  real *patches = THNN_scratch(call, area * samples * planes * cells, sizeof(real));
  launch(call, blocksFor(area * position), BLOCK, copyPositions, matrices, const_cast<real *>(g), nullptr, *s, 0, area);
  for (int64_t sample = 0; sample < s->samples && THNN_ready(call); sample += samples)
    for (int64_t plane = 0; plane < s->planes; plane += planes) {
      const int64_t n = THNN_min(samples, s->samples - sample), some = THNN_min(planes, s->planes - plane);
      THNN_(gemm)(call, {n, some * cells, s->outputs, area}, 1,
                  {1, matrices + sample, s->samples, position}, {0, w + plane * cells, s->depth, s->outputs * s->depth},
                  {0, patches, some * cells, n * some * cells});
      launch(call, blocksFor(n * some * s->height * s->width), BLOCK, gatherPatches, gx, patches, *s, sample, n, plane, some);
    }
}

/* gradBias += scale * sum of gradOutput over samples */
__global__ static void addSamples(real *gb, const real *g, LocalSizes s, accreal scale)
{
  const int64_t size = s.outputs * s.oHeight * s.oWidth;
  for (int64_t i = firstThread(); i < size; i += allThreads()) {
    accreal sum = 0;
    for (int64_t n = 0; n < s.samples; n++) sum += (accreal)g[n * size + i];
    gb[i] = (real)((accreal)gb[i] + scale * sum);
  }
}

void THNN_(localGradients)(Call *call, const LocalSizes *s, const real *x, const real *g, real *gw, real *gb, double scale)
{
  if (s->samples == 0) return;
  const int64_t maxPositions = positionsAtOnce(s), patch = s->samples * s->depth, matrix = s->samples * s->outputs;
  const int64_t bank = s->outputs * s->depth;
  real *patches = THNN_scratch(call, maxPositions * patch, sizeof(real)), *matrices = THNN_scratch(call, maxPositions * matrix,
                                                                                                   sizeof(real));
  for (int64_t position = 0; position < s->oHeight * s->oWidth && THNN_ready(call); position += maxPositions) {
    const int64_t n = THNN_min(maxPositions, s->oHeight * s->oWidth - position);
    launch(call, blocksFor(n * patch), BLOCK, copyPatches, patches, x, *s, position, n);
    launch(call, blocksFor(n * matrix), BLOCK, copyPositions, matrices, const_cast<real *>(g), nullptr, *s, position, n);
    THNN_(gemm)(call, {s->outputs, s->depth, s->samples, n}, (accreal)scale,
                {0, matrices, s->samples, matrix}, {0, patches, s->depth, patch}, {1, gw + position * bank, s->depth, bank});
  }
  launch(call, blocksFor(s->outputs * s->oHeight * s->oWidth), BLOCK, addSamples, gb, g, *s, (accreal)scale);
}

#include "convolution/SpatialConvolutionLocal.c"

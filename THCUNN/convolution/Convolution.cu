/* The kernels of convolution on a device. Checks and functions are those of the C file, which ends this one.
 *
 * The positions of many samples are unfolded side by side, as many as a bounded piece of scratch memory holds, and multiplied at once. The
 * sizes of pieces depend on the shapes alone. A kernel of one cell with stride 1 needs no unfolding: all samples are one batch of
 * products. */
#include "core/gemm.h"
#include "convolution/Convolution.h"
#include "convolution/sums.cuh"
#include "convolution/unfold.cuh"

enum {
#ifdef THCUNN_HOST /* so few that the small tensors of tests are divided, too */
  UNFOLDED_ELEMENTS = 1 << 10,
  MIN_PART_POSITIONS = 16,
#else
  UNFOLDED_ELEMENTS = 1 << 24, /* elements unfolded at a time, about */
  MIN_PART_POSITIONS = 256,    /* positions in a part of the sums of gradWeight, at least */
#endif
  ROW_UNIT = 8,    /* elements: the rows of unfolded matrices have a multiple of so many */
  MAX_PARTS = 256, /* parts of these sums, at most, for a gradWeight of SQUARE x SQUARE; for a larger one fewer */
  SQUARE = 64
};

static int64_t paddedRow(int64_t n) { return THNN_ceilDiv(n, ROW_UNIT) * ROW_UNIT; }

/* The size of equal pieces of n, at most `most`, or 1. */
static int64_t evenPiece(int64_t n, int64_t most) { return THNN_ceilDiv(n, THNN_max(THNN_ceilDiv(n, THNN_max(most, 1)), 1)); }

/* A window over the matrices outChannels x area of all samples: unfolded with it, y is outChannels x positions. */
static Window cellByCell(const Convolution *s)
{
  return Window{s->outChannels, {1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}, {s->area, s->area, 1, 1, 0, 1}};
}

/* ---- y = bias + weight * columns; of a pointwise convolution also x = bias + weight^T * y */

__global__ static void fillPlanes(real *y, const real *bias, int64_t planes, int64_t cells, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) y[i] = bias[i / cells % planes];
}

/* y[n][o][p] = bias[o] + product[o][(n, p)] for `count` positions from `at` on, in rows of n */
__global__ static void separate(real *y, const real *product, const real *bias, int64_t outputs, int64_t area, int64_t at, int64_t count,
                                int64_t n)
{
  for (int64_t task = firstThread(); task < outputs * count; task += allThreads()) {
    const int64_t o = task / count, p = task % count, position = at + p;
    y[(position / area * outputs + o) * area + position % area] = (real)((bias ? (accreal)bias[o] : 0) + (accreal)product[o * n + p]);
  }
}

static void multiply(Call *call, const Convolution *s, const real *x, real *y, int transposed, const real *weight, const real *bias)
{
  const int64_t ld = transposed ? s->outChannels : s->depth, positions = s->samples * s->area, size = s->outChannels * s->area;
  if (s->isPointwise && s->matrices == s->samples) {
    if (bias) launch(call, blocksFor(s->samples * size), BLOCK, fillPlanes, y, bias, s->outChannels, s->area, s->samples * size);
    THNN_(gemm)(call, {s->outChannels, s->area, s->depth, s->samples}, 1,
                {transposed, weight, ld}, {0, x, s->area, s->depth * s->area}, {(accreal)(bias != NULL), y, s->area, size});
    return;
  }
  const int64_t n = paddedRow(evenPiece(positions, UNFOLDED_ELEMENTS / s->depth));
  real *columns = THNN_scratch(call, s->depth * n, sizeof(real)), *product = THNN_scratch(call, s->outChannels * n, sizeof(real));
  for (int64_t at = 0; at < positions && THNN_ready(call); at += n) {
    const int64_t count = THNN_min(n, positions - at);
    unfold(call, columns, x, s->window, at, positions, n);
    THNN_(gemm)(call, {s->outChannels, n, s->depth}, 1, {transposed, weight, ld}, {0, columns, n}, {0, product, n});
    launch(call, blocksFor(s->outChannels * count), BLOCK, separate, y, product, bias, s->outChannels, s->area, at, count, n);
  }
}

/* Groups count as samples (Convolution.h): those of one sample are a batch of products. */

/* Samples whose columns are in memory at once. */
static int64_t samplesAtOnce(const Convolution *s)
{
  return evenPiece(s->samples / s->groups, UNFOLDED_ELEMENTS / (s->depth * s->groups * s->area));
}

static void multiplyGroups(Call *call, const Convolution *s, const real *x, real *y, const real *weight, const real *bias)
{
  const int64_t some = samplesAtOnce(s) * s->groups, n = paddedRow(some * s->area), size = s->outChannels * s->area;
  real *columns = THNN_scratch(call, s->depth * n, sizeof(real));
  if (bias) launch(call, blocksFor(s->samples * size), BLOCK, fillPlanes, y, bias, s->groups * s->outChannels, s->area, s->samples * size);
  for (int64_t at = 0; at < s->samples && THNN_ready(call); at += some) {
    const int64_t end = THNN_min(at + some, s->samples);
    unfold(call, columns, x, s->window, at * s->area, end * s->area, n);
    for (int64_t i = at; i < end; i += s->groups)
      THNN_(gemm)(call, {s->outChannels, s->area, s->depth, s->groups}, 1,
                  {0, weight, s->depth, s->outChannels * s->depth}, {0, columns + (i - at) * s->area, n, s->area},
                  {(accreal)(bias != NULL), y + i * size, s->area, size});
  }
}

__global__ static void applyEachEpilogue(real *y, Epilogue f, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    const real sum = f.other ? (real)((accreal)y[i] + (accreal)f.other[i]) : y[i];
    y[i] = (real)activated(f.activation, (accreal)sum, f.a, f.b);
  }
}

static void applyEpilogue(Call *call, const Convolution *s, real *y, int64_t n)
{
  if (hasEpilogue(&s->epilogue)) launch(call, blocksFor(n), BLOCK, applyEachEpilogue, y, s->epilogue, n);
}

void THNN_(fastForward)(Call *call, const Convolution *s, const real *x, real *y, const real *weight, const real *bias)
{
  if (s->groups > 1) multiplyGroups(call, s, x, y, weight, bias);
  else multiply(call, s, x, y, 0, weight, bias);
  applyEpilogue(call, s, y, s->samples * s->outChannels * s->area);
}

/* ---- x = bias + folded weight^T * y: whole samples; of large ones, some channels at a time. A pointwise convolution folds nothing. */

static void gather(Call *call, const Convolution *s, const real *y, real *x, const real *weight, const real *bias)
{
  const int64_t samples = evenPiece(s->samples, UNFOLDED_ELEMENTS / (s->depth * s->area)), n = paddedRow(samples * s->area);
  const int64_t planes = evenPiece(s->window.channels, UNFOLDED_ELEMENTS / (s->cells * THNN_max(samples, 1) * s->area));
  real *joined = THNN_scratch(call, s->outChannels * n, sizeof(real)), *columns = THNN_scratch(call, planes * s->cells * n, sizeof(real));
  for (int64_t sample = 0; sample < s->samples && THNN_ready(call); sample += samples) {
    const int64_t count = THNN_min(samples, s->samples - sample);
    unfold(call, joined, y, cellByCell(s), sample * s->area, (sample + count) * s->area, n);
    for (int64_t first = 0; first < s->window.channels; first += planes) {
      const int64_t some = THNN_min(planes, s->window.channels - first);
      THNN_(gemm)(call, {some * s->cells, n, s->outChannels}, 1, {1, weight + first * s->cells, s->depth}, {0, joined, n}, {0, columns, n});
      fold(call, x, columns, bias, false, s->window, first, some, sample, count, n);
    }
  }
}

static void gatherGroups(Call *call, const Convolution *s, const real *y, real *x, const real *weight, const real *bias)
{
  const int64_t some = samplesAtOnce(s) * s->groups, n = paddedRow(some * s->area), size = s->outChannels * s->area;
  const int64_t planes = s->window.channels, cells = inputSize(s->window), all = s->samples * planes * cells;
  real *columns = THNN_scratch(call, s->depth * n, sizeof(real));
  if (bias) launch(call, blocksFor(all), BLOCK, fillPlanes, x, bias, s->groups * planes, cells, all);
  for (int64_t at = 0; at < s->samples && THNN_ready(call); at += some) {
    const int64_t end = THNN_min(at + some, s->samples);
    for (int64_t i = at; i < end; i += s->groups)
      THNN_(gemm)(call, {s->depth, s->area, s->outChannels, s->groups}, 1,
                  {1, weight, s->depth, s->outChannels * s->depth}, {0, y + i * size, s->area, size},
                  {0, columns + (i - at) * s->area, n, s->area});
    fold(call, x, columns, NULL, bias != NULL, s->window, 0, planes, at, end - at, n);
  }
}

void THNN_(fastBackward)(Call *call, const Convolution *s, const real *y, real *x, const real *weight, const real *bias)
{
  Convolution back = *s;
  back.outChannels = s->window.channels;
  back.depth = back.window.channels = s->outChannels;
  if (s->groups > 1) gatherGroups(call, s, y, x, weight, bias);
  else if (s->isPointwise) multiply(call, &back, y, x, 1, weight, bias);
  else gather(call, s, y, x, weight, bias);
  applyEpilogue(call, s, x, s->samples * s->window.channels * inputSize(s->window));
}

/* ---- gradWeight += scale * y * columns^T: parts of the sum over positions, each a product, are added at the end */

static void addGradWeight(Call *call, const Convolution *s, const real *x, const real *y, real *gw, double scale)
{
  const int64_t size = s->outChannels * s->depth, positions = s->samples * s->area;
  if (s->isPointwise && s->matrices == s->samples) { /* a sample is a part */
    const int64_t parts = evenPiece(s->samples, UNFOLDED_ELEMENTS / size), ySize = s->outChannels * s->area, xSize = s->depth * s->area;
    accreal *sums = THNN_scratch(call, parts * size, sizeof(accreal));
    for (int64_t sample = 0; sample < s->samples; sample += parts)
      THNN_(gemmSums)(call, {s->outChannels, s->depth, s->area, THNN_min(parts, s->samples - sample)}, 1,
                      {0, y + sample * ySize, s->area, ySize}, {1, x + sample * xSize, s->area, xSize},
                      {(accreal)(sample > 0), sums, s->depth, size});
    addParts(call, gw, sums, scale, parts, size);
    return;
  }
  const int64_t most = evenPiece(positions, UNFOLDED_ELEMENTS / s->depth);
  const int64_t squares = THNN_ceilDiv(s->outChannels, SQUARE) * THNN_ceilDiv(s->depth, SQUARE);
  const int64_t part = paddedRow(THNN_max(THNN_ceilDiv(most, THNN_max(MAX_PARTS / squares, 1)), THNN_min(most, MIN_PART_POSITIONS)));
  const int64_t parts = THNN_ceilDiv(most, part), n = parts * part;
  accreal *sums = THNN_scratch(call, parts * size, sizeof(accreal));
  real *columns = THNN_scratch(call, s->depth * n, sizeof(real)), *joined = THNN_scratch(call, s->outChannels * n, sizeof(real));
  for (int64_t at = 0; at < positions && THNN_ready(call); at += n) {
    unfold(call, columns, x, s->window, at, positions, n);
    unfold(call, joined, y, cellByCell(s), at, positions, n);
    THNN_(gemmSums)(call, {s->outChannels, s->depth, part, parts}, 1,
                    {0, joined, n, part}, {1, columns, n, part}, {(accreal)(at > 0), sums, s->depth, size});
  }
  addParts(call, gw, sums, scale, parts, size);
}

static void addGradWeightInGroups(Call *call, const Convolution *s, const real *x, const real *y, real *gw, double scale)
{
  const int64_t some = samplesAtOnce(s) * s->groups, n = paddedRow(some * s->area), size = s->outChannels * s->depth;
  real *columns = THNN_scratch(call, s->depth * n, sizeof(real));
  accreal *sums = THNN_scratch(call, s->groups * size, sizeof(accreal));
  for (int64_t at = 0; at < s->samples && THNN_ready(call); at += some) {
    const int64_t end = THNN_min(at + some, s->samples);
    unfold(call, columns, x, s->window, at * s->area, end * s->area, n);
    for (int64_t i = at; i < end; i += s->groups)
      THNN_(gemmSums)(call, {s->outChannels, s->depth, s->area, s->groups}, 1,
                      {0, y + i * s->outChannels * s->area, s->area, s->outChannels * s->area},
                      {1, columns + (i - at) * s->area, n, s->area},
                      {(accreal)(i > 0), sums, s->depth, size});
  }
  addParts(call, gw, sums, scale, 1, s->groups * size);
}

void THNN_(fastGradients)(Call *call, const Convolution *s, const real *in, const real *g, real *gw, real *gb, double scale)
{
  if (s->samples == 0) return;
  (s->groups > 1 ? addGradWeightInGroups : addGradWeight)(call, s, s->full ? g : in, s->full ? in : g, gw, scale);
  const Window *w = &s->window;
  const int64_t samples = s->samples / s->groups;
  if (gb && s->full) addPlaneSums(call, gb, g, scale, samples, 1, w->channels * s->groups, inputSize(*w));
  else if (gb) addPlaneSums(call, gb, g, scale, samples, 1, s->outChannels * s->groups, s->area);
}

#include "convolution/Convolution.c"

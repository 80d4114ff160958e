/* SpatialConvolutionMM: convolution (strictly, cross-correlation) as a matrix product.
 *
 *   output[n][o][oh][ow] = bias[o] + sum over c, i, j of
 *                          weight[o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *
 * where the input is 0 outside its planes. With the matrix `columns` of unfold.h, one row for each (c, i, j),
 *   output      = bias + weight * columns
 *   gradColumns = weight^T * gradOutput, which folded gives gradInput
 *   gradWeight += scale * gradOutput * columns^T
 *   gradBias   += scale * sum of gradOutput over samples and places
 *
 *   input       (N x) nInputPlane x H x W
 *   output      (N x) nOutputPlane x oH x oW with oH = floor((H + 2 * padH - kH) / dH) + 1, oW likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nOutputPlane x nInputPlane x kH x kW, or the same elements as a matrix of nOutputPlane rows
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * The sizes of tasks depend on shapes only, so that every sum has one order for any number of threads.
 * Unfolding and product as in Chellapilla, Puri, Simard, "High performance convolutional neural networks for document
 * processing" (2006), but a tile at a time. */
#include "convolution/unfold.h"

enum {
  TILE = 384,              /* places in a tile, at most */
  FEW_PLACES = 64,         /* samples with fewer places are worked on together */
  COLUMNS = 1 << 16,       /* elements unfolded at a time, about: they stay in a second-level cache */
  MOST_COLUMNS = 1 << 20,  /* and for the largest kernels */
  ROWS = 288,              /* rows of columns in a task of a backward pass, about */
  GROUP_SIZE = 1 << 17,    /* elements of gradWeight in a task, about */
  TASKS = 16,              /* where there are fewer tasks, they get smaller, */
  LEAST_ROWS = 64,         /* but not to fewer rows */
  LEAST_DEPTH = 128,       /* or shorter sums */
  SHORT = 4096             /* places of gradOutput in a short sum */
};

typedef struct Sizes {
  Window window;
  int64_t samples, outputs; /* N, nOutputPlane */
  int64_t cells, depth;     /* kH * kW, nInputPlane * kH * kW */
  int64_t area, tile;       /* oH * oW, places in a tile */
  int64_t matrices, places; /* outputs are N matrices of nOutputPlane x area, or a single one with the samples side by side */
  int direct;               /* a kernel of one cell that moves by one: the columns are the input itself */
} Sizes;

/* The shape of output and gradOutput: as input, with nOutputPlane x oH x oW for its last three sizes. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                           int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t size[THNN_MAX_DIMS])
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) nInputPlane x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "nInputPlane", p.channels, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 2, 4, "nOutputPlane x nInputPlane x kH x kW"));
  THNN_TRY(THNN_checkRange(f, "nOutputPlane", weight->size[0], 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "kH", kH, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dH", dH, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padW", padW, 0, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padH", padH, 0, THNN_MAX_SIZE));

  const int64_t cells = kH * kW;
  const int full = weight->nDimension == 4 && weight->size[2] == kH && weight->size[3] == kW;
  const int flat = weight->nDimension == 2 && weight->size[1] % cells == 0;
  if (!full && !flat)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected nOutputPlane x nInputPlane x %lld x %lld, got %s", (long long)kH,
                     (long long)kW, THNN_shapeText(weight->nDimension, weight->size).text);
  const int64_t planes = full ? weight->size[1] : weight->size[1] / cells;
  if (planes != p.channels)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)planes,
                     THNN_shapeText(input->nDimension, input->size).text);
  const int64_t oHeight = THNN_windowCount(p.height, kH, dH, padH, 0), oWidth = THNN_windowCount(p.width, kW, dW, padW, 0);
  if (oHeight < 1 || oWidth < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %lld x %lld, got %lld x %lld with its padding",
                     (long long)kH, (long long)kW, (long long)(p.height + 2 * padH), (long long)(p.width + 2 * padW));
  THNN_TRY(THNN_pooledShape(f, view(input), oHeight, oWidth, size));
  size[input->nDimension - 3] = weight->size[0];
  return THNN_OK;
}

/* Checks all that the layer's functions have in common; `result` is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, Sizes *s)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(f, input, weight, weightName, kW, kH, dW, dH, padW, padH, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));

  const Planes p = THNN_planes(input->nDimension, input->size), o = THNN_planes(input->nDimension, size);
  s->window = (Window){p.channels, p.height, p.width, kH, kW, dH, dW, padH, padW, o.height, o.width};
  s->samples = input->nDimension == 4 ? input->size[0] : 1;
  s->outputs = o.channels;
  s->cells = kH * kW;
  s->depth = p.channels * s->cells;
  s->area = o.height * o.width;
  const int together = s->area < FEW_PLACES && s->samples > 1;
  s->matrices = together ? 1 : s->samples;
  s->places = together ? s->samples * s->area : s->area;
  s->tile = THNN_min(THNN_max(MOST_COLUMNS / s->cells, 1), THNN_min(s->places, TILE));
  s->direct = s->cells == 1 && dH == 1 && dW == 1 && padH == 0 && padW == 0;
  if (s->direct) { /* a plane is one long row */
    s->window.width = s->window.oWidth = s->area;
    s->window.height = s->window.oHeight = 1;
  }
  return THNN_OK;
}

static int threadsFor(const Call *call, const Sizes *s)
{
  return THNN_threads(call, THNN_min(s->samples * s->outputs * s->area, 1 << 20) * THNN_min(s->depth, 1 << 10));
}

/* Samples apart, N x nOutputPlane x area, to side by side, nOutputPlane x (N x area), or back. */
static void regroup(real *apart, real *joined, const Sizes *s, int threads, int joining)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t o = 0; o < s->outputs; o++) {
      real *row = apart + (n * s->outputs + o) * s->area, *part = joined + o * s->places + n * s->area;
      memcpy(joining ? part : row, joining ? row : part, (size_t)s->area * sizeof(real));
    }
}

/* ---- output = bias + weight * columns; of a direct convolution also gradInput = weight^T * gradOutput */

/* c[o][p] = bias[o] */
THNN_KERNEL void fillRows(real *c, int64_t stride, const real *bias, int64_t rows, int64_t n)
{
  for (int64_t o = 0; o < rows; o++)
    for (int64_t p = 0; p < n; p++) c[o * stride + p] = bias[o];
}

/* y[p] = sum over parts of x[part][p] */
THNN_KERNEL void sumParts(real *restrict y, const real *restrict x, int64_t parts, int64_t size, int64_t n)
{
  for (int64_t p = 0; p < n; p++) y[p] = x[p];
  for (int64_t part = 1; part < parts; part++)
    for (int64_t p = 0; p < n; p++) y[p] += x[part * size + p];
}

/* The places are cut into tiles. If these are few, the planes are cut into parts, whose products are summed at the end. A
 * task is one part of one tile; it unfolds `block` planes at a time. weight is outputs x depth, or if transposed
 * depth x outputs. */
static void convolve(Call *call, const Sizes *s, const real *x, real *y, int transposed, const real *weight, const real *bias)
{
  const Window *w = &s->window;
  const int64_t wanted = THNN_min(s->places / (TILE / 2), TASKS / THNN_max(s->matrices, 1));
  const int64_t tile = THNN_min(s->tile, THNN_ceilDiv(s->places, THNN_max(wanted, 1)));
  const int64_t across = THNN_ceilDiv(s->places, tile), tiles = s->matrices * across;
  const int64_t most = THNN_max(THNN_min(TASKS / THNN_max(tiles, 1), s->depth / LEAST_DEPTH), 1);
  const int64_t part = THNN_ceilDiv(w->planes, most), parts = THNN_ceilDiv(w->planes, part);
  const int64_t block = THNN_min(THNN_max(COLUMNS / (tile * s->cells), 1), part);
  const int64_t columnSize = block * s->cells * tile + PIECE, productSize = s->outputs * tile;
  const int together = s->matrices < s->samples, inPlace = s->direct && !together, threads = threadsFor(call, s);

  real *joined = together ? THNN_scratch(call, s->outputs * s->places, sizeof(real)) : y;
  real *products = parts > 1 ? THNN_scratch(call, tiles * parts * productSize, sizeof(real)) : NULL;
  real *columns = inPlace ? NULL : THNN_scratch(call, threads * columnSize, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < tiles * parts; task++) {
    const int64_t matrix = task / parts / across, at = task / parts % across * tile, n = THNN_min(tile, s->places - at);
    const int64_t first = task % parts * part, end = THNN_min(first + part, w->planes);
    const int biased = bias && first == 0;
    real *c = parts > 1 ? products + task * productSize : joined + matrix * s->outputs * s->places + at;
    const int64_t stride = parts > 1 ? n : s->places;
    if (biased) fillRows(c, stride, bias, s->outputs, n);
    for (int64_t plane = first; plane < end; plane += block) {
      const int64_t planes = THNN_min(block, end - plane), row = plane * s->cells;
      const real *b = x + (matrix * w->planes + plane) * s->places + at;
      if (!inPlace) {
        real *column = columns + THNN_threadId() * columnSize;
        unfold(column, x, w, plane, planes, matrix * s->places + at, n);
        b = column;
      }
      THNN_(gemm)(transposed, 0, s->outputs, n, planes * s->cells, 1, weight + (transposed ? row * s->outputs : row),
                  transposed ? s->outputs : s->depth, b, inPlace ? s->places : n, biased || plane > first, c, stride);
    }
  }
  if (parts > 1) {
#pragma omp parallel for collapse(2) num_threads(threads)
    for (int64_t t = 0; t < tiles; t++)
      for (int64_t o = 0; o < s->outputs; o++) {
        const int64_t at = t % across * tile, n = THNN_min(tile, s->places - at);
        sumParts(joined + (t / across * s->outputs + o) * s->places + at, products + t * parts * productSize + o * n, parts,
                 productSize, n);
      }
  }
  if (together) regroup(y, joined, s, threads, 0);
}

int32_t THNN_(SpatialConvolutionMM_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                               int64_t dH, int64_t padW, int64_t padH, int64_t size[8])
{
  return outputShape(__func__, input, weight, "weight", kW, kH, dW, dH, padW, padH, size);
}

int32_t THNN_(SpatialConvolutionMM_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                 const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Sizes s;
  THNN_TRY(check(__func__, input, output, "output", weight, "weight", kW, kH, dW, dH, padW, padH, &s));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), output->nDimension, output->size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) convolve(&call, &s, x, y, 0, w, b);
  return THNN_leave(&call);
}

/* ---- gradInput: a group of planes gathers its columns, tile by tile */

/* How many planes make a group: at most `rows` rows of columns, fewer if there are few `others` to multiply with. */
static int64_t groupSize(const Sizes *s, int64_t rows, int64_t others)
{
  const int64_t few = THNN_max(THNN_min(rows, s->depth * THNN_max(others, 1) / TASKS), LEAST_ROWS);
  return THNN_min(THNN_max(few / s->cells, 1), s->window.planes);
}

/* gradOutput as the matrices that it is worked on. */
static const real *gradMatrices(Call *call, const Sizes *s, const THTensor *gradOutput)
{
  const real *g = THNN_in(call, view(gradOutput));
  if (s->matrices == s->samples) return g;
  real *joined = THNN_scratch(call, s->outputs * s->places, sizeof(real));
  if (!THNN_failed(call)) regroup((real *)g, joined, s, threadsFor(call, s), 1);
  return joined;
}

int32_t THNN_(SpatialConvolutionMM_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Sizes s;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", weight, "weight", kW, kH, dW, dH, padW, padH, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const Window *w = &s.window;
  const real *weights = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (s.direct) {
    Sizes back = s;
    back.outputs = w->planes;
    back.depth = back.window.planes = s.outputs;
    const real *g = THNN_in(&call, view(gradOutput));
    if (!THNN_failed(&call)) convolve(&call, &back, g, gx, 1, weights, NULL);
    return THNN_leave(&call);
  }
  const real *g = gradMatrices(&call, &s, gradOutput);
  const int64_t group = groupSize(&s, ROWS, s.matrices), groups = THNN_ceilDiv(w->planes, group);
  const int64_t columnSize = group * s.cells * s.tile, plane = w->height * w->width, samples = s.places / s.area;
  const int threads = threadsFor(&call, &s);
  real *columns = THNN_scratch(&call, threads * columnSize, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * s.matrices; task++) {
    const int64_t first = task / s.matrices * group, planes = THNN_min(group, w->planes - first), matrix = task % s.matrices;
    real *column = columns + THNN_threadId() * columnSize;
    for (int64_t n = matrix * samples; n < (matrix + 1) * samples; n++)
      memset(gx + (n * w->planes + first) * plane, 0, (size_t)(planes * plane) * sizeof(real));
    for (int64_t at = 0; at < s.places; at += s.tile) {
      const int64_t n = THNN_min(s.tile, s.places - at);
      THNN_(gemm)(1, 0, planes * s.cells, n, s.outputs, 1, weights + first * s.cells, s.depth,
                  g + matrix * s.outputs * s.places + at, s.places, 0, column, n);
      fold(gx, column, w, first, planes, matrix * s.places + at, n);
    }
  }
  return THNN_leave(&call);
}

/* ---- gradWeight: a group of planes sees all tiles, or if groups are few, chunks of them that are summed at the end */

/* A long sum is a sum of short ones, which keeps its precision. */
THNN_KERNEL double sumRow(const real *x, int64_t n)
{
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += SHORT) {
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t p = begin; p < THNN_min(begin + SHORT, n); p++) sum += x[p];
    total += sum;
  }
  return total;
}

/* y[i] += scale * sum over chunks of x[chunk][i]; the sum is left in x[0]. */
THNN_KERNEL void addChunks(real *restrict y, real *restrict x, int64_t chunks, int64_t size, real scale, int64_t n)
{
  for (int64_t chunk = 1; chunk < chunks; chunk++)
    for (int64_t i = 0; i < n; i++) x[i] += x[chunk * size + i];
  for (int64_t i = 0; i < n; i++) y[i] += scale * x[i];
}

int32_t THNN_(SpatialConvolutionMM_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  Sizes s;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", gradWeight, "gradWeight", kW, kH, dW, dH, padW, padH, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  const Window *w = &s.window;
  const real *x = THNN_in(&call, view(input)), *g = gradMatrices(&call, &s, gradOutput);
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  const int64_t across = THNN_ceilDiv(s.places, s.tile), tiles = s.matrices * across;
  const int64_t group = groupSize(&s, THNN_min(ROWS, GROUP_SIZE / s.outputs), tiles), groups = THNN_ceilDiv(w->planes, group);
  const int64_t chunk = groups < TASKS / 2 ? THNN_max(THNN_ceilDiv(tiles, TASKS / groups), 1) : THNN_max(tiles, 1);
  const int64_t chunks = THNN_ceilDiv(tiles, chunk), size = s.outputs * s.depth;
  const int64_t columnSize = group * s.cells * s.tile + PIECE;
  const int inPlace = s.direct && s.matrices == s.samples, threads = threadsFor(&call, &s);
  real *columns = inPlace ? NULL : THNN_scratch(&call, threads * columnSize, sizeof(real));
  real *sums = chunks > 1 ? THNN_scratch(&call, chunks * size, sizeof(real)) : NULL;
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * chunks; task++) {
    const int64_t first = task % groups * group, planes = THNN_min(group, w->planes - first);
    const int64_t begin = task / groups * chunk, end = THNN_min(begin + chunk, tiles);
    real *c = (sums ? sums + task / groups * size : gw) + first * s.cells;
    for (int64_t t = begin; t < end; t++) {
      const int64_t matrix = t / across, at = t % across * s.tile, n = THNN_min(s.tile, s.places - at);
      const real *b = x + (matrix * w->planes + first) * s.places + at;
      if (!inPlace) {
        real *column = columns + THNN_threadId() * columnSize;
        unfold(column, x, w, first, planes, matrix * s.places + at, n);
        b = column;
      }
      THNN_(gemm)(0, 1, s.outputs, planes * s.cells, n, sums ? 1 : (real)scale, g + matrix * s.outputs * s.places + at, s.places,
                  b, inPlace ? s.places : n, !sums || t > begin, c, s.depth);
    }
  }
  if (sums) {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s.outputs; o++) addChunks(gw + o * s.depth, sums + o * s.depth, chunks, size, (real)scale, s.depth);
  }
  if (gb) {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s.outputs; o++) {
      double sum = 0;
      for (int64_t matrix = 0; matrix < s.matrices; matrix++) sum += sumRow(g + (matrix * s.outputs + o) * s.places, s.places);
      gb[o] += (real)(scale * sum);
    }
  }
  return THNN_leave(&call);
}

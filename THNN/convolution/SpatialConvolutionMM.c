/* SpatialConvolutionMM: convolution (cross-correlation, to be exact) as a matrix product.
 *
 *   output[n][o][oh][ow] = bias[o] + sum over c, i, j of weight[o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *
 * where the input is 0 outside its planes. With the matrix `columns` of unfold.h, one row for each (c, i, j),
 *   output      = bias + weight * columns
 *   gradColumns = weight^T * gradOutput, and gradInput gathers each cell's share from it
 *   gradWeight += scale * gradOutput * columns^T
 *   gradBias   += scale * sum of gradOutput
 *
 *   input       (N x) nInputPlane x H x W
 *   output      (N x) nOutputPlane x oH x oW with oH = floor((H + 2 * padH - kH) / dH) + 1, oW likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nOutputPlane x nInputPlane x kH x kW, or the same elements as a matrix of nOutputPlane rows
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * Work is cut into tasks whose sizes depend on the shapes alone, so that sums have one order for any number of threads.
 * Unfolding and product as in Chellapilla, Puri, Simard, "High performance convolutional neural networks for document
 * processing" (2006), but a tile at a time. */
#include "convolution/unfold.h"

enum {
  TILE = 384,             /* places in a tile, at most */
  LEAST_TILE = 64,        /* samples with fewer places share a tile */
  ROWS = 288,             /* rows of columns in a task of a backward pass, about */
  GROUP_SIZE = 1 << 17,   /* elements of gradWeight in a task, about */
  TASKS = 16,             /* fewer tasks are cut into smaller ones, */
  LEAST_ROWS = 64,        /* but not below so many rows, */
  LEAST_DEPTH = 128,      /* and sums not into shorter ones */
  COLUMN_BYTES = 1 << 18  /* unfolded at a time, about: they stay in a second-level cache */
};

typedef struct Sizes {
  Window window;
  int64_t samples, outputs; /* N, nOutputPlane */
  int64_t area, depth;      /* oH * oW, rows of columns: nInputPlane * kH * kW */
  int direct;               /* a kernel of one cell that moves by one: the columns are the input itself */
} Sizes;

static int32_t checkSizes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                          int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, Sizes *s)
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

  const int64_t full[4] = {weight->size[0], p.channels, kH, kW};
  const int flat = weight->nDimension == 2 && weight->size[1] / (kH * kW) == p.channels && weight->size[1] % (kH * kW) == 0;
  if (!flat) THNN_TRY(THNN_checkShape(f, weightName, view(weight), 4, full));
  const int64_t oHeight = THNN_windowCount(p.height, kH, dH, padH, 0), oWidth = THNN_windowCount(p.width, kW, dW, padW, 0);
  if (oHeight < 1 || oWidth < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %lld x %lld, got %lld x %lld with its padding",
                     (long long)kH, (long long)kW, (long long)(p.height + 2 * padH), (long long)(p.width + 2 * padW));

  s->samples = input->nDimension == 4 ? input->size[0] : 1;
  s->window = (Window){s->samples, p.channels, p.height, p.width, kH, kW, dH, dW, padH, padW, oHeight, oWidth};
  s->outputs = weight->size[0];
  return THNN_OK;
}

/* As input, with nOutputPlane x oH x oW for its last three sizes. */
static void outputShape(const THTensor *input, const Sizes *s, int64_t size[THNN_MAX_DIMS])
{
  const int64_t last[3] = {s->outputs, s->window.oHeight, s->window.oWidth};
  memset(size, 0, THNN_MAX_DIMS * sizeof *size);
  size[0] = s->samples;
  memcpy(size + input->nDimension - 3, last, sizeof last);
}

/* What is safe to multiply once all tensors are known to fit into memory. */
static void finishSizes(Sizes *s)
{
  Window *w = &s->window;
  s->area = w->oHeight * w->oWidth;
  s->depth = w->planes * w->kH * w->kW;
  s->direct = w->kH == 1 && w->kW == 1 && w->dH == 1 && w->dW == 1 && w->padH == 0 && w->padW == 0;
  if (!s->direct) return;
  w->width = w->oWidth = s->area; /* a plane is one long row */
  w->height = w->oHeight = 1;
}

static int threadsFor(const Call *call, const Sizes *s)
{
  return THNN_threads(call, THNN_min(s->samples * s->outputs * s->area, 1 << 20) * THNN_min(s->depth, 1 << 10));
}

/* ---- output = bias + weight * columns; for a direct convolution also gradInput = weight^T * gradOutput */

/* The places of each sample are cut into tiles; samples with very few places share one. If tiles are few, the planes are
 * cut into parts, whose products are summed at the end. A task is one part of one tile; it unfolds `block` planes at a time. */
typedef struct Cut {
  int64_t samples, tile, tilesPerSample, tiles; /* of `samples` samples at a time, `tile` places each */
  int64_t parts, part, block;
} Cut;

static Cut cutForward(const Sizes *s)
{
  const Window *w = &s->window;
  Cut cut = {.samples = s->area < LEAST_TILE ? THNN_min(TILE / s->area, THNN_max(s->samples, 1)) : 1};
  const int64_t wanted = THNN_min(s->area / (TILE / 2), TASKS / THNN_max(s->samples, 1));
  cut.tile = THNN_ceilDiv(s->area, THNN_max(THNN_ceilDiv(s->area, TILE), wanted));
  cut.tilesPerSample = THNN_ceilDiv(s->area, cut.tile);
  cut.tiles = THNN_ceilDiv(s->samples, cut.samples) * cut.tilesPerSample;
  const int64_t parts = THNN_min(TASKS / THNN_max(cut.tiles, 1), s->depth / LEAST_DEPTH);
  cut.part = THNN_ceilDiv(w->planes, THNN_max(parts, 1));
  cut.parts = THNN_ceilDiv(w->planes, cut.part);
  const int64_t room = COLUMN_BYTES / (int64_t)sizeof(real) / (cut.samples * cut.tile * w->kH * w->kW);
  cut.block = THNN_min(THNN_max(room, 1), cut.part);
  return cut;
}

/* c[o][p] = bias[o] */
THNN_KERNEL void fillRows(real *c, int64_t stride, const real *bias, int64_t rows, int64_t n)
{
  for (int64_t o = 0; o < rows; o++)
    for (int64_t p = 0; p < n; p++) c[o * stride + p] = bias[o];
}

/* y[p] = bias + sum over parts of x[part][p] */
THNN_KERNEL void sumParts(real *restrict y, const real *restrict x, int64_t parts, int64_t stride, real bias, int64_t n)
{
  for (int64_t p = 0; p < n; p++) y[p] = x[p] + bias;
  for (int64_t part = 1; part < parts; part++)
    for (int64_t p = 0; p < n; p++) y[p] += x[part * stride + p];
}

/* First place of a tile, among those of all samples, and how many there are. */
static int64_t tilePlaces(const Sizes *s, const Cut *cut, int64_t tile, int64_t *n)
{
  const int64_t sample = tile / cut->tilesPerSample * cut->samples, at = tile % cut->tilesPerSample * cut->tile;
  *n = THNN_min(cut->samples, s->samples - sample) * THNN_min(cut->tile, s->area - at);
  return sample * s->area + at;
}

/* Row o of a tile's product goes to the output. */
static void finishRow(real *y, const real *product, const Sizes *s, const Cut *cut, int64_t tile, int64_t o, const real *bias)
{
  int64_t n;
  const int64_t place = tilePlaces(s, cut, tile, &n), run = THNN_min(n, s->area);
  for (int64_t p = 0; p < n; p += run) {
    const int64_t sample = (place + p) / s->area, at = (place + p) % s->area;
    sumParts(y + (sample * s->outputs + o) * s->area + at, product + o * n + p, cut->parts,
             s->outputs * cut->samples * cut->tile, bias ? bias[o] : 0, run);
  }
}

/* weight is outputs x depth, or depth x outputs if transposed. */
static void convolve(Call *call, const Sizes *s, const real *x, real *y, int transposed, const real *weight, const real *bias)
{
  const Window *w = &s->window;
  const Cut cut = cutForward(s);
  const int64_t cells = w->kH * w->kW, places = cut.samples * cut.tile, productSize = s->outputs * places;
  const int64_t columnSize = cut.block * cells * places + PIECE;
  const int inPlace = s->direct && cut.samples == 1, straight = cut.parts == 1 && cut.samples == 1;
  const int threads = threadsFor(call, s);
  real *products = THNN_scratch(call, straight ? 0 : (cut.parts > 1 ? cut.tiles * cut.parts : threads) * productSize, sizeof(real));
  real *columns = THNN_scratch(call, inPlace ? 0 : threads * columnSize, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < cut.tiles * cut.parts; task++) {
    const int64_t tile = task / cut.parts, first = task % cut.parts * cut.part, end = THNN_min(first + cut.part, w->planes);
    int64_t n;
    const int64_t place = tilePlaces(s, &cut, tile, &n), sample = place / s->area, at = place % s->area;
    real *column = columns + THNN_threadId() * columnSize;
    real *product = products + (cut.parts > 1 ? task : THNN_threadId()) * productSize;
    real *c = straight ? y + sample * s->outputs * s->area + at : product;
    if (straight && bias) fillRows(c, s->area, bias, s->outputs, n);
    for (int64_t plane = first; plane < end; plane += cut.block) {
      const int64_t planes = THNN_min(cut.block, end - plane), row = plane * cells;
      if (!inPlace) unfold(column, x, w, plane, planes, place, n);
      THNN_(gemm)(transposed, 0, s->outputs, n, planes * cells, 1, weight + (transposed ? row * s->outputs : row),
                  transposed ? s->outputs : s->depth, inPlace ? x + (sample * w->planes + plane) * s->area + at : column,
                  inPlace ? s->area : n, plane > first || (straight && bias), c, straight ? s->area : n);
    }
    if (!straight && cut.parts == 1)
      for (int64_t o = 0; o < s->outputs; o++) finishRow(y, product, s, &cut, tile, o, bias);
  }
  if (cut.parts == 1) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++)
    for (int64_t tile = 0; tile < cut.tiles; tile++)
      finishRow(y, products + tile * cut.parts * productSize, s, &cut, tile, o, bias);
}

int32_t THNN_(SpatialConvolutionMM_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                               int64_t dH, int64_t padW, int64_t padH, int64_t size[8])
{
  Sizes s;
  THNN_TRY(checkSizes(__func__, input, weight, "weight", kW, kH, dW, dH, padW, padH, &s));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  outputShape(input, &s, size);
  return THNN_OK;
}

int32_t THNN_(SpatialConvolutionMM_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                 const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Sizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkSizes(__func__, input, weight, "weight", kW, kH, dW, dH, padW, padH, &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &s.outputs));
  finishSizes(&s);

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) convolve(&call, &s, x, y, 0, w, b);
  return THNN_leave(&call);
}

/* How many planes make a task of a backward pass: at most `most` rows, fewer if there are few others to multiply with. */
static int64_t groupSize(const Sizes *s, int64_t others, int64_t most)
{
  const int64_t cells = s->window.kH * s->window.kW, rows = s->depth * THNN_max(others, 1) / TASKS;
  const int64_t planes = THNN_max(THNN_min(rows, most), LEAST_ROWS) / cells;
  return THNN_min(THNN_max(planes, 1), s->window.planes);
}

/* gradOutput as matrices of one row for each output plane: one a sample, or one for all where samples have few places. */
typedef struct Rows {
  const real *g;
  int64_t matrices, samples, places; /* in a matrix: samples side by side, and their places */
} Rows;

static Rows gradRows(Call *call, const Sizes *s, int threads, const THTensor *gradOutput)
{
  const real *g = THNN_in(call, view(gradOutput));
  if (s->area >= LEAST_TILE || s->samples < 2) return (Rows){g, s->samples, 1, s->area};
  const int64_t places = s->samples * s->area;
  real *joined = THNN_scratch(call, s->outputs * places, sizeof(real));
  if (THNN_failed(call)) return (Rows){0};
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++)
    for (int64_t sample = 0; sample < s->samples; sample++)
      memcpy(joined + o * places + sample * s->area, g + (sample * s->outputs + o) * s->area, (size_t)s->area * sizeof(real));
  return (Rows){joined, 1, s->samples, places};
}

/* ---- gradInput: columns of a group of planes, tile by tile, folded into the planes */

int32_t THNN_(SpatialConvolutionMM_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Sizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkSizes(__func__, input, weight, "weight", kW, kH, dW, dH, padW, padH, &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));
  finishSizes(&s);

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = threadsFor(&call, &s);
  const real *weights = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  const Window *w = &s.window;
  if (s.direct) {
    Sizes back = s;
    back.outputs = w->planes;
    back.depth = back.window.planes = s.outputs;
    const real *g = THNN_in(&call, view(gradOutput));
    if (!THNN_failed(&call)) convolve(&call, &back, g, gx, 1, weights, NULL);
    return THNN_leave(&call);
  }

  const Rows rows = gradRows(&call, &s, threads, gradOutput);
  const int64_t cells = w->kH * w->kW, plane = w->height * w->width;
  const int64_t group = groupSize(&s, rows.matrices, ROWS), groups = THNN_ceilDiv(w->planes, group);
  const int64_t tile = THNN_min(rows.places, TILE), columnSize = group * cells * tile;
  real *columns = THNN_scratch(&call, threads * columnSize, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * rows.matrices; task++) {
    const int64_t first = task / rows.matrices * group, planes = THNN_min(group, w->planes - first);
    const int64_t matrix = task % rows.matrices, sample = matrix * rows.samples;
    real *column = columns + THNN_threadId() * columnSize;
    for (int64_t n = sample; n < sample + rows.samples; n++)
      memset(gx + (n * w->planes + first) * plane, 0, (size_t)(planes * plane) * sizeof(real));
    for (int64_t at = 0; at < rows.places; at += tile) {
      const int64_t n = THNN_min(tile, rows.places - at);
      THNN_(gemm)(1, 0, planes * cells, n, s.outputs, 1, weights + first * cells, s.depth,
                  rows.g + matrix * s.outputs * rows.places + at, rows.places, 0, column, n);
      fold(gx, column, w, first, planes, sample * s.area + at, n);
    }
  }
  return THNN_leave(&call);
}

/* ---- gradWeight: a group of planes sees all places, in chunks that are summed at the end if groups are few */

/* Sum of x. */
THNN_KERNEL real sum(const real *x, int64_t n)
{
  real total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t p = 0; p < n; p++) total += x[p];
  return total;
}

/* y[r] += scale * (sum over chunks of x[chunk][r]) for rows of `width` in a matrix with `stride` */
THNN_KERNEL void addChunks(real *restrict y, const real *restrict x, int64_t chunks, int64_t size, real scale, int64_t n)
{
  for (int64_t r = 0; r < n; r++) {
    real total = x[r];
    for (int64_t chunk = 1; chunk < chunks; chunk++) total += x[chunk * size + r];
    y[r] += scale * total;
  }
}

int32_t THNN_(SpatialConvolutionMM_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  Sizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkSizes(__func__, input, gradWeight, "gradWeight", kW, kH, dW, dH, padW, padH, &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &s.outputs));
  finishSizes(&s);

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = threadsFor(&call, &s);
  const real *x = THNN_in(&call, view(input));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  const Rows rows = gradRows(&call, &s, threads, gradOutput);
  const Window *w = &s.window;
  const int64_t cells = w->kH * w->kW;
  const int64_t tile = THNN_min(rows.places, TILE), tilesPerMatrix = THNN_ceilDiv(rows.places, THNN_max(tile, 1));
  const int64_t tiles = rows.matrices * tilesPerMatrix;
  const int64_t group = groupSize(&s, tiles, THNN_min(ROWS, GROUP_SIZE / s.outputs)), groups = THNN_ceilDiv(w->planes, group);
  const int64_t chunk = THNN_ceilDiv(tiles, groups >= TASKS / 2 ? 1 : TASKS / groups), chunks = chunk ? THNN_ceilDiv(tiles, chunk) : 0;
  const int inPlace = s.direct && rows.samples == 1;
  const int64_t columnSize = inPlace ? 0 : group * cells * tile + PIECE, sumSize = s.outputs * s.depth;
  real *columns = THNN_scratch(&call, threads * columnSize, sizeof(real));
  real *sums = THNN_scratch(&call, chunks > 1 ? chunks * sumSize : 0, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * chunks; task++) {
    const int64_t first = task % groups * group, planes = THNN_min(group, w->planes - first);
    const int64_t begin = task / groups * chunk, end = THNN_min(begin + chunk, tiles);
    real *column = columns + THNN_threadId() * columnSize;
    real *c = (chunks > 1 ? sums + task / groups * sumSize : gw) + first * cells;
    for (int64_t t = begin; t < end; t++) {
      const int64_t matrix = t / tilesPerMatrix, at = t % tilesPerMatrix * tile, n = THNN_min(tile, rows.places - at);
      if (!inPlace) unfold(column, x, w, first, planes, matrix * rows.places + at, n);
      THNN_(gemm)(0, 1, s.outputs, planes * cells, n, chunks > 1 ? 1 : (real)scale,
                  rows.g + matrix * s.outputs * rows.places + at, rows.places,
                  inPlace ? x + (matrix * w->planes + first) * s.area + at : column, inPlace ? s.area : n,
                  chunks == 1 || t > begin, c, s.depth);
    }
  }
  if (chunks > 1) {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s.outputs; o++)
      addChunks(gw + o * s.depth, sums + o * s.depth, chunks, sumSize, (real)scale, s.depth);
  }
  if (gb) {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s.outputs; o++) {
      double total = 0;
      for (int64_t matrix = 0; matrix < rows.matrices; matrix++)
        total += sum(rows.g + (matrix * s.outputs + o) * rows.places, rows.places);
      gb[o] += (real)(scale * total);
    }
  }
  return THNN_leave(&call);
}

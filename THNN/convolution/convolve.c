/* What the convolutions of convolve.h compute, in any number of dimensions.
 *
 * With the matrix `columns` of unfold.h, made from x, one row for each plane of x and each cell of the window,
 *   forward    y = bias + weight * columns
 *   backward   gradColumns = weight^T * y, which folded gives x; a full layer adds its bias
 *   weights    gradWeight += scale * y * columns^T
 * where x is the input of a layer and y its output; of a full layer x is the output and y the input.
 *
 * The sizes of tasks depend on shapes only, so that every sum has one order for any number of threads.
 * Unfolding and product as in Chellapilla, Puri, Simard, "High performance convolutional neural networks for document
 * processing" (2006), but a tile at a time. */
#include "convolution/convolve.h"

enum {
  TILE = 384,              /* places in a tile, at most */
  FEW_PLACES = 64,         /* samples with fewer places are worked on together */
  MOST_COLUMNS = 1 << 20   /* elements unfolded at a time for the largest kernels */
};

/* ---- checks */

/* "kW", "dilationT": a number of an axis. */
typedef struct Name {
  char text[16];
} Name;

static Name named(const char *what, char axis)
{
  Name name = {{0}};
  const size_t n = strlen(what);
  memcpy(name.text, what, n);
  name.text[n] = axis;
  return name;
}

/* How many cells a window reaches over. */
static int64_t reach(const Axis *a) { return (a->kernel - 1) * a->dilation + 1; }

static int32_t checkNumbers(const char *f, char letter, const Axis *a)
{
  THNN_TRY(THNN_checkRange(f, named("k", letter).text, a->kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, named("d", letter).text, a->stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, named("pad", letter).text, a->pad, 0, THNN_MAX_SIZE));
  return THNN_checkRange(f, named("dilation", letter).text, a->dilation, 1, THNN_MAX_SIZE);
}

/* The places of a window over `in` cells of input, or for a full layer the cells of output over `in` places. */
static int32_t checkPlaces(const char *f, char letter, int full, int64_t in, int64_t adj, Axis *a)
{
  if (!full) {
    a->in = in;
    a->out = THNN_windowCount(in, reach(a), a->stride, a->pad, 0);
    return THNN_OK;
  }
  THNN_TRY(THNN_checkRange(f, named("adj", letter).text, adj, 0, THNN_max(a->stride, a->dilation) - 1));
  a->out = in;
  a->in = (in - 1) * a->stride - 2 * a->pad + reach(a) + adj;
  return THNN_OK;
}

/* Weight has this many planes for each of its rows, or -1. */
static int64_t planesOfWeight(const Convolution *c, const THTensor *weight)
{
  const int64_t kernel[3] = {c->window.t.kernel, c->window.h.kernel, c->window.w.kernel}, *own = kernel + 3 - c->dims;
  int same = weight->nDimension == c->dims + 2;
  for (int32_t d = 0; same && d < c->dims; d++) same = weight->size[d + 2] == own[d];
  if (same) return weight->size[1];
  int64_t cells;
  if (!c->flat || weight->nDimension != 2 || __builtin_mul_overflow(kernel[0], kernel[1] * kernel[2], &cells)) return -1;
  return weight->size[1] % cells ? -1 : weight->size[1] / cells;
}

/* All that input and weight decide: the window, and the shape of the output. */
static int32_t checkShapes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Convolution *c,
                           int64_t size[THNN_MAX_DIMS])
{
  static const char *const inputs[] = {"", "(N x) nInputPlane x W", "(N x) nInputPlane x H x W", "(N x) nInputPlane x T x H x W"};
  static const char *const weights[] = {"", "nOutputPlane x nInputPlane x kW", "nOutputPlane x nInputPlane x kH x kW",
                                        "nOutputPlane x nInputPlane x kT x kH x kW"};
  static const char *const fulls[] = {"", "nInputPlane x nOutputPlane x kW", "nInputPlane x nOutputPlane x kH x kW",
                                      "nInputPlane x nOutputPlane x kT x kH x kW"};
  const int32_t dims = c->dims, n = dims + 2;
  Window *w = &c->window;
  THNN_TRY(THNN_checkInput(f, "input", view(input), n - 1, n, inputs[dims]));
  const int64_t *last = input->size + input->nDimension, channels = last[-dims - 1];
  const int64_t in[3] = {dims > 2 ? last[-3] : 1, dims > 1 ? last[-2] : 1, last[-1]};
  THNN_TRY(THNN_checkRange(f, "nInputPlane", channels, 1, INT64_MAX));
  const int64_t longest = c->full ? THNN_MAX_SIZE : INT64_MAX; /* an output's size must not overflow */
  THNN_TRY(THNN_checkRange(f, "input time", in[0], 1, longest));
  THNN_TRY(THNN_checkRange(f, "input height", in[1], 1, longest));
  THNN_TRY(THNN_checkRange(f, "input width", in[2], 1, longest));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), c->flat ? 2 : n, n, (c->full ? fulls : weights)[dims]));
  THNN_TRY(THNN_checkRange(f, c->full ? "nInputPlane" : "nOutputPlane", weight->size[0], 1, INT64_MAX));
  THNN_TRY(checkNumbers(f, 'W', &w->w));
  THNN_TRY(checkNumbers(f, 'H', &w->h));
  THNN_TRY(checkNumbers(f, 'T', &w->t));

  const int64_t kernel[3] = {w->t.kernel, w->h.kernel, w->w.kernel}, planes = planesOfWeight(c, weight);
  if (planes < 0)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected %s x %s, got %s",
                     c->full ? "nInputPlane x nOutputPlane" : "nOutputPlane x nInputPlane",
                     THNN_shapeText(dims, kernel + 3 - dims).text, THNN_shapeText(weight->nDimension, weight->size).text);
  const int64_t expected = c->full ? weight->size[0] : planes, outputs = c->full ? planes : weight->size[0];
  if (channels != expected)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)expected,
                     THNN_shapeText(input->nDimension, input->size).text);
  if (c->full) THNN_TRY(THNN_checkRange(f, "nOutputPlane", outputs, 1, INT64_MAX));

  THNN_TRY(checkPlaces(f, 'T', c->full, in[0], c->adjT, &w->t));
  THNN_TRY(checkPlaces(f, 'H', c->full, in[1], c->adjH, &w->h));
  THNN_TRY(checkPlaces(f, 'W', c->full, in[2], c->adjW, &w->w));
  const int64_t result[3] = {c->full ? w->t.in : w->t.out, c->full ? w->h.in : w->h.out, c->full ? w->w.in : w->w.out};
  if (THNN_min(THNN_min(result[0], result[1]), result[2]) < 1) {
    if (c->full)
      return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected one that gives output, got %s for an output of %s",
                       THNN_shapeText(input->nDimension, input->size).text, THNN_shapeText(dims, result + 3 - dims).text);
    const int64_t least[3] = {reach(&w->t), reach(&w->h), reach(&w->w)};
    const int64_t padded[3] = {in[0] + 2 * w->t.pad, in[1] + 2 * w->h.pad, in[2] + 2 * w->w.pad};
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %s, got %s with its padding",
                     THNN_shapeText(dims, least + 3 - dims).text, THNN_shapeText(dims, padded + 3 - dims).text);
  }
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input->nDimension ? input->size[d] : 0;
  memcpy(size + input->nDimension - dims, result + 3 - dims, (size_t)dims * sizeof(int64_t));
  size[input->nDimension - dims - 1] = outputs;
  w->planes = c->full ? outputs : channels;
  c->outputs = c->full ? channels : outputs;
  c->samples = input->nDimension == n ? input->size[0] : 1;
  return THNN_OK;
}

/* Checks all that a layer's functions have in common, and decides how the work is cut; `result` is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, Convolution *c)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, weightName, c, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));

  Window *w = &c->window;
  c->cells = w->t.kernel * w->h.kernel * w->w.kernel;
  c->depth = w->planes * c->cells;
  c->area = w->t.out * w->h.out * w->w.out;
  const int together = c->area < FEW_PLACES && c->samples > 1;
  c->matrices = together ? 1 : c->samples;
  c->places = together ? c->samples * c->area : c->area;
  c->tile = THNN_min(THNN_max(MOST_COLUMNS / c->cells, 1), THNN_min(c->places, TILE));
  const int still = w->t.pad == 0 && w->h.pad == 0 && w->w.pad == 0 && w->t.in == w->t.out && w->h.in == w->h.out;
  c->direct = c->cells == 1 && still && w->w.in == w->w.out && w->t.stride == 1 && w->h.stride == 1 && w->w.stride == 1;
  if (c->direct) { /* a plane is one long row */
    w->w.in = w->w.out = c->area;
    w->h.in = w->h.out = w->t.in = w->t.out = 1;
  }
  return THNN_OK;
}

static int32_t checkBias(const char *f, const THTensor *bias, const Convolution *c)
{
  return bias ? THNN_checkShape(f, "bias", view(bias), 1, c->full ? &c->window.planes : &c->outputs) : THNN_OK;
}

#ifndef THNN_CUDA /* THCUNN/convolution/convolve.cu has its own */
#include "convolution/unfold.h"

enum {
  COLUMNS = 1 << 16,       /* elements unfolded at a time, about: they stay in a second-level cache */
  ROWS = 288,              /* rows of columns in a task of a backward pass, about */
  GROUP_SIZE = 1 << 17,    /* elements of gradWeight in a task, about */
  TASKS = 16,              /* where there are fewer tasks, they get smaller, */
  LEAST_ROWS = 64,         /* but not to fewer rows */
  LEAST_DEPTH = 128,       /* or shorter sums */
  SHORT = 4096             /* places of gradOutput in a short sum */
};

static int threadsFor(const Call *call, const Convolution *s)
{
  return THNN_threads(call, THNN_min(s->samples * s->outputs * s->area, 1 << 20) * THNN_min(s->depth, 1 << 10));
}

/* Samples apart, N x nOutputPlane x area, to side by side, nOutputPlane x (N x area), or back. */
static void regroup(real *apart, real *joined, const Convolution *s, int threads, int joining)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t o = 0; o < s->outputs; o++) {
      real *row = apart + (n * s->outputs + o) * s->area, *part = joined + o * s->places + n * s->area;
      memcpy(joining ? part : row, joining ? row : part, (size_t)s->area * sizeof(real));
    }
}

/* ---- y = bias + weight * columns; of a direct convolution also x = bias + weight^T * y */

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
static void forward(Call *call, const Convolution *s, const real *x, real *y, int transposed, const real *weight, const real *bias)
{
  const Window *w = &s->window;
  const int64_t wanted = THNN_min(s->places / (TILE / 2), TASKS / THNN_max(s->matrices, 1));
  const int64_t tile = THNN_min(s->tile, THNN_ceilDiv(s->places, THNN_max(wanted, 1)));
  const int64_t across = THNN_ceilDiv(s->places, tile), tiles = s->matrices * across;
  const int64_t most = THNN_max(THNN_min(TASKS / THNN_max(tiles, 1), s->depth / LEAST_DEPTH), 1);
  const int64_t part = THNN_ceilDiv(w->planes, most), parts = THNN_ceilDiv(w->planes, part);
  const int64_t block = THNN_min(THNN_max(COLUMNS / (tile * s->cells), 1), part);
  const int64_t columnSize = THNN_roomFor(block * s->cells * tile + PIECE), productSize = s->outputs * tile;
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

/* ---- x = bias + folded weight^T * y: a group of planes gathers its columns, tile by tile */

/* How many planes make a group: at most `rows` rows of columns, fewer if there are few `others` to multiply with. */
static int64_t groupSize(const Convolution *s, int64_t rows, int64_t others)
{
  const int64_t few = THNN_max(THNN_min(rows, s->depth * THNN_max(others, 1) / TASKS), LEAST_ROWS);
  return THNN_min(THNN_max(few / s->cells, 1), s->window.planes);
}

/* y as the matrices that it is worked on. */
static const real *matricesOf(Call *call, const Convolution *s, const real *y)
{
  if (s->matrices == s->samples || THNN_failed(call)) return y;
  real *joined = THNN_scratch(call, s->outputs * s->places, sizeof(real));
  if (!THNN_failed(call)) regroup((real *)y, joined, s, threadsFor(call, s), 1);
  return joined;
}

static void gather(Call *call, const Convolution *s, const real *y, real *x, const real *weight, const real *bias)
{
  const Window *w = &s->window;
  const real *g = matricesOf(call, s, y);
  const int64_t group = groupSize(s, ROWS, s->matrices), groups = THNN_ceilDiv(w->planes, group);
  const int64_t columnSize = THNN_roomFor(group * s->cells * s->tile), plane = w->t.in * w->h.in * w->w.in, samples = s->places / s->area;
  const int threads = threadsFor(call, s);
  real *columns = THNN_scratch(call, threads * columnSize, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * s->matrices; task++) {
    const int64_t first = task / s->matrices * group, planes = THNN_min(group, w->planes - first), matrix = task % s->matrices;
    real *column = columns + THNN_threadId() * columnSize;
    for (int64_t n = matrix * samples; n < (matrix + 1) * samples; n++) {
      real *part = x + (n * w->planes + first) * plane;
      if (bias) fillRows(part, plane, bias + first, planes, plane);
      else memset(part, 0, (size_t)(planes * plane) * sizeof(real));
    }
    for (int64_t at = 0; at < s->places; at += s->tile) {
      const int64_t n = THNN_min(s->tile, s->places - at);
      THNN_(gemm)(1, 0, planes * s->cells, n, s->outputs, 1, weight + first * s->cells, s->depth,
                  g + matrix * s->outputs * s->places + at, s->places, 0, column, n);
      fold(x, column, w, first, planes, matrix * s->places + at, n);
    }
  }
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

/* g is y, as matricesOf gives it. */
static void weights(Call *call, const Convolution *s, const real *x, const real *g, real *gw, double scale)
{
  const Window *w = &s->window;
  const int64_t across = THNN_ceilDiv(s->places, s->tile), tiles = s->matrices * across;
  const int64_t group = groupSize(s, THNN_min(ROWS, GROUP_SIZE / s->outputs), tiles);
  const int64_t groups = THNN_ceilDiv(w->planes, group);
  const int64_t chunk = groups < TASKS / 2 ? THNN_max(THNN_ceilDiv(tiles, TASKS / groups), 1) : THNN_max(tiles, 1);
  const int64_t chunks = THNN_ceilDiv(tiles, chunk), size = s->outputs * s->depth;
  const int64_t columnSize = THNN_roomFor(group * s->cells * s->tile + PIECE);
  const int inPlace = s->direct && s->matrices == s->samples, threads = threadsFor(call, s);
  real *columns = inPlace ? NULL : THNN_scratch(call, threads * columnSize, sizeof(real));
  real *sums = chunks > 1 ? THNN_scratch(call, chunks * size, sizeof(real)) : NULL;
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * chunks; task++) {
    const int64_t first = task % groups * group, planes = THNN_min(group, w->planes - first);
    const int64_t begin = task / groups * chunk, end = THNN_min(begin + chunk, tiles);
    real *c = (sums ? sums + task / groups * size : gw) + first * s->cells;
    for (int64_t t = begin; t < end; t++) {
      const int64_t matrix = t / across, at = t % across * s->tile, n = THNN_min(s->tile, s->places - at);
      const real *b = x + (matrix * w->planes + first) * s->places + at;
      if (!inPlace) {
        real *column = columns + THNN_threadId() * columnSize;
        unfold(column, x, w, first, planes, matrix * s->places + at, n);
        b = column;
      }
      THNN_(gemm)(0, 1, s->outputs, planes * s->cells, n, sums ? 1 : (real)scale, g + matrix * s->outputs * s->places + at,
                  s->places, b, inPlace ? s->places : n, !sums || t > begin, c, s->depth);
    }
  }
  if (sums) {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s->outputs; o++)
      addChunks(gw + o * s->depth, sums + o * s->depth, chunks, size, (real)scale, s->depth);
  }
}

/* gradBias[o] += scale * sum over samples and places of g[n][o][p] */
static void biases(const Call *call, const Convolution *s, const real *g, real *gb, int64_t samples, int64_t planes, int64_t places,
                   double scale)
{
  const int threads = threadsFor(call, s);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < planes; o++) {
    double sum = 0;
    for (int64_t n = 0; n < samples; n++) sum += sumRow(g + (n * planes + o) * places, places);
    gb[o] += (real)(scale * sum);
  }
}

static void gradients(Call *call, const Convolution *s, const real *in, const real *g, real *gw, real *gb, double scale)
{
  const real *y = matricesOf(call, s, s->full ? in : g);
  if (!THNN_failed(call)) weights(call, s, s->full ? g : in, y, gw, scale);
  if (THNN_failed(call) || !gb) return;
  const Axis *t = &s->window.t, *h = &s->window.h, *w = &s->window.w;
  if (s->full) biases(call, s, g, gb, s->samples, s->window.planes, t->in * h->in * w->in, scale);
  else biases(call, s, y, gb, s->matrices, s->outputs, s->places, scale);
}
#endif

/* x = bias + folded weight^T * y; of a direct convolution, which has nothing to fold, a product like that of forward. */
static void backward(Call *call, const Convolution *s, const real *y, real *x, const real *weight, const real *bias)
{
  Convolution back = *s;
  back.outputs = s->window.planes;
  back.depth = back.window.planes = s->outputs;
  if (s->direct) forward(call, &back, y, x, 1, weight, bias);
  else gather(call, s, y, x, weight, bias);
}

/* ---- the functions of a layer */

int32_t THNN_(convolution_outputSize)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *size)
{
  int64_t found[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, "weight", &c, found));
  if (!size) return THNN_fail(THNN_ERR_NULL, f, "size", "expected a place for 8 sizes, got NULL");
  memcpy(size, found, sizeof found);
  return THNN_OK;
}

int32_t THNN_(convolution_updateOutput)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                        const THTensor *weight, const THTensor *bias)
{
  THNN_TRY(check(f, input, output, "output", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), output->nDimension, output->size));
  THNN_TRY(checkBias(f, bias, &c));

  Call call;
  THNN_enter(&call, state, f);
  const real *in = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *out = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) {
    if (c.full) backward(&call, &c, in, out, w, b);
    else forward(&call, &c, in, out, 0, w, b);
  }
  return THNN_leave(&call);
}

int32_t THNN_(convolution_updateGradInput)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                           const THTensor *gradOutput, THTensor *gradInput, const THTensor *weight)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gi = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) {
    if (c.full) forward(&call, &c, g, gi, 0, w, NULL);
    else backward(&call, &c, g, gi, w, NULL);
  }
  return THNN_leave(&call);
}

int32_t THNN_(convolution_accGradParameters)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, c.full ? &c.window.planes : &c.outputs));

  Call call;
  THNN_enter(&call, state, f);
  const real *in = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_failed(&call)) gradients(&call, &c, in, g, gw, gb, scale);
  return THNN_leave(&call);
}

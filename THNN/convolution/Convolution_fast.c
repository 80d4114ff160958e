/* The fast loops of convolution on the host: it describes a pass as one ConvProblem or several, chooses the algorithm of each, and runs it.
 *
 * The forward pass is one ConvProblem (Convolution_problem.h). The backward pass, which is also the forward pass of a full layer, is one
 * for each stride phase, with the kernel reversed. Convolution_kernels.h has the loops, once for each instruction set.
 *
 *   algorithm        loops                       used if
 *   WINOGRAD_F4, F2  Convolution_winograd.h      float, one group, 3x3 kernels with stride 1, and chooseAlgorithm expects a gain
 *   SPATIAL_TILES    Convolution_direct.h        otherwise, if chooseDirectAlgorithm expects that it is faster than CHANNEL_TILES
 *   CHANNEL_TILES    Convolution_direct.h        otherwise
 *   matrix product   core/gemm.c                 the kernel covers the whole input: one position
 *   REFERENCE_LOOPS  Convolution.c               the definition is asked for, or a size exceeds the tables of the others */
#include "convolution/Convolution.h"
#include <math.h>
#include "convolution/Convolution_problem.h"
#include "core/packed_cache.h"
#include "core/sums.h"

/* ---- the instruction set */

static const ConvKernels *bestKernels(void) { return THNN_BEST(THNN_(convKernels), THNN_(convKernelsAvx2), THNN_(convKernelsAvx512)); }

/* ---- the choice of the algorithm */

/* The algorithm that the state names, or else the layer. If neither names one, the output's depends, in a state with
 * THNN_FIXED, on the sizes of one sample alone. */
static int32_t callAlgorithm(const Call *call, const Convolution *c, int isOutput)
{
  const int32_t stateAlgorithm = THNN_plain(call) ? THNN_BY_DEFINITION : THNN_convolutionAlgorithm(call);
  if (stateAlgorithm != THNN_FAST && stateAlgorithm != THNN_FIXED) return stateAlgorithm;
  if (!isOutput) return THNN_FAST;
  return stateAlgorithm == THNN_FAST || c->algorithm != THNN_FAST ? c->algorithm : THNN_(fastAlgorithm)(c);
}

/* True if all offsets fit 32 bits, and the padded input is not much larger than the input. */
static int fitsTables(const ConvProblem *s)
{
  const ConvAxis *axes[] = {&s->t, &s->h, &s->w};
  double inputSize = (double)s->inChannels * (double)s->t.kernel, length[3];
  for (int a = 0; a < 3; a++) {
    length[a] = (double)(axes[a]->out - 1) * (double)axes[a]->stride + (double)(axes[a]->kernel - 1) * (double)axes[a]->dilation + 1;
    if (length[a] > 8 * (double)(axes[a]->in + axes[a]->out) + 1024) return 0;
  }
  inputSize *= ((double)(s->h.kernel - 1) * (double)s->h.dilation + (double)s->h.stride) * (length[2] + 16);
  return inputSize + 1024 * (double)s->inChannels < INT32_MAX && (double)s->outChannels * length[2] < INT32_MAX;
}

/* True if Winograd's algorithms can compute the problem: 3x3 kernels with stride 1 over planes, in float, if the transformed memory fits
 * 32 bits. */
static int isWinogradProblem(const ConvProblem *s)
{
  const ConvAxis *h = &s->h, *w = &s->w, *t = &s->t;
  const double memory = (double)(s->inChannels + s->outChannels) * 36 * ((double)w->out / 2 + 64);
  return sizeof(THNN_REAL) == sizeof(float) && s->groups == 1 && memory < INT32_MAX && h->kernel == 3 && w->kernel == 3 &&
         h->dilation == 1 &&
         w->dilation == 1 && h->stride == 1 && w->stride == 1 && t->kernel == 1 && t->in == 1 && t->out == 1 && w->xStride == 1 &&
         w->yStride == 1;
}

/* The cost model: an algorithm's time for each pair of an input and an output channel, in multiply-adds. It counts the products at all
 * points and the time to load their weights from memory. `size` is the size of a Winograd tile, or 0 for the direct algorithms. A Winograd
 * tile of `size` outputs has (size + 2)^2 points. Weights that may change are transformed in each step of training, which takes as long as
 * `transform` multiply-adds, but only once in evaluation. The cost for such weights is the geometric mean of the costs of both. */
static double estimateCost(int64_t size, const ConvProblem *s, const ConvKernels *k, int isFrozen)
{
  const double loadCost = (double)k->weightLoadCost, points = (double)((size + 2) * (size + 2)), transform = size == 4 ? 750 : 450;
  if (size == 0) return 9 * ((double)(s->samples * s->h.out * s->w.out) + loadCost);
  const double tiles = (double)(s->samples * THNN_ceilDiv(s->h.out, size) * THNN_ceilDiv(s->w.out, size));
  const double cachedCost = points * (tiles + loadCost), transformedCost = points * tiles + 9 * loadCost + transform;
  return isFrozen ? cachedCost : sqrt(cachedCost * transformedCost);
}

/* Chooses the algorithm. All numbers that the choice depends on are here. They were measured by `python -m benchmarks.convolutions`, and
 * those of small feature maps by `python -m benchmarks.ways`. If `isFrozen`, nobody can change the weights. */
static ConvAlgorithm chooseAlgorithm(int32_t requested, const ConvProblem *s, const ConvKernels *k, int isFrozen)
{
  enum {
    MIN_IN_CHANNELS = 16,            /* minimum number of input channels for Winograd's algorithms */
    MIN_OUT_CHANNELS = 8,            /* minimum number of output channels for Winograd's algorithms */
    MIN_SIZE = 8,                    /* minimum number of rows and columns of the output, if both sides have MANY_CHANNELS */
    MIN_SIZE_FEW_CHANNELS = 13,      /* minimum number of rows and columns of the output otherwise */
    MANY_CHANNELS = 96,              /* channels of either side that pay for the transforms of outputs of MIN_SIZE */
    MIN_TILES = 12,                  /* minimum number of tiles, which are one side of the products */
    MIN_TILES_LARGE_OUTPUT = 8,      /* minimum number of tiles of 4x4 for F(2x2) on outputs of MIN_SIZE */
    MIN_CHANNELS_SMALL_OUTPUT = 128, /* minimum number of channels of either side for outputs below MIN_SIZE */
  };
  if (requested == THNN_BY_DEFINITION || !fitsTables(s)) return REFERENCE_LOOPS;
  if (requested == THNN_BY_PLACES) return SPATIAL_TILES;
  if (requested == THNN_BY_OUTPUTS) return CHANNEL_TILES;
  if (!isWinogradProblem(s)) return k->chooseDirect(s);
  if (requested == THNN_BY_WINOGRAD_2) return WINOGRAD_F2;
  if (requested == THNN_BY_WINOGRAD_4) return WINOGRAD_F4;
  if (requested != THNN_FAST || s->inChannels < MIN_IN_CHANNELS || s->outChannels < MIN_OUT_CHANNELS) return k->chooseDirect(s);
  const double plain = estimateCost(0, s, k, isFrozen), two = estimateCost(2, s, k, isFrozen), four = estimateCost(4, s, k, isFrozen);
  const int64_t tiles = s->samples * THNN_ceilDiv(s->h.out, 4) * THNN_ceilDiv(s->w.out, 4);
  /* F(2x2) has less than half of the weights of F(4x4), but transforms more tiles. For frozen weights it is chosen if it saves an eighth. */
  const int64_t minSize = s->inChannels < MANY_CHANNELS || s->outChannels < MANY_CHANNELS ? MIN_SIZE_FEW_CHANNELS : MIN_SIZE;
  if (s->h.out >= minSize && s->w.out >= minSize && tiles >= MIN_TILES_LARGE_OUTPUT)
    return tiles < MIN_TILES || (isFrozen && 8 * two < 7 * four) ? WINOGRAD_F2 : WINOGRAD_F4;
  /* The transforms of small outputs cost relatively more. Winograd's algorithm is chosen if it saves a sixth. */
  if (s->inChannels >= MIN_CHANNELS_SMALL_OUTPUT && s->outChannels >= MIN_CHANNELS_SMALL_OUTPUT) {
    const int hasFour = tiles >= MIN_TILES, hasTwo = s->samples * THNN_ceilDiv(s->h.out, 2) * THNN_ceilDiv(s->w.out, 2) >= MIN_TILES;
    if (hasFour && four < two && 6 * four <= 5 * plain) return WINOGRAD_F4;
    if (hasTwo && 6 * two <= 5 * plain) return WINOGRAD_F2;
  }
  return k->chooseDirect(s);
}

/* True if the gradient of the weights is computed by Winograd's algorithm. Tiles must hold enough positions, and be so many that the
 * inverse transform of all kernels pays. */
static int usesWinogradGradient(int32_t requested, const ConvProblem *s)
{
  enum {
    MIN_CHANNELS = 16,       /* channels of either side, at least */
    MIN_TILE_POSITIONS = 8,  /* positions of a tile on average, at least */
    MIN_EXTRA_POSITIONS = 32 /* positions of all tiles beyond that, at least: they pay for the inverse transform */
  };
  if (!isWinogradProblem(s) || s->samples == 0) return 0;
  if (requested == THNN_BY_WINOGRAD_4) return 1;
  const int64_t tiles = s->samples * THNN_ceilDiv(s->h.out, 4) * THNN_ceilDiv(s->w.out, 4), positions = s->samples * s->h.out * s->w.out;
  return requested == THNN_FAST && s->inChannels >= MIN_CHANNELS && s->outChannels >= MIN_CHANNELS &&
         positions > MIN_TILE_POSITIONS * tiles + MIN_EXTRA_POSITIONS;
}

/* ---- problems */

/* The threads for a layer. A multiply-add takes less time than an element of most layers: half a million of them take 25 microseconds. */
static int threadsFor(const Call *call, const Convolution *c)
{
  enum { WORK_PER_ELEMENT = 16 }; /* multiply-adds that take as long as an element of most layers */
  return THNN_threads(call, THNN_min(c->samples * c->outChannels * c->area, 1 << 20) * THNN_min(c->depth, 1 << 10) / WORK_PER_ELEMENT);
}

/* Memory strides of a tensor: channels first, or, for sequences, channels last. */
typedef struct TensorLayout {
  int64_t sample, channel, t, h, w;
} TensorLayout;

static TensorLayout tensorLayout(const Convolution *c, int64_t channels, int64_t t, int64_t h, int64_t w)
{
  if (c->dims == 1) return (TensorLayout){channels * w, 1, channels * w, channels * w, channels};
  return (TensorLayout){channels * t * h * w, t * h * w, h * w, w, 1};
}

/* The memory strides of the weights. */
static TensorLayout weightLayout(const Convolution *c)
{
  const Window *w = &c->window;
  if (c->dims == 1) return (TensorLayout){c->depth, 1, c->depth, c->depth, w->channels};
  return (TensorLayout){c->depth, c->cells, w->h.kernel * w->w.kernel, w->w.kernel, 1};
}

static ConvAxis forwardAxis(const Axis *a, int64_t x, int64_t y, int64_t weight)
{
  return (ConvAxis){a->in, a->out, a->out == 1 ? 1 : a->stride, a->kernel, -a->pad, a->kernel == 1 ? 1 : a->dilation, x, y, 0, weight};
}

static int64_t commonDivisor(int64_t a, int64_t b)
{
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The axis of one stride phase of the transpose: cells phase, phase + stride, ... of x. Cell h gets the product of kernel cell i and
 * position (h + pad - i * dilation) / stride if that is a whole number. The kernel is reversed, so that positions increase. */
static ConvAxis transposedAxis(const Axis *a, int64_t phase, int64_t x, int64_t y, int64_t weight)
{
  const int64_t cellStep = a->stride / commonDivisor(a->stride, a->dilation), shift = phase + a->pad;
  int64_t firstCell = 0;
  while (firstCell < THNN_min(cellStep, a->kernel) && (shift - firstCell * a->dilation) % a->stride != 0) firstCell++;
  ConvAxis axis = {a->out, THNN_ceilDiv(a->in - phase, a->stride), 1, 0, 0, cellStep * a->dilation / a->stride, y, x * a->stride, 0, 0};
  if (firstCell >= THNN_min(cellStep, a->kernel)) return axis;
  axis.kernel = (a->kernel - 1 - firstCell) / cellStep + 1;
  const int64_t lastCell = firstCell + (axis.kernel - 1) * cellStep;
  axis.offset = (shift - lastCell * a->dilation) / a->stride;
  axis.weightStart = lastCell * weight;
  axis.weightStride = -cellStep * weight;
  return axis;
}

/* Moves a single row of cells to the height axis, whose rows can be divided among threads. */
static void moveRowToHeight(ConvProblem *s)
{
  const ConvAxis h = s->h;
  if (h.in != 1 || h.out != 1 || h.kernel != 1 || h.offset != 0) return;
  s->h = s->w;
  s->w = h;
  s->w.xStride = 1;
  s->w.yStride = s->h.yStride;
}

static ConvProblem forwardProblem(const Convolution *c, const real *x, real *y, const real *weight, const real *bias)
{
  const Window *win = &c->window;
  const Axis *t = &win->t, *h = &win->h, *w = &win->w;
  const TensorLayout in = tensorLayout(c, win->channels, t->in, h->in, w->in);
  const TensorLayout out = tensorLayout(c, c->outChannels, t->out, h->out, w->out), k = weightLayout(c);
  ConvProblem s = {c->samples, c->groups, win->channels, c->outChannels, forwardAxis(t, in.t, out.t, k.t), forwardAxis(h, in.h, out.h, k.h),
                   forwardAxis(w, in.w, out.w, k.w), in.sample, in.channel, out.sample, out.channel, c->outChannels * c->depth, k.sample,
                   k.channel, x, weight, bias, x + c->samples * in.sample, y, c->epilogue};
  moveRowToHeight(&s);
  return s;
}

static ConvProblem transposedProblem(const Convolution *c, const real *y, real *x, const real *weight, const real *bias, int64_t phaseT,
                                     int64_t phaseH, int64_t phaseW)
{
  const Window *win = &c->window;
  const Axis *t = &win->t, *h = &win->h, *w = &win->w;
  const TensorLayout in = tensorLayout(c, win->channels, t->in, h->in, w->in);
  const TensorLayout out = tensorLayout(c, c->outChannels, t->out, h->out, w->out), k = weightLayout(c);
  ConvProblem s = {c->samples, c->groups, c->outChannels, win->channels, transposedAxis(t, phaseT, in.t, out.t, k.t),
                   transposedAxis(h, phaseH, in.h, out.h, k.h), transposedAxis(w, phaseW, in.w, out.w, k.w), out.sample, out.channel,
                   in.sample, in.channel, c->outChannels * c->depth, k.channel, k.sample, y, weight, bias, y + c->samples * out.sample, x + phaseT * in.t + phaseH * in.h + phaseW * in.w, c->epilogue};
  if (s.epilogue.other) s.epilogue.other += s.y - x;
  moveRowToHeight(&s);
  return s;
}

static CacheOperand weightOperand(const Call *call, const Convolution *c, const real *data, int threads)
{
  return THNN_cacheOperand(call->state, data, (size_t)(c->groups * c->outChannels * c->depth) * sizeof(real), threads);
}

static int isWinograd(ConvAlgorithm algorithm) { return algorithm == WINOGRAD_F2 || algorithm == WINOGRAD_F4; }

/* Computes one problem with packed weights, which may be cached from an earlier call if `mayCache`. Winograd's algorithms compute all samples
 * and mark those that are not finite; the direct ones compute the marked samples, or all if `isNotFinite` is NULL. */
static void computePacked(Call *call, const ConvProblem *s, ConvAlgorithm algorithm, CacheOperand *w, uint8_t *isNotFinite, int mayCache)
{
  const ConvKernels *k = bestKernels();
  const int threads = w->threads;
  const int64_t size = isWinograd(algorithm) ? k->winogradSize(s, algorithm) : k->packedWeightsSize(s, algorithm);
  const int64_t key[THNN_KEY_NUMBERS] = {sizeof(real), algorithm, s->groups, s->outChannels, s->inChannels,
                                         s->weightOutStride, s->weightInStride,
                                         s->t.kernel, s->t.weightStart, s->t.weightStride, s->h.kernel, s->h.weightStart, s->h.weightStride,
                                         s->w.kernel, s->w.weightStart, s->w.weightStride};
  void *memory = NULL;
  int isPacked = 0;
  CachedPacking *cached = mayCache ? THNN_takePacking(call->state, w, key, (size_t)size * sizeof(real), &memory, &isPacked) : NULL;
  real *packed = cached ? memory : NULL; /* otherwise the convolution packs the weights itself */
  if (packed && !isPacked) (isWinograd(algorithm) ? k->winogradPack : k->packWeights)(s, algorithm, packed, threads);
  if (isWinograd(algorithm)) k->winogradConvolution(call, s, algorithm, packed, isNotFinite, threads);
  else k->directConvolution(call, s, algorithm, packed, isNotFinite, threads);
  if (cached) THNN_returnPacking(call->state, cached);
}

static void compute(Call *call, const ConvProblem *s, ConvAlgorithm algorithm, CacheOperand *w)
{
  if (algorithm == REFERENCE_LOOPS) {
    THNN_(convolutionByDefinition)(s, w->threads);
    return;
  }
  uint8_t *isNotFinite = isWinograd(algorithm) ? THNN_scratch(call, s->samples, sizeof *isNotFinite) : NULL;
  if (!THNN_ready(call)) return;
  if (isNotFinite) memset(isNotFinite, 0, (size_t)s->samples);
  computePacked(call, s, algorithm, w, isNotFinite, 1);
  if (!isNotFinite || !THNN_ready(call) || !memchr(isNotFinite, 1, (size_t)s->samples)) return;
  /* Such samples are rare. A second packing of the weights would be kept for as long as the first. */
  computePacked(call, s, bestKernels()->chooseDirect(s), w, isNotFinite, 0);
}

/* ---- a kernel that covers the whole input: a matrix product */

static int isMatrixProduct(const Convolution *c)
{
  if (c->groups > 1) return 0;
  const Axis *axis[] = {&c->window.t, &c->window.h, &c->window.w};
  for (int a = 0; a < 3; a++)
    if (axis[a]->in != axis[a]->kernel || axis[a]->pad != 0 || (axis[a]->dilation != 1 && axis[a]->kernel != 1)) return 0;
  return 1;
}

/* y[row][o][i] = bias[o], or 0. Rows are samples of groups, whose biases differ. */
static void fillRows(real *y, int64_t rows, int64_t groups, int64_t channels, int64_t cells, const real *bias, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < rows; n++)
    for (int64_t o = 0; o < channels; o++)
      for (int64_t i = 0; i < cells; i++) y[(n * channels + o) * cells + i] = bias ? bias[n % groups * channels + o] : 0;
}

/* Fills all channels of x with their bias, or with 0. */
static void fillChannels(const Convolution *c, real *x, const real *bias, int threads)
{
  const int64_t cells = c->window.t.in * c->window.h.in * c->window.w.in;
  if (c->dims == 1) fillRows(x, c->samples * cells, 1, c->window.channels, 1, bias, threads);
  else fillRows(x, c->samples, c->groups, c->window.channels, cells, bias, threads);
}

/* Copies the residual if it is y itself: an algorithm that writes y more than once would overwrite it. */
static void copyAliasedResidual(Call *call, Epilogue *f, const real *y, int64_t n)
{
  if (f->other != y) return;
  real *copy = THNN_scratch(call, n, sizeof(real));
  if (!THNN_ready(call)) return;
  memcpy(copy, y, (size_t)n * sizeof(real));
  f->other = copy;
}

/* Applies the epilogue in place to all n elements of y. */
static void applyEpilogue(const Epilogue *f, real *y, int64_t n, int threads)
{
  enum { TASK_ELEMENTS = 1 << 13 }; /* elements of y in a task */
  if (!hasEpilogue(f)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += TASK_ELEMENTS) epilogueRow(f, y, at, NULL, THNN_min(TASK_ELEMENTS, n - at), 1);
}

/* ---- the algorithm for any number of samples */

/* Samples that the algorithm is chosen for. With one sample, loading the weights dominates the time; with many, the products do. */
enum { ASSUMED_SAMPLES = 2 };

/* The algorithm of the output. A full layer has one problem for each stride phase; it returns the algorithm of the first one that uses
 * Winograd's, if any does. */
THNN_APART ConvAlgorithm outputAlgorithm(const Convolution *layer, int32_t requested)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  static real nowhere; /* problems have addresses, which nothing reads here */
  Convolution c = *layer;
  c.samples = ASSUMED_SAMPLES * c.groups;
  c.epilogue.other = NULL;
  if (!c.full) {
    const ConvProblem s = forwardProblem(&c, &nowhere, &nowhere, &nowhere, NULL);
    return chooseAlgorithm(requested, &s, bestKernels(), 1);
  }
  const Axis *t = &c.window.t, *h = &c.window.h, *w = &c.window.w;
  ConvAlgorithm algorithm = SPATIAL_TILES;
  for (int64_t a = 0; a < THNN_min(t->stride, t->in); a++)
    for (int64_t b = 0; b < THNN_min(h->stride, h->in); b++)
      for (int64_t d = 0; d < THNN_min(w->stride, w->in) && !isWinograd(algorithm); d++) {
        const ConvProblem s = transposedProblem(&c, &nowhere, &nowhere, &nowhere, NULL, a, b, d);
        if (s.t.kernel > 0 && s.h.kernel > 0 && s.w.kernel > 0) algorithm = chooseAlgorithm(requested, &s, bestKernels(), 1);
      }
  return algorithm;
}

int32_t THNN_(fastAlgorithm)(const Convolution *c)
{
  const ConvAlgorithm algorithm = isMatrixProduct(c) ? SPATIAL_TILES : outputAlgorithm(c, THNN_FAST);
  return algorithm == WINOGRAD_F4 ? THNN_BY_WINOGRAD_4 : (algorithm == WINOGRAD_F2 ? THNN_BY_WINOGRAD_2 : THNN_PLAIN);
}

int THNN_(hasWinograd)(const Convolution *c) { return !isMatrixProduct(c) && isWinograd(outputAlgorithm(c, THNN_BY_WINOGRAD_4)); }

/* ---- the passes */

void THNN_(fastForward)(Call *call, const Convolution *c, const real *x, real *y, const real *weight, const real *bias)
{
  const int threads = threadsFor(call, c);
  const int32_t requested = callAlgorithm(call, c, !c->full);
  const int64_t n = c->samples * c->outChannels * c->area;
  if (requested != THNN_BY_DEFINITION && isMatrixProduct(c)) {
    Epilogue epilogue = c->epilogue;
    copyAliasedResidual(call, &epilogue, y, n);
    if (!THNN_(reserveGemm)(call, threads)) return;
    fillRows(y, c->samples, 1, c->outChannels, 1, bias, 1);
    THNN_(gemm)(call, threads, 0, 1, c->samples, c->outChannels, c->depth, 1, x, c->depth, weight, c->depth, 1, y, c->outChannels);
    applyEpilogue(&epilogue, y, n, threads);
    return;
  }
  ConvProblem s = forwardProblem(c, x, y, weight, bias);
  CacheOperand w = weightOperand(call, c, weight, threads);
  const ConvAlgorithm algorithm = chooseAlgorithm(requested, &s, bestKernels(), w.isConstant);
  if (algorithm != REFERENCE_LOOPS && !bestKernels()->writesOutputOnce(&s, algorithm)) copyAliasedResidual(call, &s.epilogue, y, n);
  if (THNN_ready(call)) compute(call, &s, algorithm, &w);
}

void THNN_(fastBackward)(Call *call, const Convolution *c, const real *y, real *x, const real *weight, const real *bias)
{
  const Axis *t = &c->window.t, *h = &c->window.h, *w = &c->window.w;
  const int threads = threadsFor(call, c);
  const int32_t requested = callAlgorithm(call, c, c->full);
  const int64_t n = c->samples * c->window.channels * t->in * h->in * w->in;
  Convolution withEpilogue = *c;
  copyAliasedResidual(call, &withEpilogue.epilogue, x, n);
  if (!THNN_ready(call)) return;
  const Epilogue epilogue = withEpilogue.epilogue;
  if (requested != THNN_BY_DEFINITION && isMatrixProduct(c)) {
    if (!THNN_(reserveGemm)(call, threads)) return;
    fillChannels(c, x, bias, threads);
    THNN_(gemm)(call, threads, 0, 0, c->samples, c->depth, c->outChannels, 1, y, c->outChannels, weight, c->depth, 1, x, c->depth);
    applyEpilogue(&epilogue, x, n, threads);
    return;
  }
  /* Cells that no window reads get the bias alone. In this case the epilogue is applied to all of x at the end. */
  const int64_t phases[] = {THNN_min(t->stride, t->in), THNN_min(h->stride, h->in), THNN_min(w->stride, w->in)};
  int coversInput = 1;
  for (int64_t a = 0; a < phases[0]; a++) coversInput &= transposedAxis(t, a, 1, 1, 1).kernel > 0;
  for (int64_t a = 0; a < phases[1]; a++) coversInput &= transposedAxis(h, a, 1, 1, 1).kernel > 0;
  for (int64_t a = 0; a < phases[2]; a++) coversInput &= transposedAxis(w, a, 1, 1, 1).kernel > 0;
  CacheOperand operand = weightOperand(call, c, weight, threads);
  if (!coversInput) {
    fillChannels(c, x, bias, threads);
    withEpilogue.epilogue = (Epilogue){.activation = THNN_NO_ACTIVATION};
  }
  for (int64_t a = 0; a < phases[0]; a++)
    for (int64_t b = 0; b < phases[1] && transposedAxis(t, a, 1, 1, 1).kernel > 0; b++)
      for (int64_t d = 0; d < phases[2] && transposedAxis(h, b, 1, 1, 1).kernel > 0; d++) {
        const ConvProblem s = transposedProblem(&withEpilogue, y, x, weight, bias, a, b, d);
        if (s.h.kernel == 0 || s.w.kernel == 0 || !THNN_ready(call)) continue;
        compute(call, &s, chooseAlgorithm(requested, &s, bestKernels(), operand.isConstant), &operand);
      }
  if (!coversInput && THNN_ready(call)) applyEpilogue(&epilogue, x, n, threads);
}

static void addGradWeight(Call *call, const Convolution *c, const real *x, const real *y, real *gradWeight, double scale)
{
  const int threads = threadsFor(call, c);
  const int32_t requested = callAlgorithm(call, c, 0);
  if (requested != THNN_BY_DEFINITION && isMatrixProduct(c)) {
    THNN_(gemm)(call, threads, 1, 0, c->outChannels, c->depth, c->samples, (real)scale, y, c->outChannels, x, c->depth, 1, gradWeight,
                c->depth);
    return;
  }
  const ConvProblem s = forwardProblem(c, x, (real *)y, gradWeight, NULL);
  const ConvKernels *k = bestKernels();
  if (chooseAlgorithm(requested, &s, k, 0) == REFERENCE_LOOPS)
    for (int64_t group = 0; group < c->groups; group++) {
      const ConvProblem one = groupProblem(&s, group);
      THNN_(gradientByDefinition)(&one, gradWeight + group * s.weightGroupStride, scale, threads);
    }
  else {
    const int isDone = usesWinogradGradient(requested, &s) && k->winogradGradient(call, &s, gradWeight, scale, threads);
    if (!isDone && THNN_ready(call)) k->gradient(call, &s, gradWeight, scale, threads);
  }
}

THNN_KERNEL double sumRow(const real *x, int64_t n) { return sumCells(x, n); }

static void addGradBias(Call *call, const Convolution *c, const real *g, real *gradBias, int64_t channels, int64_t positions, double scale)
{
  const int threads = threadsFor(call, c);
  if (c->dims == 1) { /* channels-last */
    double *sums = THNN_scratch(call, channels, sizeof(double));
    if (!THNN_ready(call)) return;
    memset(sums, 0, (size_t)channels * sizeof(double));
    for (int64_t frame = 0; frame < c->samples * positions; frame++)
      for (int64_t o = 0; o < channels; o++) sums[o] += g[frame * channels + o];
    for (int64_t o = 0; o < channels; o++) gradBias[o] += (real)(scale * sums[o]);
    return;
  }
  channels *= c->groups;
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < channels; o++) {
    double sum = 0;
    for (int64_t n = 0; n < c->samples / c->groups; n++) sum += sumRow(g + (n * channels + o) * positions, positions);
    gradBias[o] += (real)(scale * sum);
  }
}

void THNN_(fastGradients)(Call *call, const Convolution *c, const real *input, const real *gradOutput, real *gradWeight, real *gradBias,
                          double scale)
{
  const Axis *t = &c->window.t, *h = &c->window.h, *w = &c->window.w;
  addGradWeight(call, c, c->full ? gradOutput : input, c->full ? input : gradOutput, gradWeight, scale);
  if (!THNN_ready(call) || !gradBias) return;
  if (c->full) addGradBias(call, c, gradOutput, gradBias, c->window.channels, t->in * h->in * w->in, scale);
  else addGradBias(call, c, gradOutput, gradBias, c->outChannels, c->area, scale);
}

/* How dense convolutions are computed: which sums a pass is, and which way each of them goes.
 *
 * Forward is one sum (Convolution_problem.h). Backward, which is a full layer's forward, is one for each phase of the stride, with the kernel's taps in
 * reverse. Convolution_kernels.h has the loops, once for each generation of processors. */
#include "convolution/Convolution.h"
#include <math.h>
#include "convolution/Convolution_problem.h"
#include "core/kept.h"
#include "core/sums.h"

/* ---- the processor's engine */

static const Engine *engine(void) { return THNN_BEST(THNN_(engine), THNN_(engineAvx2), THNN_(engineAvx512)); }

/* ---- which way when */

/* The algorithm that the state names, or else the call. Where neither does, the output's may depend on the sizes of one sample alone. */
static int32_t algorithmOf(const Call *call, const Convolution *c, int isOutput)
{
  const int32_t ofState = THNN_plain(call) ? THNN_BY_DEFINITION : THNN_convolutionWay(call);
  if (ofState != THNN_FAST && ofState != THNN_FIXED) return ofState;
  if (!isOutput) return THNN_FAST;
  return ofState == THNN_FAST || c->algorithm != THNN_FAST ? c->algorithm : THNN_(denseAlgorithm)(c);
}

/* Does a sum lie within the bounds of tables, and is its padded picture no larger than what it is made of is worth? */
static int isUsual(const Sum *s)
{
  const Line *line[] = {&s->t, &s->h, &s->w};
  double picture = (double)s->planes * (double)s->t.taps, length[3];
  for (int a = 0; a < 3; a++) {
    length[a] = (double)(line[a]->out - 1) * (double)line[a]->stride + (double)(line[a]->taps - 1) * (double)line[a]->step + 1;
    if (length[a] > 8 * (double)(line[a]->in + line[a]->out) + 1024) return 0;
  }
  picture *= ((double)(s->h.taps - 1) * (double)s->h.step + (double)s->h.stride) * (length[2] + 16);
  return picture + 1024 * (double)s->planes < INT32_MAX && (double)s->outputs * length[2] < INT32_MAX;
}

/* Winograd's way needs a kernel of 3x3 that moves by one over planes, and enough tiles that its transforms pay: they cost as much as so many
 * products with planes. */
static int isForWinograd(const Sum *s)
{
  const Line *h = &s->h, *w = &s->w, *t = &s->t;
  const double memory = (double)(s->planes + s->outputs) * 36 * ((double)w->out / 2 + 64);
  return sizeof(THNN_REAL) == sizeof(float) && s->groups == 1 && memory < INT32_MAX && h->taps == 3 && w->taps == 3 && h->step == 1 &&
         w->step == 1 && h->stride == 1 && w->stride == 1 && t->taps == 1 && t->in == 1 && t->out == 1 && w->x == 1 && w->y == 1;
}

/* How long a way takes, in products of two planes: those of its points, and the time in which their weights come from memory. `size` is that of
 * a tile, or 0 for the plain sum. Weights that may change are transformed in each step of training, which takes as long as so many products, and
 * in evaluation once: then it is the mean of both. */
static double costOf(int64_t size, const Sum *s, const Engine *e, int isFrozen)
{
  const double reading = (double)e->reading, points = (double)((size + 2) * (size + 2)), transform = size == 4 ? 750 : 450;
  if (size == 0) return 9 * ((double)(s->samples * s->h.out * s->w.out) + reading);
  const double tiles = (double)(s->samples * THNN_ceilDiv(s->h.out, size) * THNN_ceilDiv(s->w.out, size));
  const double kept = points * (tiles + reading), transformed = points * tiles + 9 * reading + transform;
  return isFrozen ? kept : sqrt(kept * transformed);
}

/* The choice, if `how` is THNN_FAST, and all numbers that it depends on. Measured by `python -m benchmarks.convolutions`, and small planes by
 * `python -m benchmarks.ways`. `isFrozen`: nobody can change the weights. */
static Way wayOf(int32_t how, const Sum *s, const Engine *e, int isFrozen)
{
  enum {
    PLANES = 16,
    OUTPUTS = 8,
    LEAST = 8,  /* rows and columns of planes, at least, of which there are many, */
    USUAL = 13, /* or few */
    SOME = 96,
    TILES = 12, /* of Winograd's, at least: they are a side of products */
    MANY = 128,
  };
  if (how == THNN_BY_DEFINITION || !isUsual(s)) return BY_DEFINITION;
  if (how == THNN_BY_PLACES) return BY_PLACES;
  if (how == THNN_BY_OUTPUTS) return BY_OUTPUTS;
  if (!isForWinograd(s)) return e->direct(s);
  if (how == THNN_BY_WINOGRAD_2) return BY_WINOGRAD_2;
  if (how == THNN_BY_WINOGRAD_4) return BY_WINOGRAD_4;
  if (how != THNN_FAST || s->planes < PLANES || s->outputs < OUTPUTS) return e->direct(s);
  const double plain = costOf(0, s, e, isFrozen), two = costOf(2, s, e, isFrozen), four = costOf(4, s, e, isFrozen);
  const int64_t tiles = s->samples * THNN_ceilDiv(s->h.out, 4) * THNN_ceilDiv(s->w.out, 4);
  /* F(2x2) has less than half of the weights of F(4x4), but transforms more tiles: it is to save an eighth. */
  const int64_t least = s->planes < SOME || s->outputs < SOME ? USUAL : LEAST;
  if (s->h.out >= least && s->w.out >= least && tiles >= LEAST)
    return tiles < TILES || (isFrozen && 8 * two < 7 * four) ? BY_WINOGRAD_2 : BY_WINOGRAD_4;
  if (s->planes >= MANY && s->outputs >= MANY) { /* small planes, where transforms count: a sixth is to be saved */
    const int hasFour = tiles >= TILES, hasTwo = s->samples * THNN_ceilDiv(s->h.out, 2) * THNN_ceilDiv(s->w.out, 2) >= TILES;
    if (hasFour && four < two && 6 * four <= 5 * plain) return BY_WINOGRAD_4;
    if (hasTwo && 6 * two <= 5 * plain) return BY_WINOGRAD_2;
  }
  return e->direct(s);
}

/* Is the gradient of the weights computed in Winograd's way? Tiles are to hold enough places, and to be so many that it pays to transform all
 * kernels back. */
static int isTiled(int32_t how, const Sum *s)
{
  enum {
    PLANES = 16,
    PLACES = 8,  /* of a tile, */
    KERNELS = 32 /* and of all together */
  };
  if (!isForWinograd(s) || s->samples == 0) return 0;
  if (how == THNN_BY_WINOGRAD_4) return 1;
  const int64_t tiles = s->samples * THNN_ceilDiv(s->h.out, 4) * THNN_ceilDiv(s->w.out, 4), places = s->samples * s->h.out * s->w.out;
  return how == THNN_FAST && s->planes >= PLANES && s->outputs >= PLANES && places > PLACES * tiles + KERNELS;
}

/* ---- sums */

/* A product takes less time than an element of most layers: half a million of them take 25 microseconds. */
static int threadsFor(const Call *call, const Convolution *c)
{
  enum { PRODUCTS = 16 };
  return THNN_threads(call, THNN_min(c->samples * c->outputs * c->area, 1 << 20) * THNN_min(c->depth, 1 << 10) / PRODUCTS);
}

/* Where a sum's planes lie in memory: planes of a sample one after the other, or, of sequences, side by side in each frame. */
typedef struct Layout {
  int64_t sample, plane, t, h, w;
} Layout;

static Layout layoutOf(const Convolution *c, int64_t planes, int64_t t, int64_t h, int64_t w)
{
  if (c->dims == 1) return (Layout){planes * w, 1, planes * w, planes * w, planes};
  return (Layout){planes * t * h * w, t * h * w, h * w, w, 1};
}

/* ... and its weights. */
static Layout weightLayout(const Convolution *c)
{
  const Window *w = &c->window;
  if (c->dims == 1) return (Layout){c->depth, 1, c->depth, c->depth, w->planes};
  return (Layout){c->depth, c->cells, w->h.kernel * w->w.kernel, w->w.kernel, 1};
}

static Line forwardLine(const Axis *a, int64_t x, int64_t y, int64_t weight)
{
  return (Line){a->in, a->out, a->out == 1 ? 1 : a->stride, a->kernel, -a->pad, a->kernel == 1 ? 1 : a->dilation, x, y, 0, weight};
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

/* Cells `phase`, phase + stride, ... of x get what y gives them: cell h meets tap i at place (h + pad - i * dilation) / stride, if that
 * is whole. Taps go backwards, so that places go up. */
static Line backwardLine(const Axis *a, int64_t phase, int64_t x, int64_t y, int64_t weight)
{
  const int64_t every = a->stride / commonDivisor(a->stride, a->dilation), shift = phase + a->pad;
  int64_t tap = 0;
  while (tap < THNN_min(every, a->kernel) && (shift - tap * a->dilation) % a->stride != 0) tap++;
  Line line = {a->out, THNN_ceilDiv(a->in - phase, a->stride), 1, 0, 0, every * a->dilation / a->stride, y, x * a->stride, 0, 0};
  if (tap >= THNN_min(every, a->kernel)) return line;
  line.taps = (a->kernel - 1 - tap) / every + 1;
  const int64_t last = tap + (line.taps - 1) * every;
  line.first = (shift - last * a->dilation) / a->stride;
  line.weight = last * weight;
  line.weightStep = -every * weight;
  return line;
}

/* A single row goes along the other axis, so that it can be cut into bands. */
static void turnRow(Sum *s)
{
  const Line h = s->h;
  if (h.in != 1 || h.out != 1 || h.taps != 1 || h.first != 0) return;
  s->h = s->w;
  s->w = h;
  s->w.x = 1;
  s->w.y = s->h.y;
}

static Sum forwardSum(const Convolution *c, const real *x, real *y, const real *weight, const real *bias)
{
  const Window *win = &c->window;
  const Axis *t = &win->t, *h = &win->h, *w = &win->w;
  const Layout in = layoutOf(c, win->planes, t->in, h->in, w->in), out = layoutOf(c, c->outputs, t->out, h->out, w->out);
  const Layout k = weightLayout(c);
  Sum s = {c->samples, c->groups, win->planes, c->outputs, forwardLine(t, in.t, out.t, k.t), forwardLine(h, in.h, out.h, k.h),
           forwardLine(w, in.w, out.w, k.w), in.sample, in.plane, out.sample, out.plane, c->outputs * c->depth, k.sample, k.plane, x, weight, bias,
           x + c->samples * in.sample, y, c->finish};
  turnRow(&s);
  return s;
}

static Sum backwardSum(const Convolution *c, const real *y, real *x, const real *weight, const real *bias, int64_t phaseT, int64_t phaseH,
                       int64_t phaseW)
{
  const Window *win = &c->window;
  const Axis *t = &win->t, *h = &win->h, *w = &win->w;
  const Layout in = layoutOf(c, win->planes, t->in, h->in, w->in), out = layoutOf(c, c->outputs, t->out, h->out, w->out);
  const Layout k = weightLayout(c);
  Sum s = {c->samples, c->groups, c->outputs, win->planes, backwardLine(t, phaseT, in.t, out.t, k.t), backwardLine(h, phaseH, in.h, out.h, k.h),
           backwardLine(w, phaseW, in.w, out.w, k.w), out.sample, out.plane, in.sample, in.plane, c->outputs * c->depth, k.plane, k.sample, y,
           weight, bias, y + c->samples * out.sample, x + phaseT * in.t + phaseH * in.h + phaseW * in.w, c->finish};
  if (s.finish.other) s.finish.other += s.y - x;
  turnRow(&s);
  return s;
}

static Contents weightsOf(const Call *call, const Convolution *c, const real *data, int threads)
{
  return THNN_contents(call->state, data, (size_t)(c->groups * c->outputs * c->depth) * sizeof(real), threads);
}

static int isWinograd(Way way) { return way == BY_WINOGRAD_2 || way == BY_WINOGRAD_4; }

/* One sum, with weights that are packed for it, or were by a call before: of the `marked` samples, or of all if that is NULL. Winograd's computes
 * all, and marks those that are to be computed in another way. */
static void computeBy(Call *call, const Sum *s, Way way, Contents *w, uint8_t *marked)
{
  const Engine *e = engine();
  const int threads = w->threads;
  const int64_t size = isWinograd(way) ? e->winogradSize(s, way) : e->directSize(s, way);
  const int64_t key[THNN_KEY] = {sizeof(real), way, s->groups, s->outputs, s->planes, s->weightOutput, s->weightPlane, s->t.taps, s->t.weight,
                                 s->t.weightStep, s->h.taps, s->h.weight, s->h.weightStep, s->w.taps, s->w.weight, s->w.weightStep};
  void *memory = NULL;
  int isPacked = 0;
  Kept *kept = THNN_takeKept(call->state, w, key, (size_t)size * sizeof(real), &memory, &isPacked);
  real *packed = kept ? memory : NULL; /* the sums pack for themselves */
  if (THNN_ready(call)) {
    if (packed && !isPacked) (isWinograd(way) ? e->winogradPack : e->directPack)(s, way, packed, threads);
    if (isWinograd(way)) e->winogradSum(call, s, way, packed, marked, threads);
    else e->directSum(call, s, way, packed, marked, threads);
  }
  if (kept) THNN_returnKept(call->state, kept);
}

static void compute(Call *call, const Sum *s, Way way, Contents *w)
{
  if (way == BY_DEFINITION) {
    THNN_(sumByDefinition)(s, w->threads);
    return;
  }
  uint8_t *marked = isWinograd(way) ? THNN_scratch(call, s->samples, sizeof *marked) : NULL;
  if (!THNN_ready(call)) return;
  if (marked) memset(marked, 0, (size_t)s->samples);
  computeBy(call, s, way, w, marked);
  if (marked && THNN_ready(call) && memchr(marked, 1, (size_t)s->samples)) computeBy(call, s, engine()->direct(s), w, marked);
}

/* ---- a kernel as large as what it sees is a matrix */

static int isMatrix(const Convolution *c)
{
  if (c->groups > 1) return 0;
  const Axis *axis[] = {&c->window.t, &c->window.h, &c->window.w};
  for (int a = 0; a < 3; a++)
    if (axis[a]->in != axis[a]->kernel || axis[a]->pad != 0 || (axis[a]->dilation != 1 && axis[a]->kernel != 1)) return 0;
  return 1;
}

/* y[row][o][i] = bias[o], or 0; as many rows as groups have biases of their own */
static void fillRows(real *y, int64_t rows, int64_t groups, int64_t planes, int64_t cells, const real *bias, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < rows; n++)
    for (int64_t o = 0; o < planes; o++)
      for (int64_t i = 0; i < cells; i++) y[(n * planes + o) * cells + i] = bias ? bias[n % groups * planes + o] : 0;
}

/* All planes of x, or the planes of all its frames. */
static void fillPlanes(const Convolution *c, real *x, const real *bias, int threads)
{
  const int64_t cells = c->window.t.in * c->window.h.in * c->window.w.in;
  if (c->dims == 1) fillRows(x, c->samples * cells, 1, c->window.planes, 1, bias, threads);
  else fillRows(x, c->samples, c->groups, c->window.planes, cells, bias, threads);
}

/* What is added to n elements of y may lie there. A way that does not write each of them once gets a copy. */
static void keepOther(Call *call, Finish *f, const real *y, int64_t n)
{
  if (f->other != y) return;
  real *copy = THNN_scratch(call, n, sizeof(real));
  if (!THNN_ready(call)) return;
  memcpy(copy, y, (size_t)n * sizeof(real));
  f->other = copy;
}

/* All n elements of y, which was computed in another way than a single sum. */
static void finishAll(const Finish *f, real *y, int64_t n, int threads)
{
  enum { CHUNK = 1 << 13 };
  if (!isToFinish(f)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += CHUNK) finishRow(f, y, at, NULL, THNN_min(CHUNK, n - at), 1);
}

/* ---- one algorithm for any number of samples */

enum { SAMPLES = 2 }; /* that it is chosen for: for one the time to read the weights counts most, for many that of the products */

/* The way of the sum that gives the output; of the sums of a full layer, which has one for each phase of its stride, the way of the first that
 * goes Winograd's, if any does. */
THNN_APART Way wayOfOutput(const Convolution *layer, int32_t how)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  static real nowhere; /* sums have addresses, which nobody reads here */
  Convolution c = *layer;
  c.samples = SAMPLES * c.groups;
  c.finish.other = NULL;
  if (!c.full) {
    const Sum s = forwardSum(&c, &nowhere, &nowhere, &nowhere, NULL);
    return wayOf(how, &s, engine(), 1);
  }
  const Axis *t = &c.window.t, *h = &c.window.h, *w = &c.window.w;
  Way way = BY_PLACES;
  for (int64_t a = 0; a < THNN_min(t->stride, t->in); a++)
    for (int64_t b = 0; b < THNN_min(h->stride, h->in); b++)
      for (int64_t d = 0; d < THNN_min(w->stride, w->in) && !isWinograd(way); d++) {
        const Sum s = backwardSum(&c, &nowhere, &nowhere, &nowhere, NULL, a, b, d);
        if (s.t.taps > 0 && s.h.taps > 0 && s.w.taps > 0) way = wayOf(how, &s, engine(), 1);
      }
  return way;
}

int32_t THNN_(denseAlgorithm)(const Convolution *c)
{
  const Way way = isMatrix(c) ? BY_PLACES : wayOfOutput(c, THNN_FAST);
  return way == BY_WINOGRAD_4 ? THNN_BY_WINOGRAD_4 : (way == BY_WINOGRAD_2 ? THNN_BY_WINOGRAD_2 : THNN_PLAIN);
}

int THNN_(hasWinograd)(const Convolution *c) { return !isMatrix(c) && isWinograd(wayOfOutput(c, THNN_BY_WINOGRAD_4)); }

/* ---- the passes */

void THNN_(denseForward)(Call *call, const Convolution *c, const real *x, real *y, const real *weight, const real *bias)
{
  const int threads = threadsFor(call, c);
  const int32_t how = algorithmOf(call, c, !c->full);
  const int64_t n = c->samples * c->outputs * c->area;
  if (how != THNN_BY_DEFINITION && isMatrix(c)) {
    Finish finish = c->finish;
    keepOther(call, &finish, y, n);
    if (!THNN_(reserveGemm)(call, threads)) return;
    fillRows(y, c->samples, 1, c->outputs, 1, bias, 1);
    THNN_(gemm)(call, threads, 0, 1, c->samples, c->outputs, c->depth, 1, x, c->depth, weight, c->depth, 1, y, c->outputs);
    finishAll(&finish, y, n, threads);
    return;
  }
  Sum s = forwardSum(c, x, y, weight, bias);
  Contents w = weightsOf(call, c, weight, threads);
  const Way way = wayOf(how, &s, engine(), w.isConstant);
  if (way != BY_DEFINITION && !engine()->isWrittenOnce(&s, way)) keepOther(call, &s.finish, y, n);
  if (THNN_ready(call)) compute(call, &s, way, &w);
}

void THNN_(denseBackward)(Call *call, const Convolution *c, const real *y, real *x, const real *weight, const real *bias)
{
  const Axis *t = &c->window.t, *h = &c->window.h, *w = &c->window.w;
  const int threads = threadsFor(call, c);
  const int32_t how = algorithmOf(call, c, c->full);
  const int64_t n = c->samples * c->window.planes * t->in * h->in * w->in;
  Convolution sums = *c;
  keepOther(call, &sums.finish, x, n);
  if (!THNN_ready(call)) return;
  const Finish finish = sums.finish;
  if (how != THNN_BY_DEFINITION && isMatrix(c)) {
    if (!THNN_(reserveGemm)(call, threads)) return;
    fillPlanes(c, x, bias, threads);
    THNN_(gemm)(call, threads, 0, 0, c->samples, c->depth, c->outputs, 1, y, c->outputs, weight, c->depth, 1, x, c->depth);
    finishAll(&finish, x, n, threads);
    return;
  }
  /* Cells that no window has seen get the bias alone. All are finished together then. */
  const int64_t phases[] = {THNN_min(t->stride, t->in), THNN_min(h->stride, h->in), THNN_min(w->stride, w->in)};
  int isWhole = 1;
  for (int64_t a = 0; a < phases[0]; a++) isWhole &= backwardLine(t, a, 1, 1, 1).taps > 0;
  for (int64_t a = 0; a < phases[1]; a++) isWhole &= backwardLine(h, a, 1, 1, 1).taps > 0;
  for (int64_t a = 0; a < phases[2]; a++) isWhole &= backwardLine(w, a, 1, 1, 1).taps > 0;
  Contents known = weightsOf(call, c, weight, threads);
  if (!isWhole) {
    fillPlanes(c, x, bias, threads);
    sums.finish = (Finish){.activation = THNN_NO_ACTIVATION};
  }
  for (int64_t a = 0; a < phases[0]; a++)
    for (int64_t b = 0; b < phases[1] && backwardLine(t, a, 1, 1, 1).taps > 0; b++)
      for (int64_t d = 0; d < phases[2] && backwardLine(h, b, 1, 1, 1).taps > 0; d++) {
        const Sum s = backwardSum(&sums, y, x, weight, bias, a, b, d);
        if (s.h.taps > 0 && s.w.taps > 0 && THNN_ready(call)) compute(call, &s, wayOf(how, &s, engine(), known.isConstant), &known);
      }
  if (!isWhole && THNN_ready(call)) finishAll(&finish, x, n, threads);
}

void THNN_(denseWeights)(Call *call, const Convolution *c, const real *x, const real *y, real *gradWeight, double scale)
{
  const int threads = threadsFor(call, c);
  const int32_t how = algorithmOf(call, c, 0);
  if (how != THNN_BY_DEFINITION && isMatrix(c)) {
    THNN_(gemm)(call, threads, 1, 0, c->outputs, c->depth, c->samples, (real)scale, y, c->outputs, x, c->depth, 1, gradWeight, c->depth);
    return;
  }
  const Sum s = forwardSum(c, x, (real *)y, gradWeight, NULL);
  const Engine *e = engine();
  if (wayOf(how, &s, e, 0) == BY_DEFINITION)
    for (int64_t group = 0; group < c->groups; group++) {
      const Sum one = groupOf(&s, group);
      THNN_(gradientByDefinition)(&one, gradWeight + group * s.weightGroup, scale, threads);
    }
  else {
    const int isDone = isTiled(how, &s) && e->winogradGradient(call, &s, gradWeight, scale, threads);
    if (!isDone && THNN_ready(call)) e->gradient(call, &s, gradWeight, scale, threads);
  }
}

THNN_KERNEL double sumRow(const real *x, int64_t n) { return sumCells(x, n); }

void THNN_(denseBias)(Call *call, const Convolution *c, const real *g, real *gradBias, int64_t planes, int64_t places, double scale)
{
  const int threads = threadsFor(call, c);
  if (c->dims == 1) { /* frames of planes side by side */
    double *sums = THNN_scratch(call, planes, sizeof(double));
    if (!THNN_ready(call)) return;
    memset(sums, 0, (size_t)planes * sizeof(double));
    for (int64_t frame = 0; frame < c->samples * places; frame++)
      for (int64_t o = 0; o < planes; o++) sums[o] += g[frame * planes + o];
    for (int64_t o = 0; o < planes; o++) gradBias[o] += (real)(scale * sums[o]);
    return;
  }
  planes *= c->groups;
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < planes; o++) {
    double sum = 0;
    for (int64_t n = 0; n < c->samples / c->groups; n++) sum += sumRow(g + (n * planes + o) * places, places);
    gradBias[o] += (real)(scale * sum);
  }
}

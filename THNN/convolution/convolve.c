/* The functions of the convolutions of convolve.h, in any number of dimensions: all checks, then the work.
 *
 *   forward    y[n][o][place] = bias[o] + sum over c and the cells of the window of weight[o][c][cell] * x[n][c][what the window shows]
 *   backward   x gets back, through the same weights, what y has at every place that has seen it; a full layer adds its bias
 *   weights    gradWeight += scale * the sum over samples and places of y * what the window shows of x
 * where x is the input of a layer and y its output; of a full layer x is the output and y the input. dense.c computes that. */
#include "convolution/convolve.h"

enum { FEW_PLACES = 64 }; /* samples with fewer places are worked on together */

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
    THNN_TRY(THNN_checkRange(f, named("adj", letter).text, adj, 0, 0));
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
  THNN_TRY(THNN_checkRange(f, "groups", c->groups, 1, c->dims > 1 ? THNN_MAX_SIZE : 1)); /* planes of sequences are side by side */
  if (weight->size[0] % c->groups)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected a multiple of %lld groups of %s, got %lld", (long long)c->groups,
                     c->full ? "nInputPlane" : "nOutputPlane", (long long)weight->size[0]);
  const int64_t expected = c->full ? weight->size[0] : planes * c->groups, outputs = c->full ? planes * c->groups : weight->size[0];
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

/* Decides how the work of a layer is cut whose shapes were checked. */
static void planWork(Convolution *c)
{
  Window *w = &c->window;
  w->planes /= c->groups;
  c->outputs /= c->groups;
  c->samples *= c->groups;
  c->cells = w->t.kernel * w->h.kernel * w->w.kernel;
  c->depth = w->planes * c->cells;
  c->area = w->t.out * w->h.out * w->w.out;
  const int together = c->area < FEW_PLACES && c->samples > 1;
  c->matrices = together ? 1 : c->samples;
  c->places = together ? c->samples * c->area : c->area;
  const int still = w->t.pad == 0 && w->h.pad == 0 && w->w.pad == 0 && w->t.in == w->t.out && w->h.in == w->h.out;
  c->direct = c->cells == 1 && still && w->w.in == w->w.out && w->t.stride == 1 && w->h.stride == 1 && w->w.stride == 1;
  if (c->direct) { /* a plane is one long row */
    w->w.in = w->w.out = c->area;
    w->h.in = w->h.out = w->t.in = w->t.out = 1;
  }
}

/* Checks all that a layer's functions have in common, and decides how the work is cut; `result` is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, Convolution *c)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, weightName, c, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));
  planWork(c);
  return THNN_OK;
}

/* The planes of all groups of a layer's output. */
static int64_t biases(const Convolution *c) { return (c->full ? c->window.planes : c->outputs) * c->groups; }

#ifndef THNN_CUDA /* THCUNN/convolution/convolve.cu has its own of these three */
#include "convolution/dense.h"

#define forward THNN_(denseForward)
#define backward THNN_(denseBackward)

static void gradients(Call *call, const Convolution *c, const real *in, const real *g, real *gw, real *gb, double scale)
{
  const Axis *t = &c->window.t, *h = &c->window.h, *w = &c->window.w;
  THNN_(denseWeights)(call, c, c->full ? g : in, c->full ? in : g, gw, scale);
  if (!THNN_ready(call) || !gb) return;
  if (c->full) THNN_(denseBias)(call, c, g, gb, c->window.planes, t->in * h->in * w->in, scale);
  else THNN_(denseBias)(call, c, g, gb, c->outputs, c->area, scale);
}
#endif

/* A device has one algorithm. */
static int32_t checkAlgorithm(const char *f, const Convolution *c)
{
  THNN_TRY(THNN_checkRange(f, "algorithm", c->algorithm, THNN_FAST, THNN_BY_WINOGRAD_4));
#ifndef THNN_CUDA
  const int isWinograd = c->algorithm == THNN_BY_WINOGRAD_2 || c->algorithm == THNN_BY_WINOGRAD_4;
  if (isWinograd && !THNN_(hasWinograd)(c))
    return THNN_fail(THNN_ERR_VALUE, f, "algorithm", "expected %d to %d, since Winograd's is for floats, one group and kernels of 3x3 that move "
                                                     "by one, got %d",
                     THNN_FAST, THNN_BY_OUTPUTS, c->algorithm);
#endif
  return THNN_OK;
}

int32_t THNN_(convolution_algorithm)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *algorithm)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, "weight", &c, size));
  if (!algorithm) return THNN_fail(THNN_ERR_NULL, f, "algorithm", "expected a place for a number, got NULL");
  planWork(&c);
#ifdef THNN_CUDA
  *algorithm = THNN_FAST;
#else
  *algorithm = THNN_(denseAlgorithm)(&c);
#endif
  return THNN_OK;
}

/* The view of a tensor as it lies in memory. Sequences were shown turned (TemporalConvolution.c): a device works on them so. */
typedef struct Shape {
  int64_t size[THNN_MAX_DIMS], stride[THNN_MAX_DIMS];
} Shape;

static View inMemory(const Convolution *c, View v, Shape *shape)
{
#ifndef THNN_CUDA
  if (c->dims != 1) return v;
  const int32_t n = v.nDimension;
  memcpy(shape->size, v.size, (size_t)n * sizeof(int64_t));
  memcpy(shape->stride, v.stride, (size_t)n * sizeof(int64_t));
  shape->size[n - 2] = v.size[n - 1];
  shape->size[n - 1] = v.size[n - 2];
  shape->stride[n - 2] = v.stride[n - 1];
  shape->stride[n - 1] = v.stride[n - 2];
  v.size = shape->size;
  v.stride = shape->stride;
#endif
  (void)c;
  (void)shape;
  return v;
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
  return THNN_(convolution_updateSum)(f, state, c, input, output, weight, bias, NULL);
}

int32_t THNN_(convolution_updateSum)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                     const THTensor *weight, const THTensor *bias, const THTensor *other)
{
  THNN_TRY(check(f, input, output, "output", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), output->nDimension, output->size));
  const int64_t size = biases(&c);
  if (bias) THNN_TRY(THNN_checkShape(f, "bias", view(bias), 1, &size));
  if (other) THNN_TRY(THNN_checkShape(f, "other", view(other), output->nDimension, output->size));
  THNN_TRY(checkAlgorithm(f, &c));

  Call call;
  THNN_enter(&call, state, f);
  Shape shape[4];
  const real *in = THNN_in(&call, inMemory(&c, view(input), shape)), *w = THNN_in(&call, inMemory(&c, view(weight), shape + 1));
  const real *b = THNN_in(&call, view(bias));
  real *out = THNN_out(&call, inMemory(&c, view(output), shape + 2));
  call.inplace = 1; /* other may be output */
  if (other) c.finish.other = THNN_in(&call, inMemory(&c, view(other), shape + 3));
  if (THNN_ready(&call)) (c.full ? backward : forward)(&call, &c, in, out, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(convolution_updateGradInput)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                           const THTensor *gradOutput, THTensor *gradInput, const THTensor *weight)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  Shape shape[3];
  const real *g = THNN_in(&call, inMemory(&c, view(gradOutput), shape)), *w = THNN_in(&call, inMemory(&c, view(weight), shape + 1));
  real *gi = THNN_out(&call, inMemory(&c, view(gradInput), shape + 2));
  if (THNN_ready(&call)) (c.full ? forward : backward)(&call, &c, g, gi, w, NULL);
  return THNN_leave(&call);
}

int32_t THNN_(convolution_accGradParameters)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t size = biases(&c);
  if (gradBias) THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &size));

  Call call;
  THNN_enter(&call, state, f);
  Shape shape[3];
  const real *in = THNN_in(&call, inMemory(&c, view(input), shape)), *g = THNN_in(&call, inMemory(&c, view(gradOutput), shape + 1));
  real *gw = THNN_acc(&call, inMemory(&c, view(gradWeight), shape + 2)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) gradients(&call, &c, in, g, gw, gb, scale);
  return THNN_leave(&call);
}

/* The checks and the passes of all dense convolutions: those of Convolution.c, FullConvolution.c and FusedConvolution.c, which say how their
 * windows slide. The work is done by Convolution_fast.c on the host, by THCUNN/convolution/Convolution.cu on a device. */
#include "convolution/Convolution.h"

/* ---- The checks. */

/* The name of an argument of an axis: "kW", "dilationT". */
typedef struct ArgumentName {
  char text[16];
} ArgumentName;

static ArgumentName argumentName(const char *what, char axis)
{
  ArgumentName name = {{0}};
  const size_t n = strlen(what);
  memcpy(name.text, what, n);
  name.text[n] = axis;
  return name;
}

static int32_t checkNumbers(const char *f, char letter, const Axis *a)
{
  THNN_TRY(THNN_checkRange(f, argumentName("k", letter).text, a->kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, argumentName("d", letter).text, a->stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, argumentName("pad", letter).text, a->pad, 0, THNN_MAX_SIZE));
  return THNN_checkRange(f, argumentName("dilation", letter).text, a->dilation, 1, THNN_MAX_SIZE);
}

/* Computes the positions of a window over `in` cells of input, or the cells of output over `in` positions of a full layer. */
static int32_t checkPositions(const char *f, char letter, int full, int64_t in, int64_t adj, Axis *a)
{
  if (!full) {
    THNN_TRY(THNN_checkRange(f, argumentName("adj", letter).text, adj, 0, 0));
    a->in = in;
    a->out = THNN_windowCount(in, kernelExtent(a), a->stride, a->pad, 0);
    return THNN_OK;
  }
  THNN_TRY(THNN_checkRange(f, argumentName("adj", letter).text, adj, 0, THNN_max(a->stride, a->dilation) - 1));
  a->out = in;
  a->in = (in - 1) * a->stride - 2 * a->pad + kernelExtent(a) + adj;
  return THNN_OK;
}

/* The planes of a row of weight, or -1 if its shape is wrong. */
static int64_t weightPlanes(const Convolution *c, const THTensor *weight)
{
  const int64_t kernel[3] = {c->window.t.kernel, c->window.h.kernel, c->window.w.kernel}, *own = kernel + 3 - c->dims;
  int same = weight->nDimension == c->dims + 2;
  for (int32_t d = 0; same && d < c->dims; d++) same = weight->size[d + 2] == own[d];
  if (same) return weight->size[1];
  int64_t cells;
  if (!c->allowsMatrix || weight->nDimension != 2 || __builtin_mul_overflow(kernel[0], kernel[1] * kernel[2], &cells)) return -1;
  return weight->size[1] % cells ? -1 : weight->size[1] / cells;
}

/* Checks the ranks of input and weight, and all numbers. */
static int32_t checkArguments(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, const Convolution *c)
{
  static const char *const inputs[] = {"", "(N x) nInputPlane x W", "(N x) nInputPlane x H x W", "(N x) nInputPlane x T x H x W"};
  static const char *const weights[] = {"", "nOutputPlane x nInputPlane x kW", "nOutputPlane x nInputPlane x kH x kW",
                                        "nOutputPlane x nInputPlane x kT x kH x kW"};
  static const char *const fulls[] = {"", "nInputPlane x nOutputPlane x kW", "nInputPlane x nOutputPlane x kH x kW",
                                      "nInputPlane x nOutputPlane x kT x kH x kW"};
  const int32_t dims = c->dims, n = dims + 2;
  THNN_TRY(THNN_checkInput(f, "input", view(input), n - 1, n, inputs[dims]));
  const int64_t *last = input->size + input->nDimension;
  THNN_TRY(THNN_checkRange(f, "nInputPlane", last[-dims - 1], 1, INT64_MAX));
  const int64_t longest = c->full ? THNN_MAX_SIZE : INT64_MAX; /* the size of an output must not overflow */
  if (dims > 2) THNN_TRY(THNN_checkRange(f, "input time", last[-3], 1, longest));
  if (dims > 1) THNN_TRY(THNN_checkRange(f, "input height", last[-2], 1, longest));
  THNN_TRY(THNN_checkRange(f, "input width", last[-1], 1, longest));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), c->allowsMatrix ? 2 : n, n, (c->full ? fulls : weights)[dims]));
  THNN_TRY(THNN_checkRange(f, c->full ? "nInputPlane" : "nOutputPlane", weight->size[0], 1, INT64_MAX));
  THNN_TRY(checkNumbers(f, 'W', &c->window.w));
  THNN_TRY(checkNumbers(f, 'H', &c->window.h));
  return checkNumbers(f, 'T', &c->window.t);
}

/* Checks that weight and input have the same planes. Computes the planes of the output. */
static int32_t checkPlanes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, const Convolution *c,
                           int64_t *outputs)
{
  const Window *w = &c->window;
  const int64_t kernel[3] = {w->t.kernel, w->h.kernel, w->w.kernel}, planes = weightPlanes(c, weight);
  if (planes < 0)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected %s x %s, got %s",
                     c->full ? "nInputPlane x nOutputPlane" : "nOutputPlane x nInputPlane",
                     THNN_shapeText(c->dims, kernel + 3 - c->dims).text, THNN_shapeText(weight->nDimension, weight->size).text);
  /* Sequences are channels-last and have one group. */
  THNN_TRY(THNN_checkRange(f, "groups", c->groups, 1, c->dims > 1 ? THNN_MAX_SIZE : 1));
  if (weight->size[0] % c->groups)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected a multiple of %lld groups of %s, got %lld", (long long)c->groups,
                     c->full ? "nInputPlane" : "nOutputPlane", (long long)weight->size[0]);
  const int64_t expected = c->full ? weight->size[0] : planes * c->groups;
  *outputs = c->full ? planes * c->groups : weight->size[0];
  if (input->size[input->nDimension - c->dims - 1] != expected)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)expected,
                     THNN_shapeText(input->nDimension, input->size).text);
  return c->full ? THNN_checkRange(f, "nOutputPlane", *outputs, 1, INT64_MAX) : THNN_OK;
}

/* Computes the positions of the window on all axes, and the sizes of the output on them, which must not be empty. */
static int32_t checkWindow(const char *f, const THTensor *input, Convolution *c, int64_t result[3])
{
  Window *w = &c->window;
  const int32_t dims = c->dims;
  const int64_t *last = input->size + input->nDimension;
  const int64_t in[3] = {dims > 2 ? last[-3] : 1, dims > 1 ? last[-2] : 1, last[-1]};
  THNN_TRY(checkPositions(f, 'T', c->full, in[0], c->adjT, &w->t));
  THNN_TRY(checkPositions(f, 'H', c->full, in[1], c->adjH, &w->h));
  THNN_TRY(checkPositions(f, 'W', c->full, in[2], c->adjW, &w->w));
  result[0] = c->full ? w->t.in : w->t.out;
  result[1] = c->full ? w->h.in : w->h.out;
  result[2] = c->full ? w->w.in : w->w.out;
  if (THNN_min(THNN_min(result[0], result[1]), result[2]) >= 1) return THNN_OK;
  if (c->full)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected one that gives output, got %s for an output of %s",
                     THNN_shapeText(input->nDimension, input->size).text, THNN_shapeText(dims, result + 3 - dims).text);
  const int64_t least[3] = {kernelExtent(&w->t), kernelExtent(&w->h), kernelExtent(&w->w)};
  const int64_t padded[3] = {in[0] + 2 * w->t.pad, in[1] + 2 * w->h.pad, in[2] + 2 * w->w.pad};
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %s, got %s with its padding",
                   THNN_shapeText(dims, least + 3 - dims).text, THNN_shapeText(dims, padded + 3 - dims).text);
}

/* Checks input, weight and all numbers. Computes the window and the shape of the output. */
static int32_t checkShapes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Convolution *c,
                           int64_t size[THNN_MAX_DIMS])
{
  int64_t outputs, result[3];
  THNN_TRY(checkArguments(f, input, weight, weightName, c));
  THNN_TRY(checkPlanes(f, input, weight, weightName, c, &outputs));
  THNN_TRY(checkWindow(f, input, c, result));
  const int32_t dims = c->dims, n = input->nDimension;
  const int64_t channels = input->size[n - dims - 1];
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < n ? input->size[d] : 0;
  memcpy(size + n - dims, result + 3 - dims, (size_t)dims * sizeof(int64_t));
  size[n - dims - 1] = outputs;
  c->window.channels = c->full ? outputs : channels;
  c->outChannels = c->full ? channels : outputs;
  c->samples = n == dims + 2 ? input->size[0] : 1;
  return THNN_OK;
}

enum { MIN_BATCH_POSITIONS = 64 }; /* samples with fewer positions are computed as one matrix */

/* Divides the work of a layer whose shapes were checked. */
static void planBatch(Convolution *c)
{
  Window *w = &c->window;
  w->channels /= c->groups;
  c->outChannels /= c->groups;
  c->samples *= c->groups;
  c->cells = w->t.kernel * w->h.kernel * w->w.kernel;
  c->depth = w->channels * c->cells;
  c->area = w->t.out * w->h.out * w->w.out;
  const int isMerged = c->area < MIN_BATCH_POSITIONS && c->samples > 1;
  c->matrices = isMerged ? 1 : c->samples;
  c->positions = isMerged ? c->samples * c->area : c->area;
  const int isUnpadded = w->t.pad == 0 && w->h.pad == 0 && w->w.pad == 0 && w->t.in == w->t.out && w->h.in == w->h.out;
  c->isPointwise = c->cells == 1 && isUnpadded && w->w.in == w->w.out && w->t.stride == 1 && w->h.stride == 1 && w->w.stride == 1;
  if (c->isPointwise) { /* a channel is one long row */
    w->w.in = w->w.out = c->area;
    w->h.in = w->h.out = w->t.in = w->t.out = 1;
  }
}

/* The checks that all functions of a layer share, and planBatch. `result` is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, Convolution *c)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, weightName, c, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));
  planBatch(c);
  return THNN_OK;
}

/* The size of bias: output planes of all groups. */
static int64_t biasSize(const Convolution *c) { return (c->full ? c->window.channels : c->outChannels) * c->groups; }

/* Checks the number of an algorithm. A device has one algorithm and ignores the number. */
static int32_t checkAlgorithm(const char *f, const Convolution *c)
{
  THNN_TRY(THNN_checkRange(f, "algorithm", c->algorithm, THNN_FAST, THNN_BY_WINOGRAD_4));
#ifndef THNN_CUDA
  const int isWinograd = c->algorithm == THNN_BY_WINOGRAD_2 || c->algorithm == THNN_BY_WINOGRAD_4;
  if (isWinograd && !THNN_(hasWinograd)(c))
    return THNN_fail(THNN_ERR_VALUE, f, "algorithm",
                     "expected %d to %d, since Winograd's is for floats, one group and kernels of 3x3 that move by one, got %d",
                     THNN_FAST, THNN_BY_OUTPUTS, c->algorithm);
#endif
  return THNN_OK;
}

int32_t THNN_(convolution_algorithm)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *algorithm)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, "weight", &c, size));
  if (!algorithm) return THNN_fail(THNN_ERR_NULL, f, "algorithm", "expected a place for a number, got NULL");
  planBatch(&c);
#ifdef THNN_CUDA
  *algorithm = THNN_FAST;
#else
  *algorithm = THNN_(fastAlgorithm)(&c);
#endif
  return THNN_OK;
}

/* Sizes and strides of a view. Sequences were passed with their last dimensions exchanged; inMemoryOrder exchanges them back for the host,
 * whose loops read channels-last sequences in place. */
typedef struct Dimensions {
  int64_t size[THNN_MAX_DIMS], stride[THNN_MAX_DIMS];
} Dimensions;

static View inMemoryOrder(const Convolution *c, View v, Dimensions *shape)
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

/* ---- The passes: all checks, then the work. */

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
  const int64_t size = biasSize(&c);
  if (bias) THNN_TRY(THNN_checkShape(f, "bias", view(bias), 1, &size));
  if (other) THNN_TRY(THNN_checkShape(f, "other", view(other), output->nDimension, output->size));
  THNN_TRY(checkAlgorithm(f, &c));

  Call call;
  THNN_enter(&call, state, f);
  Dimensions shape[4];
  const real *in = THNN_in(&call, inMemoryOrder(&c, view(input), shape)), *w = THNN_in(&call, inMemoryOrder(&c, view(weight), shape + 1));
  const real *b = THNN_in(&call, view(bias));
  real *out = THNN_out(&call, inMemoryOrder(&c, view(output), shape + 2));
  call.inplace = 1; /* other may be output */
  if (other) c.epilogue.other = THNN_in(&call, inMemoryOrder(&c, view(other), shape + 3));
  if (THNN_ready(&call)) (c.full ? THNN_(fastBackward) : THNN_(fastForward))(&call, &c, in, out, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(convolution_updateGradInput)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                           const THTensor *gradOutput, THTensor *gradInput, const THTensor *weight)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  Dimensions shape[3];
  const real *g = THNN_in(&call, inMemoryOrder(&c, view(gradOutput), shape));
  const real *w = THNN_in(&call, inMemoryOrder(&c, view(weight), shape + 1));
  real *gi = THNN_out(&call, inMemoryOrder(&c, view(gradInput), shape + 2));
  if (THNN_ready(&call)) (c.full ? THNN_(fastForward) : THNN_(fastBackward))(&call, &c, g, gi, w, NULL);
  return THNN_leave(&call);
}

int32_t THNN_(convolution_accGradParameters)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t size = biasSize(&c);
  if (gradBias) THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &size));

  Call call;
  THNN_enter(&call, state, f);
  Dimensions shape[3];
  const real *in = THNN_in(&call, inMemoryOrder(&c, view(input), shape));
  const real *g = THNN_in(&call, inMemoryOrder(&c, view(gradOutput), shape + 1));
  real *gw = THNN_acc(&call, inMemoryOrder(&c, view(gradWeight), shape + 2)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) THNN_(fastGradients)(&call, &c, in, g, gw, gb, scale);
  return THNN_leave(&call);
}

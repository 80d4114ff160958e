/* Checks and sizes of planes, for any element type: compiled once. */
#include <stdio.h>
#include "core/space.h"

/* The names of an axis in messages, by its letter. */
typedef struct AxisNames {
  const char *in, *kernel, *stride, *pad, *dilation, *out;
} AxisNames;

static const AxisNames *axisNames(int letter)
{
  static const AxisNames w = {"input width", "kW", "dW", "padW", "dilationW", "owidth"};
  static const AxisNames h = {"input height", "kH", "dH", "padH", "dilationH", "oheight"};
  static const AxisNames t = {"input time", "kT", "dT", "padT", "dilationT", "otime"};
  static const AxisNames l = {"input length", "kW", "dW", "padW", "dilationW", "owidth"}; /* names for a sequence */
  return letter == 'W' ? &w : (letter == 'H' ? &h : (letter == 'T' ? &t : &l));
}

/* n cells, an output for each. */
static Axis asItIs(int64_t n) { return (Axis){n, n, 1, 1, 0, 1}; }

int32_t THNN_checkPlanes(const char *f, View input, int32_t dims, int64_t longest, Space *s)
{
  static const char *const layout[] = {"", "(N x) C x L", "(N x) C x H x W", "(N x) C x T x H x W"};
  THNN_TRY(THNN_checkInput(f, "input", input, dims + 1, dims + 2, layout[dims]));
  const int64_t *last = input.size + input.nDimension;
  const int64_t w = last[-1], h = dims > 1 ? last[-2] : 1, t = dims > 2 ? last[-3] : 1;
  THNN_TRY(THNN_checkRange(f, axisNames('W')->in, w, 1, longest));
  THNN_TRY(THNN_checkRange(f, axisNames('H')->in, h, 1, longest));
  THNN_TRY(THNN_checkRange(f, axisNames('T')->in, t, 1, longest));
  const int64_t channels = last[-dims - 1], samples = input.nDimension == dims + 2 ? input.size[0] : 1;
  *s = (Space){dims, 0, samples * channels, asItIs(t), asItIs(h), asItIs(w)};
  return THNN_OK;
}

int32_t THNN_checkFrames(const char *f, View input, Space *s)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 2, 3, "(N x) nFrame x frameSize"));
  const int64_t *last = input.size + input.nDimension;
  THNN_TRY(THNN_checkRange(f, "input frameSize", last[-1], 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input nFrame", last[-2], 1, INT64_MAX));
  *s = (Space){2, 0, input.nDimension == 3 ? input.size[0] : 1, asItIs(1), asItIs(last[-2]), asItIs(last[-1])};
  return THNN_OK;
}

int32_t THNN_checkKernel(const char *f, const Axis *w, const Axis *h)
{
  THNN_TRY(THNN_checkRange(f, "kW", w->kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "kH", h->kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", w->stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dH", h->stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padW", w->pad, 0, THNN_MAX_SIZE));
  return THNN_checkRange(f, "padH", h->pad, 0, THNN_MAX_SIZE);
}

int32_t THNN_checkSliding(const char *f, int letter, Axis numbers, int ceil_mode, Axis *a)
{
  const AxisNames *name = axisNames(letter);
  const Axis n = numbers;
  THNN_TRY(THNN_checkRange(f, name->kernel, n.kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, name->stride, n.stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, name->pad, n.pad, 0, n.kernel / 2)); /* half a kernel: every dense window sees the input */
  THNN_TRY(THNN_checkRange(f, name->dilation, n.dilation, 1, THNN_MAX_SIZE));
  *a = (Axis){a->in, THNN_windowCount(a->in, kernelExtent(&n), n.stride, n.pad, ceil_mode), n.kernel, n.stride, n.pad, n.dilation};
  if (a->out >= 1) return THNN_OK;
  char lacking[60] = "";
  if (ceil_mode) snprintf(lacking, sizeof lacking, " except for fewer than %s %lld cells", name->stride, (long long)n.stride);
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes that hold the kernel%s: %s %lld with padding %lld, %s %lld%s", lacking,
                   name->in, (long long)a->in, (long long)n.pad, name->kernel, (long long)n.kernel, n.dilation > 1 ? ", dilated" : "");
}

int32_t THNN_checkSlidingFrames(const char *f, int64_t kW, int64_t dW, Axis *a)
{
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  *a = (Axis){a->in, THNN_windowCount(a->in, kW, dW, 0, 0), kW, dW, 0, 1};
  if (a->out >= 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least kW %lld frames, got %lld", (long long)kW, (long long)a->in);
}

int32_t THNN_checkAdaptive(const char *f, int letter, int64_t out, Axis *a)
{
  THNN_TRY(THNN_checkRange(f, axisNames(letter)->out, out, 1, THNN_MAX_SIZE));
  *a = (Axis){a->in, out, 0, 0, 0, 1};
  return THNN_OK;
}

int32_t THNN_checkAdaptiveFrames(const char *f, View input, int64_t out, Space *s)
{
  THNN_TRY(THNN_checkFrames(f, input, s));
  THNN_TRY(THNN_checkAdaptive(f, 'L', out, &s->h));
  s->w = (Axis){s->w.in, s->w.in, 0, 0, 0, 1}; /* each feature by itself */
  return THNN_OK;
}

int32_t THNN_checkOutputsFromGrad(const char *f, View input, View gradOutput, Space *s)
{
  const int32_t n = input.nDimension;
  THNN_TRY(THNN_checkInput(f, "gradOutput", gradOutput, n, n, "the rank of input"));
  THNN_TRY(THNN_checkAdaptive(f, 'W', gradOutput.size[n - 1], &s->w));
  if (s->dims > 1) THNN_TRY(THNN_checkAdaptive(f, 'H', gradOutput.size[n - 2], &s->h));
  if (s->dims > 2) THNN_TRY(THNN_checkAdaptive(f, 'T', gradOutput.size[n - 3], &s->t));
  return THNN_OK;
}

int32_t THNN_checkAdaptivePlanes(const char *f, View input, int32_t dims, int64_t otime, int64_t owidth, int64_t oheight, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, input, dims, INT64_MAX, s));
  if (dims > 2) THNN_TRY(THNN_checkAdaptive(f, 'T', otime, &s->t));
  THNN_TRY(THNN_checkAdaptive(f, 'W', owidth, &s->w));
  return THNN_checkAdaptive(f, 'H', oheight, &s->h);
}

int32_t THNN_checkAdaptivePlanesFromGrad(const char *f, View input, int32_t dims, View gradOutput, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, input, dims, INT64_MAX, s));
  return THNN_checkOutputsFromGrad(f, input, gradOutput, s);
}

int32_t THNN_checkAdaptiveFramesFromGrad(const char *f, View input, View gradOutput, Space *s)
{
  const int32_t n = input.nDimension;
  THNN_TRY(THNN_checkFrames(f, input, s));
  THNN_TRY(THNN_checkInput(f, "gradOutput", gradOutput, n, n, "the rank of input"));
  return THNN_checkAdaptiveFrames(f, input, gradOutput.size[n - 2], s);
}

int32_t THNN_spaceSize(const char *f, View input, const Space *s, int64_t *size)
{
  const int64_t last[] = {s->t.out, s->h.out, s->w.out};
  return THNN_otherSizes(f, input, s->dims, last + 3 - s->dims, size);
}

int32_t THNN_checkSpace(const char *f, const char *name, View v, View input, const Space *s)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(THNN_spaceSize(f, input, s, size));
  return THNN_checkShape(f, name, v, input.nDimension, size);
}

int32_t THNN_checkSpaceOutput(const char *f, const char *name, View v, View input, const Space *s)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(THNN_spaceSize(f, input, s, size));
  return THNN_checkOutput(f, name, v, input.nDimension, size);
}

int32_t THNN_checkGradients(const char *f, View input, View gradOutput, View gradInput, const Space *s)
{
  THNN_TRY(THNN_checkSpace(f, "gradOutput", gradOutput, input, s));
  return THNN_checkOutput(f, "gradInput", gradInput, input.nDimension, input.size);
}

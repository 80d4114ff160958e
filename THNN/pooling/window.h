/* What pooling layers share whose windows have one size and move by one stride: arguments, their check, where windows lie. */
#ifndef THNN_POOLING_WINDOW_H
#define THNN_POOLING_WINDOW_H

#include "pooling/pooling.h"

/* One axis: `out` windows of `kernel` cells, `stride` apart, the first one `pad` cells before the input of `in` cells. */
typedef struct Axis {
  int64_t in, out, kernel, stride, pad;
} Axis;

typedef struct Windows {
  int64_t planes;
  Axis h, w;
} Windows;

/* Cells of window o on the input: [start, end). */
THNN_INLINE int64_t windowStart(const Axis *a, int64_t o) { return THNN_max(o * a->stride - a->pad, 0); }
THNN_INLINE int64_t windowEnd(const Axis *a, int64_t o) { return THNN_min(o * a->stride - a->pad + a->kernel, a->in); }

/* Length of a row that has room for every cell of every window, those in the padding and past it included. */
THNN_INLINE int64_t paddedLength(const Axis *a) { return THNN_max((a->out - 1) * a->stride + a->kernel, a->pad + a->in); }

static int32_t checkAxis(const char *f, const char *inName, const char *kName, const char *dName, const char *padName, int64_t in,
                         int64_t kernel, int64_t stride, int64_t pad, int ceil_mode, Axis *a)
{
  THNN_TRY(THNN_checkRange(f, inName, in, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, kName, kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, dName, stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, padName, pad, 0, kernel / 2)); /* half a kernel: every window then sees the input */
  *a = (Axis){in, THNN_windowCount(in, kernel, stride, pad, ceil_mode), kernel, stride, pad};
  if (a->out >= 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes that hold the kernel: %s %lld with padding %lld, %s %lld", inName,
                   (long long)in, (long long)pad, kName, (long long)kernel);
}

static int32_t checkWindows(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                            int64_t padH, int ceil_mode, Windows *windows)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  windows->planes = p.planes;
  THNN_TRY(checkAxis(f, "input width", "kW", "dW", "padW", p.width, kW, dW, padW, ceil_mode, &windows->w));
  return checkAxis(f, "input height", "kH", "dH", "padH", p.height, kH, dH, padH, ceil_mode, &windows->h);
}

#endif

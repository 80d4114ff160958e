/* The positions of windows, in exact int64 arithmetic: the same few functions for check, forward, backward and CUDA.
 * All are per axis; two- and three-dimensional layers take the product of their axes. */
#ifndef THNN_GEOMETRY_H
#define THNN_GEOMETRY_H

#include <stdint.h>

#ifndef THNN_GEOMETRY_FUNCTION
#define THNN_GEOMETRY_FUNCTION static inline __attribute__((unused))
#endif

THNN_GEOMETRY_FUNCTION int64_t THNN_min(int64_t a, int64_t b) { return a < b ? a : b; }
THNN_GEOMETRY_FUNCTION int64_t THNN_max(int64_t a, int64_t b) { return a > b ? a : b; }
THNN_GEOMETRY_FUNCTION int64_t THNN_ceilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/* ---- A window of `kernel` cells that moves by `stride` over `in` cells with `pad` cells on either side.
 * Output o sees [o * stride - pad, o * stride - pad + kernel), clipped to [0, in). */

/* The number of windows that fit. With ceil there is also a last one that reaches past the far padding by less than the stride, if it
 * begins on the input or its near padding. It may be the only one. The count is not positive if there is no window. */
THNN_GEOMETRY_FUNCTION int64_t THNN_windowCount(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int ceil)
{
  int64_t room = in + 2 * pad - kernel;
  if (room < 0 && !ceil) return 0;
  int64_t count = (ceil ? THNN_ceilDiv(room, stride) : room / stride) + 1;
  if (ceil && (count - 1) * stride >= in + pad) count--;
  return count;
}

/* First output whose window holds cell i, and one past the last: the windows that backward gathers from. */
THNN_GEOMETRY_FUNCTION int64_t THNN_firstWindowWith(int64_t i, int64_t kernel, int64_t stride, int64_t pad)
{
  return i + pad < kernel ? 0 : (i + pad - kernel) / stride + 1;
}

THNN_GEOMETRY_FUNCTION int64_t THNN_endWindowWith(int64_t i, int64_t count, int64_t stride, int64_t pad)
{
  return THNN_min((i + pad) / stride + 1, count);
}

/* ---- Adaptive windows: `out` windows that share `in` cells as evenly as they can.
 * Output o sees [floor(o * in / out), ceil((o + 1) * in / out)).
 * Cell i is seen by the outputs [floor(i * out / in), ceil((i + 1) * out / in)): the same rule with in and out exchanged. */

/* floor((o * in + rest) / out), for 0 <= o <= out and 0 <= rest < out, where the product may need more than 64 bits: long division. */
THNN_GEOMETRY_FUNCTION int64_t THNN_largeShare(int64_t o, int64_t in, int64_t out, int64_t rest)
{
  int64_t share = 0, left = 0; /* o * (the bits of in so far) = share * out + left */
  for (int bit = 62; bit >= 0; bit--) {
    left = 2 * left + (in >> bit & 1) * o + (bit > 0 ? 0 : rest);
    share = 2 * share + left / out;
    left %= out;
  }
  return share;
}

THNN_GEOMETRY_FUNCTION int64_t THNN_share(int64_t o, int64_t in, int64_t out, int64_t rest)
{
  return (o | in) <= INT32_MAX ? (o * in + rest) / out : THNN_largeShare(o, in, out, rest);
}

THNN_GEOMETRY_FUNCTION int64_t THNN_adaptiveStart(int64_t o, int64_t in, int64_t out) { return THNN_share(o, in, out, 0); }

THNN_GEOMETRY_FUNCTION int64_t THNN_adaptiveEnd(int64_t o, int64_t in, int64_t out) { return THNN_share(o + 1, in, out, out - 1); }

/* ---- A tensor (N x) C x H x W read as planes of height x width. */

typedef struct Planes {
  int64_t planes, channels, height, width;
} Planes;

THNN_GEOMETRY_FUNCTION Planes THNN_planes(int32_t nDimension, const int64_t *size)
{
  const int64_t *last = size + nDimension;
  Planes p = {(nDimension == 4 ? size[0] : 1) * last[-3], last[-3], last[-2], last[-1]};
  return p;
}

#endif

/* NAME on a GPU: the kernels. Checks and functions are those of the C file, which ends this one. */
#include "THNN/layer.h"
#include "core/device.h"

namespace { /* files of three element types are one library */

/* A thread for each output. */
__global__ void means(real *y, const real *x, int64_t n, Space s)
{
  const Axis h = s.h, w = s.w;
  for (int64_t o = firstThread(); o < n; o += allThreads()) {
    const int64_t ow = o % w.out, oh = o / w.out % h.out;
    const real *plane = x + o / planeOutputs(&s) * planeCells(&s);
    accreal sum = 0;
    for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
      for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) sum += (accreal)plane[ih * w.in + iw];
    y[o] = (real)(sum / (accreal)(windowCells(&h, oh) * windowCells(&w, ow)));
  }
}

/* A thread for each cell, which asks the windows that hold it: its sum has one order, and nothing is cleared. */
__global__ void shares(real *gx, const real *g, int64_t n, Space s)
{
  const Axis h = s.h, w = s.w;
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    const int64_t iw = i % w.in, ih = i / w.in % h.in;
    const real *plane = g + i / planeCells(&s) * planeOutputs(&s);
    accreal sum = 0;
    for (int64_t oh = firstWindow(&h, ih); oh < endWindow(&h, ih); oh++)
      for (int64_t ow = firstWindow(&w, iw); ow < endWindow(&w, iw); ow++)
        sum += (accreal)plane[oh * w.out + ow] / (accreal)(windowCells(&h, oh) * windowCells(&w, ow));
    gx[i] = (real)sum;
  }
}

} // namespace

#ifndef __CUDACC_RTC__ /* the host's part */

static void forward(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t n = s->planes * planeOutputs(s);
  launch(call, blocksFor(n), BLOCK, means, y, x, n, *s);
}

static void backward(Call *call, real *gx, const real *, const real *g, const Space *s)
{
  const int64_t n = s->planes * planeCells(s);
  launch(call, blocksFor(n), BLOCK, shares, gx, g, n, *s);
}

#include "NAME.c"

#endif

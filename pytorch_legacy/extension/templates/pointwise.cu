/* NAME on a GPU: the kernels. Checks and functions are those of the C file, which ends this one. */
#include "THNN/layer.h"
#include "core/device.h"

namespace { /* files of three element types are one library */

__global__ void values(real *y, const real *x, int64_t n, accreal beta)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    const accreal v = (accreal)x[i];
    y[i] = (real)(v / (1 + beta * fabs(v)));
  }
}

__global__ void slopes(real *gx, const real *x, const real *g, int64_t n, accreal beta)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    const accreal scale = 1 / (1 + beta * fabs((accreal)x[i]));
    gx[i] = (real)((accreal)g[i] * scale * scale);
  }
}

} // namespace

#ifndef __CUDACC_RTC__ /* the host's part */

static void forward(Call *call, real *y, const real *x, int64_t n, accreal beta)
{
  launch(call, blocksFor(n), BLOCK, values, y, x, n, beta);
}

static void backward(Call *call, real *gx, const real *x, const real *g, int64_t n, accreal beta)
{
  launch(call, blocksFor(n), BLOCK, slopes, gx, x, g, n, beta);
}

#include "NAME.c"

#endif

/* NAME on a GPU: the kernels. Checks and functions are those of the C file, which ends this one. */
#include "THNN/layer.h"
#include "core/device.h"

namespace { /* files of three element types are one library */

/* One block adds up all: a sum of one order. */
__global__ void squares(real *loss, const real *x, const real *t, int64_t n, accreal divisor)
{
  accreal sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    const accreal difference = (accreal)x[i] - (accreal)t[i];
    sum += difference * difference;
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0) *loss = (real)(sum / divisor);
}

__global__ void differences(real *gx, const real *x, const real *t, int64_t n, accreal divisor)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) gx[i] = (real)(2 * ((accreal)x[i] - (accreal)t[i]) / divisor);
}

} // namespace

#ifndef __CUDACC_RTC__ /* the host's part */

static void forward(Call *call, real *loss, const real *x, const real *t, int64_t n, double divisor)
{
  launch(call, 1, BLOCK, squares, loss, x, t, n, (accreal)divisor);
}

static void backward(Call *call, real *gx, const real *x, const real *t, int64_t n, double divisor)
{
  launch(call, blocksFor(n), BLOCK, differences, gx, x, t, n, (accreal)divisor);
}

#include "NAME.c"

#endif

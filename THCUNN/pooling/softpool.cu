/* How SoftPool of one, two and three dimensions works on the device; THNN/pooling/softpool.c has the checks and functions. */
#include "pooling/softpool.h"
#include "pooling/softweights.cuh"

static void softPools(Call *call, real *y, const real *x, double beta, const Space *p)
{
  softMeans(call, y, Soft{x, NULL, (accreal)beta, 0, *p});
}

static void spreadSoftPools(Call *call, real *gx, const real *x, const real *g, double beta, int exact, const Space *p)
{
  softGradients(call, gx, NULL, g, Soft{x, NULL, (accreal)beta, exact, *p});
}

#include "pooling/softpool.c"

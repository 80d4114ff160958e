/* SpatialLocalImportancePooling on the device. Story, checks and functions: THNN/pooling/SpatialLocalImportancePooling.c. */
#include "pooling/softweights.cuh"

static void weighedMeans(Call *call, real *y, const real *x, const real *l, const Space *p) { softMeans(call, y, Soft{x, l, 1, 1, *p}); }

static void weighedGradients(Call *call, real *gx, real *gl, const real *x, const real *l, const real *g, const Space *p)
{
  softGradients(call, gx, gl, g, Soft{x, l, 1, 1, *p});
}

#include "pooling/SpatialLocalImportancePooling.c"

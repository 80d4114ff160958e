/* Whole planes: what global pooling layers of two and three dimensions share. global.c is fast on the host, THCUNN/pooling/global.cu on the
 * device.
 *
 * A plane is one run of cells, whatever its shape. Large planes are cut into parts, so that a few of them keep all threads busy as
 * well as many small ones; the parts do not depend on the number of threads, nor does the order in which their results are
 * joined. */
#ifndef THNN_POOLING_GLOBAL_H
#define THNN_POOLING_GLOBAL_H

#include "core/planes.h"

/* Windows that are whole planes. */
__attribute__((unused)) static int32_t checkGlobal(const char *f, const THTensor *input, int dims, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, INT64_MAX, s));
  s->t.out = s->h.out = s->w.out = 1;
  s->t.kernel = s->h.kernel = s->w.kernel = 0;
  return THNN_OK;
}

void THNN_(planeMeans)(Call *call, real *y, const real *x, const Space *s);
void THNN_(planeMeansBack)(Call *call, real *gx, const real *g, const Space *s);

#endif

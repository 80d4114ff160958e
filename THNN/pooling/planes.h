/* Whole planes: what global pooling layers of one, two and three dimensions share.
 *
 * A plane is one run of cells, whatever its shape. Large planes are cut into parts, so that a few of them keep all threads busy as
 * well as many small ones; the parts do not depend on the number of threads, nor does the order in which their results are
 * joined. */
#ifndef THNN_POOLING_PLANES_H
#define THNN_POOLING_PLANES_H

#include "pooling/maxima.h"

/* Windows that are whole planes. */
__attribute__((unused)) static int32_t checkGlobal(const char *f, const THTensor *input, int dims, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, dims, p));
  p->t.out = p->h.out = p->w.out = 1;
  p->t.kernel = p->h.kernel = p->w.kernel = 0;
  return THNN_OK;
}

/* updateOutput and updateGradInput of a layer with these windows; the backward pass of maxima is maxBackward. */
int32_t THNN_(globalAverageForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Windows *p);
int32_t THNN_(globalAverageBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                     THTensor *gradInput, const Windows *p);
int32_t THNN_(globalMaxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                const Windows *p);

#endif

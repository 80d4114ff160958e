/* Maxima of windows and where they came from: what max pooling layers of one, two and three dimensions share. maxima.c is fast on the
 * host, THCUNN/pooling/maxima.cu on the device. */
#ifndef THNN_POOLING_MAXIMA_H
#define THNN_POOLING_MAXIMA_H

#include "core/planes.h"

/* Does v, which comes later, beat a? The first NaN beats every number. */
THNN_INLINE int beats(accreal v, accreal a) { return v > a || (v != v && a == a); }

/* As PlanePass and Pass of core/planes.h, for layers that tell where in a plane each output came from; -1 is nowhere. To a pass `index` may be
 * NULL. */
typedef void MaxPlane(real *y, index_t *index, const real *x, const Space *s);
typedef void MaxPass(Call *call, real *y, index_t *index, const real *x, const Space *s);

/* updateOutput and updateGradInput of a layer: indexed.c. Backward of each is the same, gradInput[indices[o]] += gradOutput[o]. */
int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Space *s, MaxPlane *definition, MaxPass *fast);
int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                           const THLongTensor *indices, const Space *s);

/* y, index = the maxima of x, where index may be NULL; gx = what they give back of g. */
void THNN_(maxima)(Call *call, real *y, index_t *index, const real *x, const Space *p);
void THNN_(maximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#endif

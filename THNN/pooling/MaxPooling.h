/* Max pooling: what its layers, and other layers that choose a cell of each window, share. MaxPooling_fast.c has the fast loops
 * of the host, THCUNN/pooling/MaxPooling.cu the kernels of the device. */
#ifndef THNN_POOLING_MAX_POOLING_H
#define THNN_POOLING_MAX_POOLING_H

#include "core/planes.h"

/* True if v, which comes later, replaces a as the maximum. The first NaN replaces every number. */
THNN_INLINE int isLarger(accreal v, accreal a) { return v > a || (v != v && a == a); }

/* PlanePass and Pass of core/planes.h with the index, within its plane, of the cell that each output came from; -1 is none.
 * `index` of a pass is NULL if it is not needed. */
typedef void MaxPlane(real *y, index_t *index, const real *x, const Space *s);
typedef void MaxPass(Call *call, real *y, index_t *index, const real *x, const Space *s);

/* updateOutput and updateGradInput of a layer, once its check has filled the Space (MaxPooling.c). All such layers have one
 * backward pass, gradInput[indices[o]] += gradOutput[o]. */
int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Space *s, MaxPlane *definition, MaxPass *fast);
int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                           THTensor *gradInput, const THLongTensor *indices, const Space *s);

/* y, index = the maxima of x, where index may be NULL; of planeMaxima, those of whole planes. gx = the gradients g, added at their indices. */
void THNN_(maxima)(Call *call, real *y, index_t *index, const real *x, const Space *p);
void THNN_(planeMaxima)(Call *call, real *y, index_t *index, const real *x, const Space *p);
void THNN_(maximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#endif

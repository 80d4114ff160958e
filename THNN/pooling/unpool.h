/* What max unpooling of two and of three axes share: each input goes to the cell of its plane that `indices` names.
 *
 *   output[i]    = input[o] for the last o with indices[o] = i, in the order of a plane's elements; 0 where there is none
 *   gradInput[o] = gradOutput[indices[o]] if o is the last with its index, else 0
 *
 * The index -1 means no cell: its input goes nowhere. */
#ifndef THNN_POOLING_UNPOOL_H
#define THNN_POOLING_UNPOOL_H

#include "core/planes.h"

/* What the layers call: unpool.c. Axes count the input's cells in `in`, the output's in `out`, as if this were pooling. */
int32_t THNN_(checkUnpooling)(const char *f, const THTensor *input, int dims, int64_t otime, int64_t owidth, int64_t oheight,
                              Space *p);
int32_t THNN_(unpoolForward)(THNNState *state, const char *f, const THTensor *input, THTensor *output, const THLongTensor *indices,
                             const Space *p);
int32_t THNN_(unpoolBackward)(THNNState *state, const char *f, const THTensor *input, const THTensor *gradOutput,
                              THTensor *gradInput, const THLongTensor *indices, const Space *p);

/* What is fast: putback.c on the host, THCUNN/pooling/putback.cu on the device. */
void THNN_(putBack)(Call *call, real *y, const real *x, const index_t *index, const Space *p);
void THNN_(fetchBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#endif

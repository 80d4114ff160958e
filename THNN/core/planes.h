/* The run of a layer that computes planes from planes: all checks, then memory, then one of two kinds of loops.
 *     definition  for one plane: the loops in the layer's file, which read as the formula. THNN_setKernels chooses them.
 *     fast        for all planes: a mechanism that the family's layers share, with a file of its own on the host and on a device */
#ifndef THNN_PLANES_H
#define THNN_PLANES_H

#include "core/real.h"
#include "core/space.h"

typedef void PlanePass(real *to, const real *from, const Space *s);
typedef void Pass(Call *call, real *to, const real *from, const Space *s);

int32_t THNN_(planesForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Space *s,
                             PlanePass *definition, Pass *fast);
int32_t THNN_(planesBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                              const Space *s, PlanePass *definition, Pass *fast);

#endif

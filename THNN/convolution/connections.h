/* The functions of convolutions whose planes are connected by a table: all checks, then the work.
 *
 * Row k of connTable, (input plane, output plane), is a link with kernel k. The wide planes are the inputs of SpatialConvolutionMap, and the
 * outputs of SpatialFullConvolutionMap. */
#ifndef THNN_CONNECTIONS_H
#define THNN_CONNECTIONS_H

#include "convolution/links.h"

/* A layer's table and numbers; `full` is SpatialFullConvolutionMap. */
typedef struct Connections {
  const THLongTensor *connTable;
  int64_t nInputPlane, nOutputPlane, dW, dH;
  int32_t full;
} Connections;

/* A layer's definition, and what is fast. */
typedef void Forward(const Net *n, const real *x, real *y, const real *w, const real *b);
typedef void Backward(const Net *n, const real *g, real *gx, const real *w);
typedef void Gradients(const Net *n, const real *x, const real *g, real *gw, real *gb, double scale);
typedef void FastForward(Call *call, const Net *n, const real *x, real *y, const real *w, const real *b);
typedef void FastBackward(Call *call, const Net *n, const real *g, real *gx, const real *w);
typedef void FastGradients(Call *call, const Net *n, const real *x, const real *g, real *gw, real *gb, double scale);

int32_t THNN_(connected_outputSize)(const char *f, const THTensor *input, const THTensor *weight, const Connections *c, int64_t *size);
int32_t THNN_(connected_updateOutput)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                      const THTensor *bias, const Connections *c, Forward *definition, FastForward *fast);
int32_t THNN_(connected_updateGradInput)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                         THTensor *gradInput, const THTensor *weight, const Connections *c, Backward *definition,
                                         FastBackward *fast);
int32_t THNN_(connected_accGradParameters)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                           THTensor *gradWeight, THTensor *gradBias, const Connections *c, double scale,
                                           Gradients *definition, FastGradients *fast);

#endif

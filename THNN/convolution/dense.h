/* What computes the dense convolutions on the host: dense.c. */
#ifndef THNN_DENSE_H
#define THNN_DENSE_H

#include "convolution/convolve.h"

/* The algorithm, of THNNConvolution, for the output of a layer of these sizes whose weights do not change. How many samples
 * there are does not matter. */
int32_t THNN_(denseAlgorithm)(const Convolution *c);
/* True if Winograd's algorithm computes it. */
int THNN_(hasWinograd)(const Convolution *c);
/* y = bias + weight * what the window shows of x */
void THNN_(denseForward)(Call *call, const Convolution *c, const real *x, real *y, const real *weight, const real *bias);
/* The transpose: x = bias + what y gives back through the window */
void THNN_(denseBackward)(Call *call, const Convolution *c, const real *y, real *x, const real *weight, const real *bias);
/* gradWeight += scale * y * what the window shows of x */
void THNN_(denseWeights)(Call *call, const Convolution *c, const real *x, const real *y, real *gradWeight, double scale);
/* gradBias[o] += scale * sum of g[n][o] over samples and `places` */
void THNN_(denseBias)(Call *call, const Convolution *c, const real *g, real *gradBias, int64_t planes, int64_t places, double scale);

#endif

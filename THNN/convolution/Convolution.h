/* Convolution: what a layer says of its window, and the functions that compute with it.
 *
 * A layer convolves channels of T x H x W cells. An axis that a layer lacks has one cell. A "full" layer is the transpose: its output is
 * the gradInput of a convolution, and its gradInput is the output of one. x is the larger side, over which the window slides: the input, or
 * the output of a full layer. y is the other side. */
#ifndef THNN_CONVOLUTION_H
#define THNN_CONVOLUTION_H

#include "core/real.h"
#include "convolution/Convolution_epilogue.h"
#include "core/space.h"

typedef struct Window {
  int64_t channels; /* channels of a sample */
  Axis t, h, w;
} Window;

typedef struct Convolution {
  /* Set by the layer. */
  int32_t dims;             /* 1: W, 2: H x W, 3: T x H x W */
  int32_t allowsMatrix;     /* weight may also be a matrix of nOutputPlane rows */
  int32_t full;             /* the transpose */
  int64_t adjT, adjH, adjW; /* cells that are added to the far end of the output of a full layer */
  int64_t groups;           /* groups of channels, each with weights of its own, in two or three dimensions */
  Window window;            /* over x */
  Epilogue epilogue;        /* applied to the output */
  int32_t algorithm;        /* a THNNConvolution, for the output; THNN_FAST: chosen in each call, as the state says */
  /* Set when the tensors are checked. A group counts as a sample: sample n has the weights of group n % groups. */
  int64_t samples, outChannels; /* N; channels of y */
  int64_t cells, depth;         /* cells of the window; those of all channels */
  int64_t area;                 /* positions of a sample */
  int64_t matrices, positions;  /* y is N matrices of outChannels x area, or a single one with the samples side by side */
  int32_t isPointwise;          /* a kernel of one cell with stride 1 and no padding, so that x is its own unfolded matrix */
} Convolution;

/* A convolution of planes or of volumes, with the numbers of `sliding` along each axis. */
THNN_INLINE Convolution planarConvolution(Axis w, Axis h)
{
  return (Convolution){.dims = 2, .groups = 1, .window = {.t = {1, 1, 1, 1, 0, 1}, .h = h, .w = w}};
}

THNN_INLINE Convolution volumetricConvolution(Axis t, Axis w, Axis h)
{
  return (Convolution){.dims = 3, .groups = 1, .window = {.t = t, .h = h, .w = w}};
}

/* The transpose of a convolution. */
THNN_INLINE Convolution transposed(Convolution c, int64_t adjT, int64_t adjW, int64_t adjH)
{
  c.full = 1;
  c.adjT = adjT;
  c.adjW = adjW;
  c.adjH = adjH;
  return c;
}

/* Takes the size of the kernel from a five-dimensional weight. */
__attribute__((unused)) static int32_t takeKernelSize(const char *f, const char *name, const THTensor *weight, Convolution *c)
{
  THNN_TRY(THNN_checkInput(f, name, view(weight), 5, 5,
                           c->full ? "nInputPlane x nOutputPlane x kT x kH x kW" : "nOutputPlane x nInputPlane x kT x kH x kW"));
  c->window.t.kernel = weight->size[2];
  c->window.h.kernel = weight->size[3];
  c->window.w.kernel = weight->size[4];
  return THNN_OK;
}

/* The functions of a layer: all checks, then the work. */
int32_t THNN_(convolution_outputSize)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *size);
/* Returns the algorithm for these sizes and weights that do not change. It does not depend on the number of samples. */
int32_t THNN_(convolution_algorithm)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *algorithm);
int32_t THNN_(convolution_updateOutput)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                        const THTensor *weight, const THTensor *bias);
/* updateOutput with a tensor `other` that is added to the output. It may be NULL or the output itself. */
int32_t THNN_(convolution_updateSum)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                     const THTensor *weight, const THTensor *bias, const THTensor *other);
int32_t THNN_(convolution_updateGradInput)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                           const THTensor *gradOutput, THTensor *gradInput, const THTensor *weight);
int32_t THNN_(convolution_accGradParameters)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale);

/* ---- The work, by Convolution_fast.c on the host and by THCUNN/convolution/Convolution.cu on a device. */

/* y = bias + the convolution of x */
void THNN_(fastForward)(Call *call, const Convolution *c, const real *x, real *y, const real *weight, const real *bias);
/* The transpose: x = bias + the transposed convolution of y */
void THNN_(fastBackward)(Call *call, const Convolution *c, const real *y, real *x, const real *weight, const real *bias);
/* gradWeight += scale * gradOutput * (the cells of input in the window); gradBias += scale * the sum of gradOutput, unless it is NULL */
void THNN_(fastGradients)(Call *call, const Convolution *c, const real *input, const real *gradOutput, real *gradWeight, real *gradBias,
                          double scale);

#ifndef THNN_CUDA
/* The work of convolution_algorithm after the checks. */
int32_t THNN_(fastAlgorithm)(const Convolution *c);
/* True if Winograd's algorithm can compute the output. */
int THNN_(hasWinograd)(const Convolution *c);
#endif

#endif

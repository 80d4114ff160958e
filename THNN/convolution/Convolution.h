/* All dense convolutions are one: a layer says how its window moves, and Convolution.c does the rest.
 *
 * A layer convolves planes of T x H x W cells; what a layer of fewer dimensions lacks is an axis of one cell. A "full" layer is
 * the transpose: its output is what a convolution's gradInput is, and its gradInput what a convolution's output is. */
#ifndef THNN_CONVOLVE_H
#define THNN_CONVOLVE_H

#include "core/real.h"
#include "convolution/Convolution_epilogue.h"
#include "core/space.h"

typedef struct Window {
  int64_t planes; /* of a sample */
  Axis t, h, w;
} Window;

typedef struct Convolution {
  /* What the layer says. */
  int32_t dims;             /* 1: W, 2: H x W, 3: T x H x W */
  int32_t flat;             /* weight may also be a matrix of nOutputPlane rows */
  int32_t full;             /* the transpose */
  int64_t adjT, adjH, adjW; /* of a full layer: cells that the output has more at the far end */
  int64_t groups;           /* of planes, each with weights of its own, in two or three dimensions */
  Window window;            /* over x, the larger side: input, or the output of a full layer */
  Finish finish;            /* of the output */
  int32_t algorithm;        /* of THNNConvolution, for the output; THNN_FAST: chosen in each call, as the state says */
  /* What Convolution.c finds out when it checks the tensors. A group is a sample then: sample n has the weights of group n % groups. */
  int64_t samples, outputs; /* N; planes of y, the smaller side */
  int64_t cells, depth;     /* of the window; over all planes */
  int64_t area;             /* places of a sample */
  int64_t matrices, places; /* y is N matrices of outputs x area, or a single one with the samples side by side */
  int32_t direct;           /* a kernel of one cell that moves by one: the columns are x itself */
} Convolution;

/* The layer's windows over planes, and over volumes: sliding ones, whose numbers `sliding` takes. */
THNN_INLINE Convolution overPlanes(Axis w, Axis h)
{
  return (Convolution){.dims = 2, .groups = 1, .window = {.t = {1, 1, 1, 1, 0, 1}, .h = h, .w = w}};
}

THNN_INLINE Convolution overVolumes(Axis t, Axis w, Axis h)
{
  return (Convolution){.dims = 3, .groups = 1, .window = {.t = t, .h = h, .w = w}};
}

/* The transpose of a layer, with some more cells. */
THNN_INLINE Convolution transposed(Convolution c, int64_t adjT, int64_t adjW, int64_t adjH)
{
  c.full = 1;
  c.adjT = adjT;
  c.adjW = adjW;
  c.adjH = adjH;
  return c;
}

/* Three-dimensional layers that take the size of their kernel from the weight. */
__attribute__((unused)) static int32_t kernelOf(const char *f, const char *name, const THTensor *weight, Convolution *c)
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
/* The algorithm for these sizes and weights that do not change. The number of samples does not matter. */
int32_t THNN_(convolution_algorithm)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *algorithm);
int32_t THNN_(convolution_updateOutput)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                        const THTensor *weight, const THTensor *bias);
/* The same with another tensor to be added, which may be NULL. */
int32_t THNN_(convolution_updateSum)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                     const THTensor *weight, const THTensor *bias, const THTensor *other);
int32_t THNN_(convolution_updateGradInput)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                           const THTensor *gradOutput, THTensor *gradInput, const THTensor *weight);
int32_t THNN_(convolution_accGradParameters)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale);

#ifndef THNN_CUDA
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

#endif

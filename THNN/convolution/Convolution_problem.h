/* ConvProblem: one dense convolution in up to three dimensions, as sizes, strides and pointers.
 *
 *   y[n][o][t][h][w] = bias[o] + sum over c and the kernel cells (m, i, j) of
 *                      weight[o][c][m][i][j] * x[n][c][t * t.stride + t.offset + m * t.dilation][h ...][w ...]
 *
 * x is 0 outside its bounds. The forward pass of a convolution is one ConvProblem. Its gradInput, which is also the output of a transposed
 * convolution, is one for each stride phase: the cells a, a + stride, a + 2 * stride ... of an axis use the same kernel cells.
 * In a grouped convolution each group of channels counts as a sample: sample n uses the weights and biases of group n % groups. */
#ifndef THNN_CONVOLUTION_PROBLEM_H
#define THNN_CONVOLUTION_PROBLEM_H

#include "convolution/Convolution_epilogue.h"

/* One axis. Output position p reads the input cells p * stride + offset + u * dilation, for u in [0, kernel). */
typedef struct ConvAxis {
  int64_t in, out;                          /* cells of x, positions of y */
  int64_t stride, kernel, offset, dilation; /* offset: -padding in a forward pass; dilation >= 1 */
  int64_t xStride, yStride;                 /* memory strides, in elements */
  int64_t weightStart, weightStride;        /* offset of kernel cell 0, and the stride to the next one, in elements */
} ConvAxis;

typedef struct ConvProblem {
  int64_t samples, groups, inChannels, outChannels;
  ConvAxis t, h, w;
  /* Memory strides, in elements. */
  int64_t xSampleStride, xChannelStride, ySampleStride, yChannelStride, weightGroupStride, weightOutStride, weightInStride;
  const real *x, *weight, *bias; /* bias may be NULL */
  const real *xEnd;              /* end of the readable memory of x */
  real *y;
  Epilogue epilogue; /* its residual has the strides of y */
} ConvProblem;

/* SPATIAL_TILES and CHANNEL_TILES are direct convolutions: nothing is unfolded. */
typedef enum ConvAlgorithm {
  REFERENCE_LOOPS, /* the loops in Convolution.c: if the caller asks for them, or if a size exceeds the tables of the others */
  SPATIAL_TILES,   /* a vector holds neighbouring positions of one output channel */
  CHANNEL_TILES,   /* a vector holds neighbouring output channels of one position */
  WINOGRAD_F2,     /* F(2x2, 3x3) */
  WINOGRAD_F4      /* F(4x4, 3x3) */
} ConvAlgorithm;

/* The problem of one group. */
THNN_INLINE ConvProblem groupProblem(const ConvProblem *s, int64_t group)
{
  ConvProblem one = *s;
  one.samples = s->samples / s->groups;
  one.groups = 1;
  one.xSampleStride = s->xSampleStride * s->groups;
  one.ySampleStride = s->ySampleStride * s->groups;
  one.x = s->x + group * s->xSampleStride;
  one.y = s->y + group * s->ySampleStride;
  one.weight = s->weight + group * s->weightGroupStride;
  return one;
}

THNN_INLINE int64_t kernelSize(const ConvProblem *s) { return s->t.kernel * s->h.kernel * s->w.kernel; }

/* The functions compiled for one instruction set (Convolution_kernels.h). Convolution_fast.c chooses the best set that the processor
 * supports. */
typedef struct ConvKernels {
  int64_t weightLoadCost;                                                 /* time to load one weight from memory, in multiply-adds */
  ConvAlgorithm (*chooseDirect)(const ConvProblem *s);                    /* returns SPATIAL_TILES or CHANNEL_TILES */
  int (*writesOutputOnce)(const ConvProblem *s, ConvAlgorithm algorithm); /* if true, the residual may alias y without a copy */
  /* weight[o][c][m][i][j] += scale * sum over n and positions of y * x */
  void (*gradient)(Call *call, const ConvProblem *s, real *weight, double scale, int threads);
  /* The direct algorithms: the size of packed weights in elements, packing, and the convolution. If `packed` is NULL, the convolution packs
   * the weights itself. It computes the samples that `isSelected` marks, or all samples if this is NULL. */
  int64_t (*packedWeightsSize)(const ConvProblem *s, ConvAlgorithm algorithm);
  void (*packWeights)(const ConvProblem *s, ConvAlgorithm algorithm, real *packed, int threads);
  void (*directConvolution)(Call *call, const ConvProblem *s, ConvAlgorithm algorithm, const real *packed, const uint8_t *isSelected,
                            int threads);
  /* The same of Winograd's algorithms, for float only, else NULL. The convolution marks the samples whose results are not all finite. */
  int64_t (*winogradSize)(const ConvProblem *s, ConvAlgorithm algorithm);
  void (*winogradPack)(const ConvProblem *s, ConvAlgorithm algorithm, real *packed, int threads);
  void (*winogradConvolution)(Call *call, const ConvProblem *s, ConvAlgorithm algorithm, const real *packed, uint8_t *isNotFinite,
                              int threads);
  int (*winogradGradient)(Call *call, const ConvProblem *s, real *weight, double scale, int threads); /* returns 0 if it added nothing */
} ConvKernels;

extern const ConvKernels THNN_(convKernels), THNN_(convKernelsAvx2), THNN_(convKernelsAvx512);

/* The definition, in Convolution.c. */
void THNN_(convolutionByDefinition)(const ConvProblem *s, int threads);
void THNN_(gradientByDefinition)(const ConvProblem *s, real *weight, double scale, int threads);

#endif

/* ConvKernels: all loops of the convolution, for one instruction set. Convolution_portable.c, Convolution_avx2.c and
 * Convolution_avx512.c include this file, each with its own compiler options. Convolution_fast.c calls them through
 * Convolution_problem.h. */
#ifndef THNN_CONVOLUTION_KERNELS_H
#define THNN_CONVOLUTION_KERNELS_H

#include "convolution/Convolution_direct.h"
#include "convolution/Convolution_gradient.h"
#ifdef THNN_REAL_IS_Float /* double has the direct algorithms only */
#include "convolution/Convolution_winograd_gradient.h"
#define THNN_WINOGRAD winogradSize, winogradPack, winogradConvolution, winogradGradient
#else
#define THNN_WINOGRAD NULL, NULL, NULL, NULL
#endif

const ConvKernels THNN_CONV_KERNELS = {VECTOR_BYTES * 3 / 8, chooseDirectAlgorithm, writesOutputOnce, gradient, packedWeightsSize,
                                       packWeights, directConvolution, THNN_WINOGRAD};

#endif

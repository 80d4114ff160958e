/* All of a dense convolution's loops, for one kind of processor: Convolution_portable.c, Convolution_avx2.c and Convolution_avx512.c include this, each compiled for
 * its own, and Convolution_fast.c calls the best that the processor has. */
#ifndef THNN_ENGINE_H
#define THNN_ENGINE_H

#include "convolution/Convolution_direct.h"
#include "convolution/Convolution_gradient.h"
#ifdef THNN_REAL_IS_Float /* doubles take the plain sum */
#include "convolution/Convolution_winograd_gradient.h"
#define THNN_WINOGRAD winogradSize, winogradPack, winogradSum, winogradGradient
#else
#define THNN_WINOGRAD NULL, NULL, NULL, NULL
#endif

const Engine THNN_ENGINE = {VECTOR_BYTES * 3 / 8, directWay, isWrittenOnce, gradient, directSize, directPack, directSum, THNN_WINOGRAD};

#endif

/* Taps of connected planes for processors with AVX-512. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 64
#define THNN_TAPS THNN_(tapsAvx512)
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

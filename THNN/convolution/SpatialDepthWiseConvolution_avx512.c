/* Depthwise convolutions for processors with AVX-512. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 64
#define THNN_ROW_KERNELS THNN_(rowKernelsAvx512)
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

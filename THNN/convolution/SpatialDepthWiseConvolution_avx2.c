/* Depthwise convolutions for processors with AVX2 and fused multiply-add. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 32
#define THNN_ROW_KERNELS THNN_(rowKernelsAvx2)
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

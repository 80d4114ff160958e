/* Depthwise convolutions in vectors of 16 bytes, which every processor has. */
#define VECTOR_BYTES 16
#define THNN_ROW_KERNELS THNN_(rowKernels)
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

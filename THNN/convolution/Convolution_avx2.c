/* Convolutions for processors with AVX2 and fused multiply-add. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 32
#define THNN_CONV_KERNELS THNN_(convKernelsAvx2)
#include "convolution/Convolution_kernels.h"

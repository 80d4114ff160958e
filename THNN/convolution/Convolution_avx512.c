/* Convolutions for processors with AVX-512. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 64
#define THNN_CONV_KERNELS THNN_(convKernelsAvx512)
#include "convolution/Convolution_kernels.h"

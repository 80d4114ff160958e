/* Convolutions in vectors of 16 bytes, which every processor has. */
#define VECTOR_BYTES 16
#define THNN_CONV_KERNELS THNN_(convKernels)
#include "convolution/Convolution_kernels.h"

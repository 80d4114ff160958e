/* Convolutions for processors with AVX-512. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 64
#define THNN_ENGINE THNN_(engineAvx512)
#include "convolution/Convolution_kernels.h"

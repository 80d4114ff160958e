/* Convolutions for processors with AVX-512. CMakeLists.txt has this compiled for them. */
#ifdef __AVX512F__
#define VECTOR_BYTES 64
#define THNN_ENGINE THNN_(engineAvx512)
#include "convolution/engine.h"
#else
typedef int nothing; /* another processor */
#endif

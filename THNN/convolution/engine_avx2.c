/* Convolutions for processors with AVX2 and fused multiply-add. CMakeLists.txt has this compiled for them. */
#if defined(__AVX2__) && defined(__FMA__)
#define VECTOR_BYTES 32
#define THNN_ENGINE THNN_(engineAvx2)
#include "convolution/engine.h"
#else
typedef int nothing; /* another processor */
#endif

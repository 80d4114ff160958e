/* Matrix products for processors with AVX-512. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 64
#define THNN_MULTIPLIER THNN_(multiplierAvx512)
#include "core/multiply.h"

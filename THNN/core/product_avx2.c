/* Matrix products for processors with AVX2 and fused multiply-add. CMakeLists.txt has this compiled for them. */
#define VECTOR_BYTES 32
#define THNN_MULTIPLIER THNN_(multiplierAvx2)
#include "core/multiply.h"

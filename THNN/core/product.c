/* Matrix products in vectors of 16 bytes, which every processor has. */
#define VECTOR_BYTES 16
#define THNN_MULTIPLIER THNN_(multiplier)
#include "core/multiply.h"

/* Taps of connected planes in vectors of 16 bytes, which every processor has. */
#define VECTOR_BYTES 16
#define THNN_TAPS THNN_(taps)
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

/* SpatialFullConvolutionMap on the device. Story, checks and functions: THNN/convolution/SpatialFullConvolutionMap.c. */
#include "convolution/connections.cuh"
#include "convolution/SpatialFullConvolutionMap.c"

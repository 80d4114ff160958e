/* SpatialConvolutionMap on the device. Story, checks and functions: THNN/convolution/SpatialConvolutionMap.c. */
#include "convolution/connections.cuh"
#include "convolution/SpatialConvolutionMap.c"

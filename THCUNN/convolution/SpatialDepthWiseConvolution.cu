/* SpatialDepthWiseConvolution on the device. Story, checks and functions: THNN/convolution/SpatialDepthWiseConvolution.c. */
#include "convolution/direct.cuh"
#include "convolution/SpatialDepthWiseConvolution.c"

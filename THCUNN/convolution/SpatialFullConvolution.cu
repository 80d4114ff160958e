/* SpatialFullConvolution on the device. Story, checks and functions: THNN/convolution/SpatialFullConvolution.c; kernels: convolve.cu. */
#include "convolution/SpatialFullConvolution.c"

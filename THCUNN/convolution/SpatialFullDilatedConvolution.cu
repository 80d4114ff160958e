/* SpatialFullDilatedConvolution on the device. Story, checks and functions: THNN/convolution/SpatialFullDilatedConvolution.c; kernels: convolve.cu. */
#include "convolution/SpatialFullDilatedConvolution.c"

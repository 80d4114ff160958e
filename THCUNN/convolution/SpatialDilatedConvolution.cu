/* SpatialDilatedConvolution on the device. Story, checks and functions: THNN/convolution/SpatialDilatedConvolution.c; kernels: convolve.cu. */
#include "convolution/SpatialDilatedConvolution.c"

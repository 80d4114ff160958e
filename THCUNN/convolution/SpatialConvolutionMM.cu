/* SpatialConvolutionMM on the device. Story, checks and functions: THNN/convolution/SpatialConvolutionMM.c; kernels: convolve.cu. */
#include "convolution/SpatialConvolutionMM.c"

/* TemporalConvolution on the device. Story, checks and functions: THNN/convolution/TemporalConvolution.c; kernels: convolve.cu. */
#include "convolution/TemporalConvolution.c"

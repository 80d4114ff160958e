/* VolumetricFullConvolution on the device. Story, checks and functions: THNN/convolution/VolumetricFullConvolution.c; kernels: convolve.cu. */
#include "convolution/VolumetricFullConvolution.c"

/* VolumetricConvolution on the device. Story, checks and functions: THNN/convolution/VolumetricConvolution.c; kernels: convolve.cu. */
#include "convolution/VolumetricConvolution.c"

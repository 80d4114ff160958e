/* VolumetricFullDilatedConvolution on the device. Story, checks and functions: THNN/convolution/VolumetricFullDilatedConvolution.c; kernels: convolve.cu. */
#include "convolution/VolumetricFullDilatedConvolution.c"

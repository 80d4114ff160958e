/* VolumetricDilatedConvolution on the device. Story, checks and functions: THNN/convolution/VolumetricDilatedConvolution.c; kernels: convolve.cu. */
#include "convolution/VolumetricDilatedConvolution.c"

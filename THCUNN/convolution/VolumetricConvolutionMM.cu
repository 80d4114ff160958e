/* VolumetricConvolutionMM on the device. Story, checks and functions: THNN/convolution/VolumetricConvolutionMM.c; kernels: convolve.cu. */
#include "convolution/VolumetricConvolutionMM.c"

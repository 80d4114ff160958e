/* FusedConvolution on the device: arguments and checks are those of the C file, convolve.cu does the work. */
#include "convolution/FusedConvolution.c"

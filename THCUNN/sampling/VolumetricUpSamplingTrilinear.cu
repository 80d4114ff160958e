/* VolumetricUpSamplingTrilinear on the device: the kernels are in linear.cuh. Story, checks and functions: THNN/sampling/VolumetricUpSamplingTrilinear.c. */
#include "sampling/linear.cuh"
#include "sampling/VolumetricUpSamplingTrilinear.c"

/* VolumetricUpSamplingNearest on the device: the kernels are in nearest.cuh. Story, checks and functions: THNN/sampling/VolumetricUpSamplingNearest.c. */
#include "sampling/nearest.cuh"
#include "sampling/VolumetricUpSamplingNearest.c"

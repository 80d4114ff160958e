/* SpatialUpSamplingBilinear on the device: the kernels are in linear.cuh. Story, checks and functions: THNN/sampling/SpatialUpSamplingBilinear.c. */
#include "sampling/linear.cuh"
#include "sampling/SpatialUpSamplingBilinear.c"

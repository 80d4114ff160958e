/* SpatialUpSamplingNearest on the device: the kernels are in nearest.cuh. Story, checks and functions: THNN/sampling/SpatialUpSamplingNearest.c. */
#include "sampling/nearest.cuh"
#include "sampling/SpatialUpSamplingNearest.c"

/* SpatialFractionalMaxPooling on the device. Story, checks and functions: THNN/pooling/SpatialFractionalMaxPooling.c. */
#include "pooling/fractional.cuh"
#include "pooling/SpatialFractionalMaxPooling.c"

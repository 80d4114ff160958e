/* VolumetricFractionalMaxPooling on the device. Story, checks and functions: THNN/pooling/VolumetricFractionalMaxPooling.c. */
#include "pooling/fractional.cuh"
#include "pooling/VolumetricFractionalMaxPooling.c"

/* VolumetricMaxUnpooling on the device. Story, checks and functions: THNN/pooling/VolumetricMaxUnpooling.c. */
#include "pooling/unpool.cuh"
#include "pooling/VolumetricMaxUnpooling.c"

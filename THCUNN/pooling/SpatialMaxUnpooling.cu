/* SpatialMaxUnpooling on the device. Story, checks and functions: THNN/pooling/SpatialMaxUnpooling.c. */
#include "pooling/unpool.cuh"
#include "pooling/SpatialMaxUnpooling.c"

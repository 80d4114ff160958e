/* SpatialZeroPadding on the device: the arguments and checks are those of the C file, the kernels those of padding.cuh. */
#include "padding/padding.cuh"

#include "padding/SpatialZeroPadding.c"

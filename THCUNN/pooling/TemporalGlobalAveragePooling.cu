/* TemporalGlobalAveragePooling on the device: the arguments and checks are those of the C file, the work is done by planes.cu. */
#include "pooling/TemporalGlobalAveragePooling.c"

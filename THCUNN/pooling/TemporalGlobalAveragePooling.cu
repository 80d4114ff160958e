/* TemporalGlobalAveragePooling on the device: the arguments and checks are those of the C file, the work is done by averages.cu. */
#include "pooling/TemporalGlobalAveragePooling.c"

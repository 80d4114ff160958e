/* TemporalGlobalMaxPooling on the device: the arguments and checks are those of the C file, the work is done by maxima.cu. */
#include "pooling/TemporalGlobalMaxPooling.c"

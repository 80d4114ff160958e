/* TemporalSoftPool on the device: the arguments and checks are those of the C file, the work is done by softpool.cu. */
#include "pooling/TemporalSoftPool.c"

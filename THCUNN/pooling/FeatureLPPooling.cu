/* FeatureLPPooling on the device: the arguments and checks are those of the C file, the work is done by power.cu. */
#include "pooling/FeatureLPPooling.c"

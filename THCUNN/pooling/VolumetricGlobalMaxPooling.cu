/* VolumetricGlobalMaxPooling on the device: the arguments and checks are those of the C file, the work is done by planes.cu
 * and maxima.cu. */
#include "pooling/VolumetricGlobalMaxPooling.c"

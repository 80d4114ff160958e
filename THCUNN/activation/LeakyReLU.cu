/* LeakyReLU on the device. Story, checks and functions: THNN/activation/LeakyReLU.c. */
#include "activation/leak.cuh"

#include "activation/LeakyReLU.c"

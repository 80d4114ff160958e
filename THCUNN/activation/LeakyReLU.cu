/* LeakyReLU on the device. Story, checks and functions: THNN/activation/LeakyReLU.c. */
#include "activation/LeakyReLU.cuh"

#include "activation/LeakyReLU.c"

/* LeakyReLU on the device: the functor that RReLU, too, has. */
#ifndef THCUNN_ACTIVATION_LEAKY_RELU_H
#define THCUNN_ACTIVATION_LEAKY_RELU_H

#include "activation/curves.h"
#include "activation/elementwise.cuh"

namespace {

/* g if x is positive, else g times the slope. In forward g is x itself. */
struct Leak {
  __device__ accreal operator()(accreal x, accreal g, accreal slope, accreal) const { return leaked(x, g, slope); }
} leak;

} // namespace

#endif

/* A kernel that is right, and with planted mistakes that the tests of kernels must find:
 *
 *     -DMISSING_BARRIER   a sum is read before all have added to it       ThreadSanitizer
 *     -DMISSING_ATOMIC    blocks add to one cell without an atomic        ThreadSanitizer; the result is right all the same
 *     -DOVERRUN           one element past the block's shared memory      AddressSanitizer
 *     -DDIVERGENCE        half of a block comes to a barrier              the emulation itself
 */
#include <stdio.h>

enum {
  THREADS = 64,
  BLOCKS = 3,
};

struct Partial {
  float of[THREADS];
};

__global__ static void sum(const float *x, float *y)
{
  Partial &partial = emulation::shared<Partial>();
  const int t = (int)threadIdx.x;
#ifdef OVERRUN
  partial.of[t + 1] = 0;
#endif
  partial.of[t] = x[blockIdx.x * THREADS + threadIdx.x];
#ifdef DIVERGENCE
  if (t < THREADS / 2)
#endif
    __syncthreads();
  for (int n = THREADS / 2; n > 0; n /= 2) {
    if (t < n) partial.of[t] += partial.of[t + n];
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
  }
#ifdef MISSING_ATOMIC
  if (t == 0) *y += partial.of[0];
#else
  if (t == 0) atomicAdd(y, partial.of[0]);
#endif
}

int main()
{
  static float x[BLOCKS * THREADS], y;
  float expected = 0;
  for (int i = 0; i < BLOCKS * THREADS; i++) expected += x[i] = (float)(i % 7);
  emulation::run(BLOCKS, THREADS, [&] { sum(x, &y); });
  printf("%g, expected %g\n", y, expected);
  return y != expected;
}

/* Division of numbers from 0 on by one number, again and again: in which plane, row and column an element is. */
#ifndef THCUNN_DIVISOR_H
#define THCUNN_DIVISOR_H

#include "core/core.h"

namespace {

template <class Int> struct PlainDivisor {
  Int by;
  __device__ Int quotient(Int n) const { return n / by; }
};

template <class Int> struct Divisor : PlainDivisor<Int> {};

/* A divisor of 32 bits: a product and a shift take a fifth of the time of a division.
 *
 * With 2^k >= by and factor = ceil(2^(31 + k) / by), which has 32 bits, n * factor / 2^(31 + k) is above n / by by less than 1 / by,
 * since n < 2^31: its integer is that of the quotient. */
template <> struct Divisor<int32_t> {
  int32_t by, shift;
  uint32_t factor;

  Divisor(int32_t number = 1) : by(number), shift(31)
  {
    while (((int64_t)1 << (shift - 31)) < number) shift++;
    factor = (uint32_t)((((uint64_t)1 << shift) + (uint64_t)number - 1) / (uint64_t)number);
  }
  __device__ int32_t quotient(int32_t n) const { return (int32_t)((uint64_t)n * factor >> shift); }
  __device__ int64_t quotient(int64_t n) const { return n <= INT32_MAX ? quotient((int32_t)n) : n / by; }
};

} // namespace

#endif

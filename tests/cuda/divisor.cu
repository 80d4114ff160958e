/* Quotients of THCUNN/core/divisor.cuh beside those of a division: of all small divisors, of those about powers of two, and of numbers about
 * multiples. Ends with 1 where one differs. */
#include <initializer_list>
#include <stdio.h>

#include "core/divisor.cuh"

static int differs(int32_t by)
{
  const Divisor<int32_t> divisor(by);
  for (int64_t step = 1; step <= INT32_MAX; step *= 3)
    for (int64_t near = -1; near <= 1; near++)
      for (int64_t n : {step / by * by + near, INT32_MAX / by * (int64_t)by + near, INT32_MAX / step - near, (int64_t)INT32_MAX}) {
        if (n < 0 || n > INT32_MAX) continue;
        if (divisor.quotient((int32_t)n) == n / by && divisor.quotient(n + INT32_MAX) == (n + INT32_MAX) / by) continue;
        printf("%lld / %d\n", (long long)n, by);
        return 1;
      }
  return 0;
}

int main()
{
  for (int32_t by = 1; by < 1 << 16; by++)
    if (differs(by)) return 1;
  for (int bit = 16; bit < 31; bit++)
    for (int32_t near = -3; near <= 3; near++)
      if (differs((int32_t)(1u << bit) + near)) return 1;
  return differs(INT32_MAX);
}

/* Prints where adaptive windows lie, for the lines "o in out" of its input: test_geometry.py computes the same in Python's integers. */
#include <inttypes.h>
#include <stdio.h>
#include "core/geometry.h"

int main(void)
{
  int64_t o, in, out;
  while (scanf("%" SCNd64 " %" SCNd64 " %" SCNd64, &o, &in, &out) == 3)
    printf("%" PRId64 " %" PRId64 "\n", THNN_adaptiveStart(o, in, out), THNN_adaptiveEnd(o, in, out));
  return 0;
}

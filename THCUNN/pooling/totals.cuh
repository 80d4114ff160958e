/* Gradients of the parameters of channels: sums over all outputs of a channel's planes. Planes are cut into parts, of the shapes alone; a
 * second kernel joins their sums in order. */
#ifndef THCUNN_POOLING_TOTALS_H
#define THCUNN_POOLING_TOTALS_H

#include "core/real.h"

namespace {

/* For every part of every plane `each` sums. */
struct Totals {
  accreal *sum;
  int64_t planes, outputs, parts, each;
  bool wide;
};

enum { OUTPUTS = 1 << 12 }; /* outputs of a part */

/* Totals of term(plane, output, k) for each k. */
template <class F> __global__ void sumParts(Totals t, F term)
{
  const Team team = thisTeam(t.wide);
  for (int64_t task = team.number; task < t.planes * t.parts; task += team.count) {
    const int64_t plane = task / t.parts, first = task % t.parts * OUTPUTS, end = THNN_min(first + OUTPUTS, t.outputs);
    for (int64_t k = 0; k < t.each; k++) {
      accreal sum = 0;
      for (int64_t o = first + team.rank; o < end; o += team.size) sum += term(plane, o, k);
      sum = teamSum(team, sum);
      if (team.rank == 0) t.sum[task * t.each + k] = sum;
    }
  }
}

/* gw[c][k] += scale * the sums [first + k] of channel c's planes. */
__global__ void addParts(real *gw, Totals t, int64_t channels, int64_t first, int64_t cells, accreal scale, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t task = team.number; task < channels * cells; task += team.count) {
    const int64_t c = task / cells, k = first + task % cells;
    accreal sum = 0;
    for (int64_t i = team.rank; i < t.planes / channels * t.parts; i += team.size)
      sum += t.sum[((c + i / t.parts * channels) * t.parts + i % t.parts) * t.each + k];
    sum = teamSum(team, sum);
    if (team.rank == 0) gw[task] = (real)((accreal)gw[task] + scale * sum);
  }
}

/* A term for each output that a kernel has left, n apart for each k. */
struct Terms {
  const accreal *term;
  int64_t n, outputs;
  __device__ accreal operator()(int64_t plane, int64_t o, int64_t k) const { return term[k * n + plane * outputs + o]; }
};

} // namespace

static Totals newTotals(Call *call, int64_t planes, int64_t outputs, int64_t each)
{
  Totals t = {NULL, planes, outputs, THNN_ceilDiv(outputs, OUTPUTS), each, outputs > WIDE};
  t.sum = THNN_scratch(call, planes * t.parts * each, sizeof(accreal));
  return t;
}

template <class F> static void sumTerms(Call *call, Totals t, F term)
{
  launch(call, blocksForTeams(t.planes * t.parts, t.wide), BLOCK, sumParts<F>, t, term);
}

static void addTotals(Call *call, real *gw, Totals t, int64_t channels, int64_t first, int64_t cells, double scale)
{
  if (channels == 0) return;
  const bool wide = t.planes / channels * t.parts > WIDE;
  launch(call, blocksForTeams(channels * cells, wide), BLOCK, addParts, gw, t, channels, first, cells, (accreal)scale, wide);
}

#endif

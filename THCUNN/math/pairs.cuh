/* Pairs of rows, a team for each: what pairs.h is in THNN. */
#ifndef THCUNN_PAIRS_H
#define THCUNN_PAIRS_H

#include "math/pairs.h"

static void overPairs(Call *call, PairKernel *kernel, Pairs p)
{
  const bool wide = p.columns > WIDE;
  launch(call, blocksForTeams(p.count, wide), BLOCK, kernel, p, wide);
}

#endif

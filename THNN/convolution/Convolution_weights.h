/* Weights as the direct sums read them: for each group, blocks of a few planes of y, packed[block][k][plane]. Term k of a sum is a tap of a
 * plane of x. */
#ifndef THNN_BLOCKS_H
#define THNN_BLOCKS_H

#include "convolution/Convolution_problem.h"
#include "core/fetch.h"
#include "core/product.h"
#include "core/turn.h"

/* n in equal parts of at most `most`. */
THNN_INLINE int64_t partOf(int64_t n, int64_t most) { return THNN_ceilDiv(n, THNN_max(THNN_ceilDiv(n, most), 1)); }

THNN_INLINE int64_t depthOf(const Sum *s) { return s->planes * tapsOf(s); }

typedef struct Blocks {
  int64_t step, count, width; /* planes in a block, vectors of a tile */
} Blocks;

THNN_INLINE Blocks blocksOf(const Sum *s, Way way)
{
  if (way == BY_OUTPUTS) return (Blocks){COLUMNS, THNN_ceilDiv(s->outputs, COLUMNS), WIDTH};
  if (s->outputs <= FEW_ROWS) return (Blocks){s->outputs, 1, FEW_WIDTH};
  enum { MANY = 8 };
  int64_t count = THNN_ceilDiv(s->outputs, ROWS);
  if (count > MANY) count += count % 2; /* two threads have as many each */
  const int64_t step = THNN_ceilDiv(s->outputs, count);
  return (Blocks){step, THNN_ceilDiv(s->outputs, step), WIDTH};
}

/* Of one group. */
THNN_INLINE int64_t packedSize(const Sum *s, const Blocks *b) { return b->count * b->step * depthOf(s); }

static int64_t directSize(const Sum *s, Way way)
{
  const Blocks b = blocksOf(s, way);
  return s->groups * packedSize(s, &b);
}

enum { PLANES_AHEAD = 4 }; /* whose kernels are fetched: memory takes as long as it does to turn so many */

/* Blocks whose taps lie one after the other in memory, upwards or downwards, are turned; others are taken one by one. */
static void packBlock(const Sum *s, real *to, int64_t step, const real *from, int64_t outputs)
{
  const Line *h = &s->h, *w = &s->w;
  const int64_t taps = h->taps * w->taps, way = w->weightStep, itemSize = sizeof(real);
  const int inLine = (way == 1 || way == -1 || w->taps == 1) && (h->taps == 1 || h->weightStep == way * w->taps);
  const int up = inLine && (way == 1 || taps == 1), isWhole = up && (taps == s->weightPlane || s->planes == 1);
  const int64_t first = THNN_min((h->taps - 1) * h->weightStep, 0) + THNN_min((w->taps - 1) * way, 0);
  for (int64_t m = 0; m < s->t.taps; m++, from += s->t.weightStep) {
    if (isWhole) {
      turn(to, step, from, s->weightOutput, outputs, taps * s->planes);
      to += taps * s->planes * step;
      continue;
    }
    for (int64_t c = 0; c < s->planes; c++, to += taps * step) {
      const real *plane = from + c * s->weightPlane;
      /* Where the kernels of a plane lie together, but far from those of the next one, a processor does not see these coming. */
      if (s->weightOutput < s->weightPlane)
        THNN_fetch(plane + first, PLANES_AHEAD * s->weightPlane * itemSize, outputs * s->weightOutput * itemSize);
      if (up) turn(to, step, plane, s->weightOutput, outputs, taps);
      else if (inLine && way == -1) turn(to + (taps - 1) * step, -step, plane - (taps - 1), s->weightOutput, outputs, taps);
      else
        for (int64_t i = 0; i < h->taps; i++)
          for (int64_t j = 0; j < w->taps; j++) {
            real *row = to + (i * w->taps + j) * step;
            const real *tap = plane + i * h->weightStep + j * way;
            for (int64_t o = 0; o < outputs; o++) row[o] = tap[o * s->weightOutput];
          }
    }
  }
}

static void packOne(const Sum *s, const Blocks *b, int64_t group, int64_t block, real *to)
{
  const int64_t first = block * b->step, outputs = THNN_min(b->step, s->outputs - first);
  if (outputs < b->step) memset(to, 0, (size_t)(b->step * depthOf(s)) * sizeof(real));
  const real *weight = s->weight + group * s->weightGroup + first * s->weightOutput;
  packBlock(s, to, b->step, weight + s->t.weight + s->h.weight + s->w.weight, outputs);
}

static void directPack(const Sum *s, Way way, real *packed, int threads)
{
  const Blocks b = blocksOf(s, way);
#pragma omp parallel for num_threads(threads)
  for (int64_t block = 0; block < s->groups * b.count; block++)
    packOne(s, &b, block / b.count, block % b.count, packed + block * b.step * depthOf(s));
}

#endif

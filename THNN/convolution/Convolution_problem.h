/* The sum that every pass of a dense convolution is, in up to three dimensions.
 *
 *   y[n][o][t][h][w] = bias[o] + sum over c and the taps (m, i, j) of
 *                      weight[o][c][m][i][j] * x[n][c][t * t.stride + t.first + m * t.step][h ...][w ...]
 *
 * where x is 0 outside its planes. A convolution is one such sum; its gradInput, which is a full convolution's output, is one for each
 * phase of the stride: the cells a, a + stride, a + 2 * stride ... of an axis meet the same taps. Where planes fall into groups, a group of a
 * sample's planes counts as a sample, and sample n has the weights and biases of group n % groups. */
#ifndef THNN_SUM_H
#define THNN_SUM_H

#include "convolution/Convolution_epilogue.h"

/* One axis. Place o sees the cells o * stride + first + u * step of x, u < taps. What is in memory is told by distances. */
typedef struct Line {
  int64_t in, out;                   /* cells of x, places of y */
  int64_t stride, taps, first, step; /* step is at least 1 */
  int64_t x, y;                      /* from a cell, or a place, to the next one */
  int64_t weight, weightStep;        /* to tap 0 of a kernel, from a tap to the next one */
} Line;

typedef struct Sum {
  int64_t samples, groups, planes, outputs; /* planes of x, of y */
  Line t, h, w;
  int64_t xSample, xPlane, ySample, yPlane, weightGroup, weightOutput, weightPlane; /* distances */
  const real *x, *weight, *bias; /* bias may be NULL */
  const real *xEnd;              /* nothing is read from here on */
  real *y;
  Finish finish; /* of the sums; `other` lies as y does */
} Sum;

/* How a sum is computed. */
typedef enum Way {
  BY_DEFINITION, /* loops (Convolution.c): if the caller says so, and for what exceeds the tables of the others */
  BY_PLACES,     /* the micro-kernel's vectors are places of y side by side */
  BY_OUTPUTS,    /* they are planes of y */
  BY_WINOGRAD_2, /* F(2x2, 3x3) */
  BY_WINOGRAD_4  /* F(4x4, 3x3) */
} Way;

/* The sum of one group. */
THNN_INLINE Sum groupOf(const Sum *s, int64_t group)
{
  Sum one = *s;
  one.samples = s->samples / s->groups;
  one.groups = 1;
  one.xSample = s->xSample * s->groups;
  one.ySample = s->ySample * s->groups;
  one.x = s->x + group * s->xSample;
  one.y = s->y + group * s->ySample;
  one.weight = s->weight + group * s->weightGroup;
  return one;
}

THNN_INLINE int64_t tapsOf(const Sum *s) { return s->t.taps * s->h.taps * s->w.taps; }

/* What the units that are compiled for one kind of processor each have in common (Convolution_kernels.h). */
typedef struct Engine {
  int64_t reading; /* products that take as long as an element of weights takes to come from memory */
  Way (*direct)(const Sum *s); /* BY_PLACES or BY_OUTPUTS, whichever leaves fewer lanes idle */
  int (*isWrittenOnce)(const Sum *s, Way way); /* each element of y, when its sum is done? Then what is added to it may lie there. */
  /* weight[o][c][m][i][j] += scale * sum over n and places of y * x, which is the sum above turned round */
  void (*gradient)(Call *call, const Sum *s, real *weight, double scale, int threads);
  /* Elements of packed weights; packing them; the sum, which packs them itself where it gets none. The direct one computes the samples that
   * `isWanted` marks, or all if that is NULL. Winograd's, which there is for floats, marks the samples whose results are not all finite. */
  int64_t (*directSize)(const Sum *s, Way way);
  void (*directPack)(const Sum *s, Way way, real *packed, int threads);
  void (*directSum)(Call *call, const Sum *s, Way way, const real *packed, const uint8_t *isWanted, int threads);
  int64_t (*winogradSize)(const Sum *s, Way way);
  void (*winogradPack)(const Sum *s, Way way, real *packed, int threads);
  void (*winogradSum)(Call *call, const Sum *s, Way way, const real *packed, uint8_t *isSpread, int threads);
  int (*winogradGradient)(Call *call, const Sum *s, real *weight, double scale, int threads); /* has it been added? */
} Engine;

extern const Engine THNN_(engine), THNN_(engineAvx2), THNN_(engineAvx512);

/* The loops that all this stands for. */
void THNN_(sumByDefinition)(const Sum *s, int threads);
void THNN_(gradientByDefinition)(const Sum *s, real *weight, double scale, int threads);

#endif

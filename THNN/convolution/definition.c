/* What the dense convolutions compute, as loops that say it: one sum (sum.h), and the gradient of its weights.
 *
 * Tests hold all other ways to these loops, and shapes that no other way takes are computed by them. They add in doubles. What lies
 * outside of x counts as 0, and is multiplied: an infinite weight makes NaN there, as it does where memory is padded. */
#include "convolution/sum.h"

/* The cell of x that place o sees through tap u, or -1. */
static int64_t cellOf(const Line *a, int64_t o, int64_t u)
{
  const int64_t cell = o * a->stride + a->first + u * a->step;
  return cell >= 0 && cell < a->in ? cell : -1;
}

static double cellAt(const Sum *s, int64_t n, int64_t c, int64_t t, int64_t h, int64_t w)
{
  if (t < 0 || h < 0 || w < 0) return 0;
  return s->x[n * s->xSample + c * s->xPlane + t * s->t.x + h * s->h.x + w * s->w.x];
}

static int64_t weightAt(const Sum *s, int64_t o, int64_t c, int64_t m, int64_t i, int64_t j)
{
  return o * s->weightOutput + c * s->weightPlane + s->t.weight + m * s->t.weightStep + s->h.weight + i * s->h.weightStep +
         s->w.weight + j * s->w.weightStep;
}

void THNN_(sumByDefinition)(const Sum *s, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t o = 0; o < s->outputs; o++)
      for (int64_t t = 0; t < s->t.out; t++)
        for (int64_t h = 0; h < s->h.out; h++)
          for (int64_t w = 0; w < s->w.out; w++) {
            const int64_t group = n % s->groups;
            double sum = s->bias ? s->bias[group * s->outputs + o] : 0;
            for (int64_t c = 0; c < s->planes; c++)
              for (int64_t m = 0; m < s->t.taps; m++)
                for (int64_t i = 0; i < s->h.taps; i++)
                  for (int64_t j = 0; j < s->w.taps; j++)
                    sum += (double)s->weight[group * s->weightGroup + weightAt(s, o, c, m, i, j)] *
                           cellAt(s, n, c, cellOf(&s->t, t, m), cellOf(&s->h, h, i), cellOf(&s->w, w, j));
            const int64_t at = n * s->ySample + o * s->yPlane + t * s->t.y + h * s->h.y + w * s->w.y;
            const Finish *f = &s->finish;
            THNN_REAL y = (THNN_REAL)sum;
            if (f->other) y += f->other[at];
            s->y[at] = activated(f->activation, y, f->a, f->b);
          }
}

void THNN_(gradientByDefinition)(const Sum *s, real *weight, double scale, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++)
    for (int64_t c = 0; c < s->planes; c++)
      for (int64_t m = 0; m < s->t.taps; m++)
        for (int64_t i = 0; i < s->h.taps; i++)
          for (int64_t j = 0; j < s->w.taps; j++) {
            double sum = 0;
            for (int64_t n = 0; n < s->samples; n++)
              for (int64_t t = 0; t < s->t.out; t++)
                for (int64_t h = 0; h < s->h.out; h++)
                  for (int64_t w = 0; w < s->w.out; w++)
                    sum += (double)s->y[n * s->ySample + o * s->yPlane + t * s->t.y + h * s->h.y + w * s->w.y] *
                           cellAt(s, n, c, cellOf(&s->t, t, m), cellOf(&s->h, h, i), cellOf(&s->w, w, j));
            weight[weightAt(s, o, c, m, i, j)] += (real)(scale * sum);
          }
}

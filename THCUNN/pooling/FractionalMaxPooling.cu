/* The kernels of fractional max pooling: a thread has an output; backward it has a cell of gradInput. Checks and functions are those of the
 * C file, which ends this one. */
#include "pooling/best.cuh"
#include "pooling/MaxPooling.cuh"
#include "pooling/FractionalMaxPooling.h"

/* The numbers are on the device: fractionalStart bounds them there. */
int32_t THNN_(checkNumbers)(const char *, const real *, int64_t) { return THNN_OK; }

__global__ static void maxOfFractional(real *y, index_t *index, const real *x, const real *samples, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads()) {
    const int64_t plane = i / outputs, o = i % outputs, ow = o % p.w.out, oh = o / p.w.out % p.h.out, ot = o / p.w.out / p.h.out;
    const int64_t startT = fractionalStart(&p.t, ot, drawnSample(samples, &p, plane, 2));
    const int64_t startH = fractionalStart(&p.h, oh, drawnSample(samples, &p, plane, 1));
    const int64_t startW = fractionalStart(&p.w, ow, drawnSample(samples, &p, plane, 0));
    Best best = {0, -1};
    for (int64_t t = startT; t < startT + p.t.kernel; t++)
      for (int64_t h = startH; h < startH + p.h.kernel; h++)
        for (int64_t w = startW; w < startW + p.w.kernel; w++) {
          const int64_t at = (t * p.h.in + h) * p.w.in + w;
          best = better(best, Best{(accreal)x[plane * cells + at], at});
        }
    y[i] = (real)best.value;
    index[i] = best.at;
  }
}

void THNN_(fractionalMaxima)(Call *call, real *y, index_t *index, const real *x, const real *samples, const Space *p)
{
  launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, maxOfFractional, y, index, x, samples, *p);
}

namespace {

/* Backward does not get the samples. But window o begins between o * alpha - 1 and o * alpha + 1, up to rounding. */
struct Fractional {
  Axis a;
  double alpha;
  explicit Fractional(const Axis &axis) : a(axis), alpha(axis.out > 1 ? (double)(axis.in - axis.kernel) / (double)(axis.out - 1) : 0) {}
  __device__ int64_t firstReached(int64_t i) const
  {
    return a.out > 1 ? THNN_max((int64_t)ceil((double)(i - a.kernel - 1) / alpha - 1e-5), 0) : 0;
  }
  __device__ int64_t endReached(int64_t i) const { return a.out > 1 ? THNN_min((int64_t)((double)(i + 1) / alpha + 1e-5) + 1, a.out) : 1; }
};

} // namespace

void THNN_(fractionalMaximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherMaxima<real, int64_t, Fractional>, gx, g, index, Windows<int64_t>(*p), Fractional(p->t),
         Fractional(p->h), Fractional(p->w));
}

#include "pooling/FractionalMaxPooling.c"

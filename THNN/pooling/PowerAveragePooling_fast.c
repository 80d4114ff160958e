/* The fast loops of power-average pooling on the host.
 *
 * Powers are taken cell by cell, their sums run along whole rows. In the few places where powers leave the range of floating-point
 * numbers the window is done again, scaled by its largest cell; a plane whose output is too large or too small for the powers of
 * backward takes the ratio |x| / output first. */
#include <math.h>
#include "core/vmath.h"
#include "pooling/columns.h"
#include "pooling/PowerAveragePooling.h"

/* ---- forward */

/* The root of a sum. Plain sums below 0 have none. */
THNN_INLINE real takeRoot(real s, enum Kind kind, double p)
{
  if (kind == PLAIN || kind == MAGNITUDE) return s;
  if (kind == SQUARE) return real_sqrt(s);
  if (kind == FOURTH) return real_sqrt(real_sqrt(s));
  return (real)vm_exp(vm_log((double)s) / p);
}

/* t = the powers of x */
THNN_KERNEL void takePowers(real *restrict t, const real *restrict x, int64_t n, double p, double negative)
{
  for (int64_t i = 0; i < n; i++) {
    const double power = vm_absPower(x[i], p);
    t[i] = (real)(x[i] < 0 ? power * negative : power);
  }
}

/* The smallest magnitude of cells that are not 0. */
THNN_KERNEL double findSmallest(const real *x, int64_t n)
{
  real least = INFINITY;
#pragma omp simd reduction(min : least)
  for (int64_t i = 0; i < n; i++) {
    const real a = real_abs(x[i]), b = a > 0 ? a : INFINITY;
    least = b < least ? b : least;
  }
  return least;
}

/* The norm of one window with its cells divided by the largest. */
static double scaledNorm(const real *x, int64_t rows, int64_t columns, int64_t distance, const Power *power)
{
  double largest = 0, sum = 0;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) {
      const double a = fabs((double)x[r * distance + c]);
      if (a != a) return a;
      if (a > largest) largest = a;
    }
  if (largest == 0) return 0;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) {
      const double cell = x[r * distance + c], a = fabs(cell);
      const double t = a == largest ? 1 : pow(a / largest, power->p);
      sum += cell < 0 ? t * power->negative : t;
    }
  return largest * pow(sum, 1 / power->p);
}

/* True if a norm is out of the range in which sums are exact enough. `zero` replaces 0, which may be in range or not. The result is a
 * lane, so that loops become vectors. */
THNN_INLINE lane isOutside(THNN_REAL y, THNN_REAL zero, THNN_REAL least, THNN_REAL most)
{
  const THNN_REAL norm = y == 0 ? zero : y;
  return -(lane) !(norm >= least) | -(lane) !(norm <= most);
}

__attribute__((noinline)) static void mendRow(real *y, const real *x, int64_t oh, const Space *p, const Power *power, int zeros)
{
  const Axis h = p->h, w = p->w;
  const int64_t top = windowStart(&h, oh), rows = windowEnd(&h, oh) - top;
  for (int64_t ow = 0; ow < w.out; ow++) {
    if (!isOutside(y[ow], (real)(zeros ? power->least : 0), (real)power->least, (real)power->most)) continue;
    const int64_t left = windowStart(&w, ow);
    y[ow] = (real)scaledNorm(x + top * w.in + left, rows, windowEnd(&w, ow) - left, w.in, power);
  }
}

/* Kernels of their own, for the compiler would repeat them for each kind. */
THNN_KERNEL void sumRow(real *y, const real *sum, const Axis *w) { sumColumns(y, sum, w); }
THNN_KERNEL void spreadRow(real *x, const real *share, const Axis *w) { spreadColumns(x, share, w); }
THNN_KERNEL void gatherPlane(real *gx, const real *spread, const Space *p) { gatherRows(gx, spread, p); }

/* The norms of a plane. `cells` is x, or its powers for the kind LOGARITHM; `sum` is a padded row whose ends are 0. */
THNN_INLINE void normRows(real *y, const real *x, const real *cells, const Space *p, const Power *power, enum Kind kind,
                          real *sum)
{
  const Axis h = p->h, w = p->w;
  const THNN_REAL least = (THNN_REAL)power->least, most = (THNN_REAL)power->most;
  int zeros = 0, known = power->negative != 1; /* `known` is true if it is known whether a norm of 0 is that of zeros alone, which are
                                                * common */
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out) {
    const int64_t top = windowStart(&h, oh);
    fetchRows(x, p, 0, oh);
    sumTerms(sum + w.pad, cells + top * w.in, kind, 0, windowEnd(&h, oh) - top, w.in, w.in);
    sumRow(y, sum, &w);
    if (kind == PLAIN || kind == MAGNITUDE) continue;
    for (int64_t ow = 0; ow < w.out; ow++) y[ow] = takeRoot(y[ow], kind, power->p);
    for (;;) {
      const THNN_REAL zero = zeros ? least : 0;
      lane outside = 0;
#pragma omp simd reduction(| : outside)
      for (int64_t ow = 0; ow < w.out; ow++) outside |= isOutside(y[ow], zero, least, most);
      if (!outside) break;
      if (known) {
        mendRow(y, x, oh, p, power, zeros);
        break;
      }
      zeros = findSmallest(x, h.in * w.in) >= power->least;
      known = 1;
    }
  }
}

THNN_KERNEL void normPlane(real *y, const real *x, const real *cells, const Space *p, const Power *power, real *sum)
{
  memset(sum, 0, (size_t)paddedLength(&p->w) * sizeof(real));
  switch (power->kind) {
  case PLAIN: normRows(y, x, cells, p, power, PLAIN, sum); break;
  case MAGNITUDE: normRows(y, x, cells, p, power, MAGNITUDE, sum); break;
  case SQUARE: normRows(y, x, cells, p, power, SQUARE, sum); break;
  case PLAIN_CUBE: normRows(y, x, cells, p, power, PLAIN_CUBE, sum); break;
  case CUBE: normRows(y, x, cells, p, power, CUBE, sum); break;
  case FOURTH: normRows(y, x, cells, p, power, FOURTH, sum); break;
  case LOGARITHM: normRows(y, x, cells, p, power, LOGARITHM, sum); break;
  }
}

/* y = norms of all windows of x */
void THNN_(norms)(Call *call, real *y, const real *x, const Space *p, const Power *power)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), isGeneral = power->kind == LOGARITHM;
  const int threads = THNN_threads(call, p->planes * (plane * (isGeneral ? 8 : 1) + outputs * p->w.kernel));
  const int64_t padded = THNN_perThread(paddedLength(&p->w)), powers = isGeneral ? THNN_perThread(plane) : 0;
  real *rows = THNN_scratch(call, threads * (padded + powers), sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *sum = rows + THNN_threadId() * (padded + powers), *cells = sum + padded;
    const real *from = x + i * plane;
    if (isGeneral) takePowers(cells, from, plane, power->p, power->negative);
    normPlane(y + i * outputs, from, isGeneral ? cells : from, p, power, sum);
  }
}

/* ---- backward: gradInput = slope(x) * sum of gradOutput * share(output), with slope and share the powers of p - 1 and 1 - p */

THNN_INLINE real powerSlope(real x, enum Kind kind)
{
  if (kind == MAGNITUDE) return x != x ? x : (real)((x > 0) - (x < 0));
  if (kind == SQUARE) return x;
  if (kind == PLAIN_CUBE) return x * x;
  if (kind == CUBE) return x * real_abs(x);
  if (kind == FOURTH) return x * x * x;
  return 1;
}

THNN_INLINE real powerShare(real y, enum Kind kind, double p)
{
  if (kind == SQUARE) return 1 / y;
  if (kind == PLAIN_CUBE || kind == CUBE) return 1 / (y * y);
  if (kind == FOURTH) return 1 / (y * y * y);
  if (kind == LOGARITHM) return (real)vm_exp((1 - p) * vm_log((double)y));
  return 1;
}

/* Memory for a row of what windows have to share, and behind it for all such rows, spread over the columns. */
THNN_INLINE int64_t shareScratch(const Space *p) { return THNN_perThread(shareLength(&p->w)); }
THNN_INLINE int64_t spreadScratch(const Space *p) { return shareScratch(p) + THNN_perThread(p->h.out * spreadLength(&p->w)); }

THNN_INLINE void normGradient(real *restrict gx, const real *restrict x, const real *g, const real *y, const Space *p,
                              const Power *power, enum Kind kind, real *memory)
{
  const Axis w = p->w;
  const int64_t cells = p->h.in * w.in;
  const int zeroPasses = power->zeroPasses;
  real *share = memory, *spread = memory + shareScratch(p), *row = share + shareLead(&w);
  memset(share, 0, (size_t)shareLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < p->h.out; oh++, g += w.out, y += w.out) {
    THNN_prefetch(g, THNN_AHEAD, w.out * (int64_t)sizeof(real));
    for (int64_t ow = 0; ow < w.out; ow++) {
      const real s = g[ow] * powerShare(y[ow], kind, power->p);
      row[ow] = ((y[ow] == 0) & !zeroPasses) ? 0 : s;
    }
    spreadRow(spread + oh * spreadLength(&w), row, &w);
  }
  gatherPlane(gx, spread, p);
  if (kind == PLAIN) return;
  if (kind == LOGARITHM) {
    const double q = power->p - 1, below = belowZero(power);
    for (int64_t i = 0; i < cells; i++) {
      const double slope = vm_absPower(x[i], q), sign = x[i] < 0 ? below : 1;
      const real product = gx[i] * (real)(slope * sign);
      gx[i] = x[i] == 0 ? 0 : product;
    }
  } else {
    for (int64_t h = 0; h < p->h.in; h++, gx += w.in, x += w.in) {
      THNN_prefetch(x, THNN_AHEAD, w.in * (int64_t)sizeof(real));
      for (int64_t i = 0; i < w.in; i++) {
        const real product = gx[i] * powerSlope(x[i], kind);
        gx[i] = x[i] == 0 ? 0 : product;
      }
    }
  }
}

THNN_KERNEL void normGradientPlane(real *gx, const real *x, const real *g, const real *y, const Space *p, const Power *power, real *memory)
{
  switch (power->kind) {
  case PLAIN: normGradient(gx, x, g, y, p, power, PLAIN, memory); break;
  case MAGNITUDE: normGradient(gx, x, g, y, p, power, MAGNITUDE, memory); break;
  case SQUARE: normGradient(gx, x, g, y, p, power, SQUARE, memory); break;
  case PLAIN_CUBE: normGradient(gx, x, g, y, p, power, PLAIN_CUBE, memory); break;
  case CUBE: normGradient(gx, x, g, y, p, power, CUBE, memory); break;
  case FOURTH: normGradient(gx, x, g, y, p, power, FOURTH, memory); break;
  default: normGradient(gx, x, g, y, p, power, LOGARITHM, memory); break;
  }
}

/* True if backward needs ratios, since powers of an output are out of range. */
THNN_KERNEL int needsRatios(const real *y, const Space *p, const Power *power)
{
  if (power->kind == PLAIN || power->kind == MAGNITUDE) return 0;
  int outside = 0;
  const double least = power->leastRoot, most = power->largestRoot;
  for (int64_t oh = 0; oh < p->h.out; oh++, y += p->w.out) {
    THNN_prefetch(y, THNN_AHEAD, p->w.out * (int64_t)sizeof(real));
    for (int64_t o = 0; o < p->w.out; o++) outside |= (y[o] > 0) & (((double)y[o] < least) | ((double)y[o] > most));
  }
  return outside;
}

/* The gradients of a plane from ratios, for each cell of each window. */
THNN_KERNEL void ratioGradientPlane(real *restrict gx, const real *restrict x, const real *restrict g, const real *restrict y,
                                    const Space *p, const Power *power)
{
  const Axis h = p->h, w = p->w;
  const double q = power->p - 1, below = belowZero(power);
  memset(gx, 0, (size_t)(h.in * w.in) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out, g += w.out)
    for (int64_t r = windowStart(&h, oh); r < windowEnd(&h, oh); r++)
      for (int64_t j = 0; j < w.kernel; j++) {
        const real *xr = x + r * w.in + j - w.pad;
        real *to = gx + r * w.in + j - w.pad;
        const int64_t end = endInside(&w, j);
        for (int64_t ow = firstInside(&w, j); ow < end; ow++) {
          const real cell = xr[ow * w.stride], a = real_abs(cell);
          const double power = vm_exp(q * vm_log((double)a / y[ow])), ratio = a == y[ow] ? 1 : power;
          const real part = (real)(g[ow] * ratio * (cell < 0 ? below : 1));
          to[ow * w.stride] += ((cell == 0) | (y[ow] == 0) | (ratio == 0)) ? 0 : part;
        }
      }
}

/* The gradient of cells that no window reads is 0, even if they are NaN or infinite. */
static void clearUnseen(real *gx, const Space *p)
{
  const Axis h = p->h, w = p->w;
  for (int64_t oh = 0; oh < h.out; oh++) {
    const int64_t from = windowEnd(&h, oh), to = oh + 1 < h.out ? windowStart(&h, oh + 1) : h.in;
    if (from < to) memset(gx + from * w.in, 0, (size_t)((to - from) * w.in) * sizeof(real));
  }
  for (int64_t ow = 0; ow < w.out; ow++) {
    const int64_t from = windowEnd(&w, ow), to = ow + 1 < w.out ? windowStart(&w, ow + 1) : w.in;
    for (int64_t r = 0; r < h.in && from < to; r++) memset(gx + r * w.in + from, 0, (size_t)(to - from) * sizeof(real));
  }
}

void THNN_(spreadNorms)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p, const Power *power)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane * (power->kind == LOGARITHM ? 8 : 1) + outputs * p->w.kernel));
  const int64_t length = spreadScratch(p);
  real *memory = THNN_scratch(call, threads * length, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *to = gx + i * plane;
    const real *cells = x + i * plane, *gradients = g + i * outputs, *norms = y + i * outputs;
    if (needsRatios(norms, p, power)) ratioGradientPlane(to, cells, gradients, norms, p, power);
    else {
      normGradientPlane(to, cells, gradients, norms, p, power, memory + THNN_threadId() * length);
      clearUnseen(to, p);
    }
  }
}

/* ---- p = infinity */

THNN_INLINE real magnitude(real x) { return x < 0 ? -x : x; }

/* The largest magnitudes; NaN is larger than all. */
THNN_KERNEL void largestPlane(real *restrict y, const real *restrict x, const Space *p)
{
  const Axis h = p->h, w = p->w;
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out) {
    memset(y, 0, (size_t)w.out * sizeof(real));
    for (int64_t r = windowStart(&h, oh); r < windowEnd(&h, oh); r++)
      for (int64_t j = 0; j < w.kernel; j++) {
        const real *xr = x + r * w.in + j - w.pad;
        const int64_t end = endInside(&w, j);
        for (int64_t ow = firstInside(&w, j); ow < end; ow++) {
          const real a = magnitude(xr[ow * w.stride]);
          y[ow] = ((a > y[ow]) | (a != a)) ? a : y[ow];
        }
      }
  }
}

/* `share` is a row of what each of a window's largest cells gets, or in a window with a NaN all of its cells. */
THNN_KERNEL void largestGradientPlane(real *restrict gx, const real *restrict x, const real *restrict g, const real *restrict y,
                                      const Space *p, real *restrict share)
{
  const Axis h = p->h, w = p->w;
  memset(gx, 0, (size_t)(h.in * w.in) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out, g += w.out)
    for (int pass = 0; pass < 2; pass++) {
      if (pass == 0) memset(share, 0, (size_t)w.out * sizeof(real));
      else
        for (int64_t ow = 0; ow < w.out; ow++) share[ow] = y[ow] != y[ow] ? y[ow] : g[ow] / share[ow];
      for (int64_t r = windowStart(&h, oh); r < windowEnd(&h, oh); r++)
        for (int64_t j = 0; j < w.kernel; j++) {
          const real *xr = x + r * w.in + j - w.pad;
          real *to = gx + r * w.in + j - w.pad;
          const int64_t end = endInside(&w, j);
          for (int64_t ow = firstInside(&w, j); ow < end; ow++) {
            const real cell = xr[ow * w.stride];
            const int isLargest = (magnitude(cell) == y[ow]) | (y[ow] != y[ow]);
            if (pass == 0) share[ow] += isLargest;
            else if (isLargest && cell != 0) to[ow * w.stride] += cell < 0 ? -share[ow] : share[ow];
          }
        }
    }
}

void THNN_(largestNorms)(Call *call, real *y, const real *x, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) largestPlane(y + i * outputs, x + i * plane, p);
}

void THNN_(spreadLargest)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), row = THNN_perThread(p->w.out);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *share = THNN_scratch(call, threads * row, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    largestGradientPlane(gx + i * plane, x + i * plane, g + i * outputs, y + i * outputs, p, share + THNN_threadId() * row);
}

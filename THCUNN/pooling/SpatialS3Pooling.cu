/* The kernels of SpatialS3Pooling. Checks and functions are those of the C file, which ends this one.
 *
 * One thread computes a maximum where it is needed. Means are computed over columns first, for every row of M, then over rows. Their
 * gradient is computed in the opposite order for each element of M, and each cell gathers it from there. */
#include "pooling/best.cuh"
#include "pooling/MaxPooling.cuh"
#include "pooling/mix.h"
#include "pooling/SpatialS3Pooling.h"

int64_t THNN_(s3Limit)(const Space *) { return 0; }

/* M at (h, w): its value, and which cell of the plane it is. */
__device__ static Best largestFrom(const real *plane, const Space &p, int64_t h, int64_t w)
{
  const int64_t bottom = THNN_min(h + p.h.kernel, p.h.in), right = THNN_min(w + p.w.kernel, p.w.in);
  Best best = {0, -1};
  for (int64_t i = h; i < bottom; i++)
    for (int64_t j = w; j < right; j++) best = better(best, Best{(accreal)plane[i * p.w.in + j], i * p.w.in + j});
  return best;
}

/* ---- the choice along an axis */

__global__ static void fillMixes(Mix mix, Axis a, const index_t *choice)
{
  for (int64_t o = firstThread(); o < a.out; o += allThreads()) fillMix(mix, &a, choice, o);
}

static Mix mixOnDevice(Call *call, const Axis *a, const index_t *choice)
{
  const Mix mix = newMix(call, a, choice);
  launch(call, blocksFor(a->out), BLOCK, fillMixes, mix, *a, choice);
  return mix;
}

namespace {

/* The outputs that may take what cell i is part of: looked up, or where there is no axis the only one. */
struct Looked {
  int64_t *from, *to;
  __device__ int64_t firstReached(int64_t i) const { return from ? from[i] : 0; }
  __device__ int64_t endReached(int64_t i) const { return from ? to[i] : 1; }
};

} // namespace

/* Cell i is part of M at `reach` places, the last of them i. */
__global__ static void findOutputs(Looked outputs, Mix mix, Axis a, int64_t reach)
{
  for (int64_t i = firstThread(); i < a.in; i += allThreads()) {
    int64_t first = a.out, end = 0;
    for (int64_t o = 0; o < a.out; o++)
      if (mix.first[o] <= i && i < mix.first[o] + mix.count[o] + reach - 1) {
        first = THNN_min(first, o);
        end = o + 1;
      }
    outputs.from[i] = first;
    outputs.to[i] = end;
  }
}

static Looked listOutputs(Call *call, const Mix &mix, const Axis *a, int64_t reach)
{
  int64_t *memory = THNN_scratch(call, 2 * a->in, sizeof(int64_t));
  const Looked outputs = {memory, memory + a->in};
  launch(call, blocksFor(a->in), BLOCK, findOutputs, outputs, mix, *a, reach);
  return outputs;
}

/* The weight of cell i for output o. */
__device__ static accreal mixWeight(const Mix &mix, int64_t o, int64_t i)
{
  const int64_t k = i - mix.first[o];
  return k >= 0 && k < mix.count[o] ? (accreal)mix.weight[o * mix.span + k] : 0;
}

/* ---- training */

__global__ static void chooseMaxima(real *y, index_t *index, const real *x, const index_t *rows, const index_t *columns, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads()) {
    const int64_t row = rows[i % outputs / p.w.out], column = columns[i % p.w.out];
    const bool exists = row >= 0 && row < p.h.in && column >= 0 && column < p.w.in;
    const Best best = exists ? largestFrom(x + i / outputs * cells, p, row, column) : Best{0, -1};
    y[i] = (real)best.value;
    if (index) index[i] = best.at;
  }
}

void THNN_(s3Choose)(Call *call, real *y, index_t *index, const real *x, const index_t *rows, const index_t *columns, const Space *p)
{
  launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, chooseMaxima, y, index, x, rows, columns, *p);
}

void THNN_(s3SpreadChosen)(Call *call, real *gx, const real *g, const index_t *index, const index_t *rows, const index_t *columns,
                           const Space *p)
{
  const Mix mixR = mixOnDevice(call, &p->h, rows), mixC = mixOnDevice(call, &p->w, columns);
  const Looked none = {}, lookR = listOutputs(call, mixR, &p->h, p->h.kernel), lookC = listOutputs(call, mixC, &p->w, p->w.kernel);
  launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherMaxima<real, int64_t, Looked>, gx, g, index, Windows<int64_t>(*p), none, lookR, lookC);
}

/* ---- evaluation */

/* means[h][ow] = the mean of row h of M over the columns that output ow takes */
__global__ static void mixColumns(accreal *means, const real *x, Space p, Mix columns)
{
  const int64_t cells = planeCells(&p), row = p.w.out, n = p.h.in * row;
  for (int64_t i = firstThread(); i < p.planes * n; i += allThreads()) {
    const int64_t ow = i % row, h = i % n / row;
    accreal sum = 0;
    for (int64_t k = 0; k < columns.count[ow]; k++)
      sum += (accreal)columns.weight[ow * columns.span + k] * largestFrom(x + i / n * cells, p, h, columns.first[ow] + k).value;
    means[i] = sum;
  }
}

__global__ static void mixRows(real *y, const accreal *means, Space p, Mix rows)
{
  const int64_t outputs = planeOutputs(&p), out = p.w.out;
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads()) {
    const int64_t oh = i % outputs / out;
    const accreal *from = means + (i / outputs * p.h.in + rows.first[oh]) * out + i % out;
    accreal sum = 0;
    for (int64_t k = 0; k < rows.count[oh]; k++) sum += (accreal)rows.weight[oh * rows.span + k] * from[k * out];
    y[i] = (real)sum;
  }
}

void THNN_(s3Mix)(Call *call, real *y, const real *x, const index_t *rows, const index_t *columns, const Space *p)
{
  const int64_t n = p->planes * p->h.in * p->w.out;
  accreal *means = THNN_scratch(call, n, sizeof(accreal));
  const Mix mixR = mixOnDevice(call, &p->h, rows), mixC = mixOnDevice(call, &p->w, columns);
  launch(call, blocksFor(n), BLOCK, mixColumns, means, x, *p, mixC);
  launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, mixRows, y, (const accreal *)means, *p, mixR);
}

/* means[h][ow] = what row h gets for column ow of g */
__global__ static void spreadRows(accreal *means, const real *g, Space p, Mix rows, Looked outputs)
{
  const int64_t out = p.w.out, n = p.h.in * out;
  for (int64_t i = firstThread(); i < p.planes * n; i += allThreads()) {
    const int64_t h = i % n / out;
    accreal sum = 0;
    for (int64_t oh = outputs.firstReached(h); oh < outputs.endReached(h); oh++)
      sum += mixWeight(rows, oh, h) * (accreal)g[(i / n * p.h.out + oh) * out + i % out];
    means[i] = sum;
  }
}

/* mixed = what each place of M gets, at = which cell that is for */
__global__ static void spreadColumns(accreal *mixed, index_t *at, const real *x, const accreal *means, Space p, Mix columns,
                                     Looked outputs)
{
  const int64_t cells = planeCells(&p), width = p.w.in;
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t w = i % width;
    accreal sum = 0;
    for (int64_t ow = outputs.firstReached(w); ow < outputs.endReached(w); ow++) sum += mixWeight(columns, ow, w) * means[i / width * p.w.out + ow];
    mixed[i] = sum;
    at[i] = largestFrom(x + i / cells * cells, p, i % cells / width, w).at;
  }
}

void THNN_(s3SpreadMixed)(Call *call, real *gx, const real *x, const real *g, const index_t *rows, const index_t *columns,
                          const Space *p)
{
  const int64_t cells = planeCells(p), n = p->planes * p->h.in * p->w.out;
  accreal *means = THNN_scratch(call, n, sizeof(accreal)), *mixed = THNN_scratch(call, p->planes * cells, sizeof(accreal));
  index_t *at = THNN_scratch(call, p->planes * cells, sizeof(int64_t));
  const Mix mixR = mixOnDevice(call, &p->h, rows), mixC = mixOnDevice(call, &p->w, columns);
  const Looked lookR = listOutputs(call, mixR, &p->h, 1), lookC = listOutputs(call, mixC, &p->w, 1);
  launch(call, blocksFor(n), BLOCK, spreadRows, means, g, *p, mixR, lookR);
  launch(call, blocksFor(p->planes * cells), BLOCK, spreadColumns, mixed, at, x, (const accreal *)means, *p, mixC, lookC);
  const int64_t pool = p->h.kernel; /* M: windows that begin at every cell */
  const Axis h = {p->h.in, p->h.in, pool, 1, 0, 1}, w = {p->w.in, p->w.in, pool, 1, 0, 1};
  const Space everywhere = {2, 0, p->planes, p->t, h, w};
  withWindows(&everywhere, [&]<class Int>(const Windows<Int> &windows) {
    launch(call, blocksFor(p->planes * cells), BLOCK, gatherMaxima<accreal, Int, Along<Int>>, gx, (const accreal *)mixed, (const index_t *)at,
           windows, windows.t, windows.h, windows.w);
  });
}

#include "pooling/SpatialS3Pooling.c"

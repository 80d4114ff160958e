/* The fast loops of convolutions with kernels between single channels, on the host.
 *
 * A task is a block of rows of one channel, computed from all channels that are connected with it. These are packed so that a kernel cell
 * is one offset, whatever the position (SpatialDepthWiseConvolution_input.h), and SpatialDepthWiseConvolution_kernels.h computes rows. If x
 * is written, each of its stride phases is computed alone, by the kernel cells that belong to it.
 *
 * The order of additions does not depend on the number of threads. */
#include "convolution/SpatialDepthWiseConvolution_input.h"
#include "convolution/SpatialDepthWiseConvolution_kernels.h"
#include "core/sums.h"

static const RowKernels *bestKernels(void) { return THNN_BEST(THNN_(rowKernels), THNN_(rowKernelsAvx2), THNN_(rowKernelsAvx512)); }

static int threadsFor(const Call *call, const ChannelConvolution *conv)
{
  const KernelGeometry *t = &conv->geometry;
  const int64_t positions = conv->samples * t->oHeight * t->oWidth, cellCount = conv->connections * t->kH * t->kW;
  return THNN_threads(call, THNN_min(positions, 1 << 20) * THNN_min(cellCount, 1 << 10));
}

/* ---- connections by channel */

/* The connections of each channel (CSR): those of channel p are connection[start[p]] to connection[start[p + 1] - 1], in the order of the
 * table. */
typedef struct SortedConnections {
  const ChannelConvolution *conv;
  int toLarger;
  int64_t planes, most;  /* channels; connections of one, at most */
  int64_t *connection, *start; /* NULL: each channel has `most` connections of its own */
} SortedConnections;

static SortedConnections sortConnections(Call *call, const ChannelConvolution *conv, int toLarger)
{
  SortedConnections s = {conv, toLarger, toLarger ? conv->xChannels : conv->yChannels, 0, NULL, NULL};
  if (!conv->xChannel) {
    s.most = conv->connections / s.planes;
    return s;
  }
  const index_t *plane = toLarger ? conv->xChannel : conv->yChannel;
  int64_t *start = s.start = THNN_scratch(call, s.planes + 1, sizeof(int64_t));
  s.connection = THNN_scratch(call, conv->connections, sizeof(int64_t));
  if (!THNN_ready(call)) return s;
  memset(start, 0, (size_t)(s.planes + 1) * sizeof(int64_t));
  for (int64_t l = 0; l < conv->connections; l++) start[plane[l] + 1]++;
  for (int64_t p = 0; p < s.planes; p++) {
    s.most = THNN_max(s.most, start[p + 1]);
    start[p + 1] += start[p];
  }
  for (int64_t l = 0; l < conv->connections; l++) s.connection[start[plane[l]]++] = l;
  for (int64_t p = s.planes; p > 0; p--) start[p] = start[p - 1];
  start[0] = 0;
  return s;
}

static int64_t connectionCount(const SortedConnections *s,
                               int64_t plane) { return s->start ? s->start[plane + 1] - s->start[plane] : s->most; }

/* Connection number q of a channel. */
static Connection sortedConnection(const SortedConnections *s, int64_t plane, int64_t q)
{
  return getConnection(s->conv, s->start ? s->connection[s->start[plane] + q] : plane * s->most + q);
}

/* ---- output and gradInput */

/* The scratch memory of a thread. */
typedef struct ThreadScratch {
  real *packed, *weights, *sums;
} ThreadScratch;

/* A pass, whose tasks share this. */
typedef struct Pass {
  const ChannelConvolution *conv;
  const RowKernels *loops;
  SortedConnections sorted;
  PackedLayout l;
  const real *from, *kernels, *bias;
  real *to;
} Pass;

/* x[h][b * dW + s - padW] = sums[a][b], for the rows and columns of stride phase (r, s) */
THNN_KERNEL void storePhase(real *restrict to, const real *restrict sums, int64_t rows, int64_t columns, int64_t row, int64_t toRow,
                            int64_t step)
{
  for (int64_t a = 0; a < rows; a++, sums += row, to += toRow)
    if (step == 1) memcpy(to, sums, (size_t)columns * sizeof(real));
    else if (step == 2)
      for (int64_t b = 0; b < columns; b++) to[b * 2] = sums[b];
    else
      for (int64_t b = 0; b < columns; b++) to[b * step] = sums[b];
}

/* Packs the channels of connections [first, end) of a channel, one after the other. */
static void packConnections(const Pass *m, ThreadScratch *d, int64_t sample, int64_t plane, int64_t first, int64_t end, int64_t row,
                            int64_t rows)
{
  const ChannelConvolution *n = m->conv;
  for (int64_t q = first; q < end; q++) {
    const Connection connection = sortedConnection(&m->sorted, plane, q);
    const real *x = m->l.toLarger ? m->from + yIndex(n, sample, connection.yChannel, 0, 0) : m->from + xIndex(n, sample, connection.xChannel, 0, 0);
    packChannel(&m->l, d->packed + (q - first) * m->l.channelStride, x, row, rows);
  }
}

/* Computes the rows of one stride phase, or of a channel of y, over connections [first, end), whose channels are packed. */
static void convolvePhase(const Pass *m, ThreadScratch *d, int64_t plane, int64_t first, int64_t end, int64_t firstCell, int64_t cellCount,
                          RowSums s)
{
  const int64_t cells = m->conv->geometry.kH * m->conv->geometry.kW;
  real *weight = d->weights;
  for (int64_t q = first; q < end; q++) {
    const real *kernel = m->kernels + sortedConnection(&m->sorted, plane, q).kernel * cells;
    for (int64_t k = 0; k < cellCount; k++) *weight++ = kernel[m->l.cell[firstCell + k]];
  }
  s.rowLength = m->l.rowLength;
  s.offset = m->l.offset + firstCell * m->l.packedChannels;
  s.weight = d->weights;
  s.depth = (end - first) * cellCount;
  m->loops->convolveRows(&s);
}

/* Computes rows [row, row + rows) of a channel, or of all its stride phases. */
static void computeRowBlock(const Pass *m, ThreadScratch *d, int64_t sample, int64_t plane, int64_t row, int64_t rows)
{
  const KernelGeometry *t = &m->conv->geometry;
  const PackedLayout *l = &m->l;
  const int64_t count = connectionCount(&m->sorted, plane), packedChannels = l->packedChannels, lanes = m->loops->lanes;
  const int64_t dH = l->toLarger ? t->dH : 1, dW = l->toLarger ? t->dW : 1, padH = l->toLarger ? t->padH : 0;
  const int64_t padW = l->toLarger ? t->padW : 0;
  const int64_t height = l->toLarger ? t->height : t->oHeight, width = l->toLarger ? t->width : t->oWidth;
  const int64_t begin = THNN_max(0, row * dH - padH), end = THNN_min(height, (row + rows) * dH - padH);
  real *y = m->to + (l->toLarger ? xIndex(m->conv, sample, plane, 0, 0) : yIndex(m->conv, sample, plane, 0, 0));
  const int64_t biasIndex = m->conv->xChannel ? plane : sortedConnection(&m->sorted, plane, 0).kernel;
  const THNN_REAL start = m->bias ? m->bias[biasIndex] : 0;
  const int writesOutput = storesDirectly(l, count);
  if (dH > t->kH || dW > t->kW || count == 0)
    for (int64_t i = begin * width; i < end * width; i++) y[i] = start; /* some cells are connected with no kernel cell */
  for (int64_t first = 0; first < count; first += packedChannels) {
    const int64_t last = THNN_min(first + packedChannels, count);
    packConnections(m, d, sample, plane, first, last, row, rows);
    real *sums = d->sums;
    for (int64_t r = 0, firstCell = 0; r < THNN_min(t->kH, dH); r++)
      for (int64_t s = 0; s < THNN_min(t->kW, dW); s++) {
        const int64_t cellCount = THNN_ceilDiv(t->kH - r, dH) * THNN_ceilDiv(t->kW - s, dW);
        /* Its rows and columns that are within the channel. */
        const int64_t a = THNN_max(row, THNN_ceilDiv(padH - r, dH)), aEnd = THNN_min(row + rows, THNN_ceilDiv(height + padH - r, dH));
        const int64_t b = THNN_max(l->toLarger ? l->firstColumn : 0, THNN_ceilDiv(padW - s, dW)), bEnd = THNN_ceilDiv(width + padW - s, dW);
        const real *x = d->packed + (a - row) * l->rowLength + b - (l->toLarger ? l->firstColumn : 0);
        real *inY = y + (a * dH + r - padH) * width + b * dW + s - padW;
        RowSums of = {.height = aEnd - a, .width = bEnd - b, .x = x, .start = start, .add = first > 0};
        of.y = writesOutput ? inY : sums;
        of.yRowLength = writesOutput ? of.width : THNN_ceilDiv(of.width, lanes) * lanes + lanes;
        if (of.height > 0 && of.width > 0) {
          convolvePhase(m, d, plane, first, last, firstCell, cellCount, of);
          if (!writesOutput && last == count) storePhase(inY, sums, of.height, of.width, of.yRowLength, dH * width, dW);
        }
        sums += of.height > 0 ? of.height * of.yRowLength : 0;
        firstCell += cellCount;
      }
  }
}

/* Computes all channels of one side from those of the other: first the bias of the channel, or zero, then one connection after the other.
 * Without a table, a channel of y has one connection, whose kernel has the number of its bias. */
static void computeChannels(Call *call, const ChannelConvolution *conv, int toLarger, const real *from, real *to, const real *kernels,
                            const real *bias)
{
  const KernelGeometry *t = &conv->geometry;
  Pass m = {conv, bestKernels(), sortConnections(call, conv, toLarger), {0}, from, kernels, bias, to};
  if (!THNN_ready(call)) return;
  m.l = planLayout(call, conv, toLarger, m.sorted.most);
  const PackedLayout *l = &m.l;
  const int threads = threadsFor(call, conv);
  const int64_t phases = toLarger ? THNN_min(t->kH, t->dH) * THNN_min(t->kW, t->dW) : 1;
  const int64_t packed = THNN_perThread(l->packedChannels * l->channelStride + 2 * MAX_LANES);
  const int64_t weights = THNN_perThread(l->packedChannels * t->kH * t->kW);
  const int64_t sums = storesDirectly(l, m.sorted.most) ? 0 : THNN_perThread(phases * (l->rows + 1) * (l->rowLength + 2 * MAX_LANES));
  real *memory = THNN_scratch(call, threads * (packed + weights + sums), sizeof(real));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
  for (int64_t task = 0; task < conv->samples * m.sorted.planes * l->rowBlocks; task++) {
    const int64_t sample = task / l->rowBlocks / m.sorted.planes, plane = task / l->rowBlocks % m.sorted.planes;
    const int64_t row = l->begin + task % l->rowBlocks * l->rows;
    real *threadMemory = memory + THNN_threadId() * (packed + weights + sums);
    ThreadScratch d = {threadMemory, threadMemory + packed, threadMemory + packed + weights};
    if (row < l->end) computeRowBlock(&m, &d, sample, plane, row, THNN_min(l->rows, l->end - row));
  }
}

/* ---- gradients */

/* gradKernels += scale * the gradients of all kernels */
static void addGradWeight(Call *call, const ChannelConvolution *conv, const real *larger, const real *smaller, real *gradKernels,
                          double scale)
{
  const KernelGeometry *t = &conv->geometry;
  const RowKernels *loops = bestKernels();
  const PackedLayout l = planLayout(call, conv, 0, 1);
  const int threads = threadsFor(call, conv);
  const int64_t cells = t->kH * t->kW, needsPaddedRows = t->oWidth < loops->lanes;
  const int64_t packed = THNN_perThread(l.channelStride + 2 * MAX_LANES);
  const int64_t paddedRows = THNN_perThread(needsPaddedRows ? l.rows * MAX_LANES : 0);
  const int64_t sums = THNN_perThread(cells * MAX_LANES);
  real *memory = THNN_scratch(call, threads * (packed + paddedRows), sizeof(real));
  double *allSums = THNN_scratch(call, threads * sums, sizeof(double));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
  for (int64_t number = 0; number < conv->connections; number++) {
    const Connection connection = getConnection(conv, number);
    real *x = memory + THNN_threadId() * (packed + paddedRows), *yRows = x + packed;
    double (*sum)[MAX_LANES] = (double (*)[MAX_LANES])(allSums + THNN_threadId() * sums);
    memset(sum, 0, (size_t)cells * sizeof *sum);
    for (int64_t task = 0; task < conv->samples * l.rowBlocks; task++) {
      const int64_t sample = task / l.rowBlocks, row = task % l.rowBlocks * l.rows, rows = THNN_min(l.rows, t->oHeight - row);
      const real *y = smaller + yIndex(conv, sample, connection.yChannel, row, 0);
      if (rows <= 0) continue;
      packChannel(&l, x, larger + xIndex(conv, sample, connection.xChannel, 0, 0), row, rows);
      if (needsPaddedRows) {
        memset(yRows, 0, (size_t)(rows * MAX_LANES) * sizeof(real));
        for (int64_t r = 0; r < rows; r++)
          for (int64_t w = 0; w < t->oWidth; w++) yRows[r * MAX_LANES + w] = y[r * t->oWidth + w];
      }
      loops->correlateRows(sum, cells, l.offset, x, l.rowLength, needsPaddedRows ? yRows : y, needsPaddedRows ? MAX_LANES : t->oWidth, rows,
                           t->oWidth);
    }
    for (int64_t k = 0; k < cells; k++) {
      double total = 0;
      for (int lane = 0; lane < MAX_LANES; lane++) total += sum[k][lane];
      /* Cells outside x count as 0, but 0 times infinity is NaN. */
      if (!__builtin_isfinite(total)) total = kernelGradient(conv, connection, larger, smaller, l.cell[k] / t->kW, l.cell[k] % t->kW);
      gradKernels[connection.kernel * cells + l.cell[k]] += (real)(scale * total);
    }
  }
}

THNN_KERNEL double sumRow(const real *x, int64_t n) { return sumCells(x, n); }

/* bias[o] += scale * the sum of channel o. Without a table, the only connection of the channel has the number of its bias. */
static void addGradBias(const Call *call, const ChannelConvolution *conv, const real *g, real *gradBias, double scale)
{
  const KernelGeometry *t = &conv->geometry;
  const int64_t planes = conv->full ? conv->xChannels : conv->yChannels, size = conv->full ? t->height * t->width : t->oHeight * t->oWidth;
  const int threads = threadsFor(call, conv);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < planes; o++) {
    double sum = 0;
    for (int64_t n = 0; n < conv->samples; n++) sum += sumRow(g + (n * planes + o) * size, size);
    gradBias[conv->xChannel ? o : getConnection(conv, o).kernel] += (real)(scale * sum);
  }
}

void THNN_(connectedForward)(Call *call, const ChannelConvolution *n, const real *x, real *y, const real *w, const real *b)
{
  computeChannels(call, n, n->full, x, y, w, b);
}

void THNN_(connectedBackward)(Call *call, const ChannelConvolution *n, const real *g, real *gx, const real *w)
{
  computeChannels(call, n, !n->full, g, gx, w, NULL);
}

void THNN_(connectedGradients)(Call *call, const ChannelConvolution *n, const real *x, const real *g, real *gw, real *gb, double scale)
{
  addGradWeight(call, n, n->full ? g : x, n->full ? x : g, gw, scale);
  if (gb && THNN_ready(call)) addGradBias(call, n, g, gb, scale); /* otherwise there was no memory for the gradients of the kernels */
}

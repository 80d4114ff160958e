/* The kernels of the bilinear grid sampler. Checks and functions are those of the C file, which ends this one.
 *
 * Forward: a thread has an output of PLANES channels, which all read at one position. gradInput: the outputs are sorted by the square of four
 * cells that they read; then a thread has a cell of PLANES channels, and adds the outputs of the four squares around it in their
 * order. So its bits are the same in every run, without atomics; the sort costs less than the sums unless channels are few.
 * gradGrid: a warp has neighbouring outputs, and the warps of a block share the channels. */
#include "core/sort.h"
#include "sampling/SpatialGridSamplerBilinear.h"

enum { PLANES = 8 };

__device__ static accreal cellOrZero(const real *x, int32_t cell) { return cell >= 0 ? (accreal)x[cell] : 0; }

__global__ static void sampleCells(real *y, const real *x, const real *positions, Sampling p)
{
  const int64_t cells = p.oheight * p.owidth, inputs = p.height * p.width, groups = THNN_ceilDiv(p.channels, PLANES);
  for (int64_t i = firstThread(); i < p.samples * groups * cells; i += allThreads()) {
    const int64_t o = i % cells, n = i / cells / groups, channel = i / cells % groups * PLANES;
    const real *mark = positions + 2 * (n * cells + o);
    const Position w = gridPosition((accreal)mark[0], p.width), h = gridPosition((accreal)mark[1], p.height);
    int32_t cell[4];
    accreal weight[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      cell[k] = cornerCell(&p, h, w, k);
      weight[k] = cell[k] >= 0 ? cornerWeight(h, w, k) : 0;
    }
    for (int64_t plane = n * p.channels + channel; plane < n * p.channels + THNN_min(channel + PLANES, p.channels); plane++) {
      accreal sum = 0;
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (weight[k] != 0) sum += weight[k] * (accreal)x[plane * inputs + cell[k]];
      y[plane * cells + o] = (real)sum;
    }
  }
}

void THNN_(sampleGrid)(Call *call, real *y, const real *x, const real *positions, const Sampling *p)
{
  const int64_t n = p->samples * THNN_ceilDiv(p->channels, PLANES) * p->oheight * p->owidth;
  launch(call, blocksFor(n), BLOCK, sampleCells, y, x, positions, *p);
}

/* The number of a square by its upper left cell, which may be one before the first of a row or column. */
__device__ static int64_t squareNumber(const Sampling &p, int64_t n, int64_t row, int64_t column)
{
  return (n * (p.height + 1) + row + 1) * (p.width + 1) + column + 1;
}

/* square = the square of cells that each output reads, -1 if it is outside. */
__global__ static void findSquares(int64_t *square, const real *positions, Sampling p)
{
  const int64_t cells = p.oheight * p.owidth;
  for (int64_t i = firstThread(); i < p.samples * cells; i += allThreads()) {
    const Position w = gridPosition((accreal)positions[2 * i], p.width), h = gridPosition((accreal)positions[2 * i + 1], p.height);
    square[i] = w.low < -1 || h.low < -1 ? -1 : squareNumber(p, i / cells, h.low, w.low);
  }
}

__global__ static void gatherOutputs(real *gx, const real *positions, const real *g, Sorted sorted, Sampling p)
{
  const int64_t cells = p.oheight * p.owidth, inputs = p.height * p.width, groups = THNN_ceilDiv(p.channels, PLANES);
  for (int64_t i = firstThread(); i < p.samples * groups * inputs; i += allThreads()) {
    const int64_t cell = i % inputs, n = i / inputs / groups, channel = i / inputs % groups * PLANES, plane = n * p.channels + channel;
    accreal sum[PLANES] = {};
    for (int k = 0; k < 4; k++) {
      const Range range = sorted.of[squareNumber(p, n, cell / p.width - k / 2, cell % p.width - k % 2)];
      for (int64_t at = range.first; at < range.end; at++) {
        const int64_t place = sorted.place[at];
        const Position w = gridPosition((accreal)positions[2 * place], p.width), h = gridPosition((accreal)positions[2 * place + 1], p.height);
        const accreal weight = cornerWeight(h, w, k);
        if (weight == 0) continue;
        const real *from = g + plane * cells + place - n * cells;
#pragma unroll
        for (int c = 0; c < PLANES; c++)
          if (channel + c < p.channels) sum[c] += weight * (accreal)from[c * cells];
      }
    }
#pragma unroll
    for (int c = 0; c < PLANES; c++)
      if (channel + c < p.channels) gx[(plane + c) * inputs + cell] = (real)sum[c];
  }
}

struct Slopes {
  accreal right[BLOCK / WARP][WARP], down[BLOCK / WARP][WARP];
};

__global__ static void addSlopes(real *gGrid, const real *x, const real *positions, const real *g, Sampling p)
{
  Slopes &slopes = shared<Slopes>();
  const int64_t cells = p.oheight * p.owidth, inputs = p.height * p.width, outputs = p.samples * cells;
  for (int64_t first = (int64_t)blockIdx.x * WARP; first < outputs; first += (int64_t)gridDim.x * WARP) {
    const int64_t i = first + laneId(), n = i / cells;
    accreal gRight = 0, gDown = 0;
    if (i < outputs) {
      const Position w = gridPosition((accreal)positions[2 * i], p.width), h = gridPosition((accreal)positions[2 * i + 1], p.height);
      const int32_t upLeft = cornerCell(&p, h, w, 0), upRight = cornerCell(&p, h, w, 1), left = cornerCell(&p, h, w, 2), right = cornerCell(&p, h, w, 3);
      const bool outside = (upLeft & upRight & left & right) < 0;
      for (int64_t channel = warpId(); channel < p.channels && !outside; channel += BLOCK / WARP) {
        const int64_t plane = n * p.channels + channel;
        const real *from = x + plane * inputs;
        const accreal a = cellOrZero(from, upLeft), b = cellOrZero(from, upRight), c = cellOrZero(from, left), d = cellOrZero(from, right);
        const accreal gradient = (accreal)g[plane * cells + i % cells];
        gRight += gradient * ((1 - h.fraction) * (b - a) + h.fraction * (d - c));
        gDown += gradient * ((1 - w.fraction) * (c - a) + w.fraction * (d - b));
      }
    }
    slopes.right[warpId()][laneId()] = gRight;
    slopes.down[warpId()][laneId()] = gDown;
    __syncthreads();
    if (warpId() == 0 && i < outputs) {
      for (int k = 1; k < BLOCK / WARP; k++) gRight += slopes.right[k][laneId()], gDown += slopes.down[k][laneId()];
      gGrid[2 * i] = (real)(gRight * (accreal)(p.width - 1) / 2);
      gGrid[2 * i + 1] = (real)(gDown * (accreal)(p.height - 1) / 2);
    }
    __syncthreads();
  }
}

void THNN_(sampleGridBackward)(Call *call, real *gx, real *gGrid, const real *x, const real *positions, const real *g, const Sampling *p)
{
  const int64_t outputs = p->samples * p->oheight * p->owidth, groups = THNN_ceilDiv(p->channels, PLANES);
  int64_t *square = THNN_scratch(call, outputs, sizeof(int64_t));
  launch(call, blocksFor(outputs), BLOCK, findSquares, square, positions, *p);
  const Sorted sorted = THNN_sorted(call, square, outputs, p->samples * (p->height + 1) * (p->width + 1));
  launch(call, blocksFor(p->samples * groups * p->height * p->width), BLOCK, gatherOutputs, gx, positions, g, sorted, *p);
  launch(call, blocksFor(outputs, WARP), BLOCK, addSlopes, gGrid, x, positions, g, *p);
}

#include "sampling/SpatialGridSamplerBilinear.c"

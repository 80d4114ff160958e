/* Layers that work along the channels of C, N x C, C x H x W or N x C x H x W, each position by itself (SoftMax, LogSoftMax): their
 * checks, and the distribution of the positions among threads.
 *
 * With H x W, neighbouring positions are side by side, and their channels H * W elements apart: a kernel gets a block of
 * neighbours and walks through the channels, so that its inner loops run over the block. Without H x W, a position's channels
 * are one contiguous row, and another kernel gets whole rows. Rows of few channels leave most of a vector empty, so that many of
 * them are transposed and become neighbours. Results may be stored over their inputs. */
#ifndef THNN_CHANNELS_H
#define THNN_CHANNELS_H

#include "core/prefetch.h"
#include "core/real.h"

#ifndef THNN_CUDA /* THCUNN/activation/channels.cuh has its own */
enum { THNN_BLOCK = 512 }; /* neighbours of a block at most: a kernel has an array of sums for them */

/* The operands of a kernel: y is computed from x, and in backward from the gradient g. The n positions are n rows of `channels`
 * elements, or n neighbours whose channels are `stride` elements apart. */
typedef struct Channels {
  real *y;
  const real *x, *g;
  int64_t n, channels, stride;
} Channels;

typedef void ChannelKernel(Channels c);

/* A channel's part of a block is too short for the hardware prefetcher. Kernels take it piece by piece, and prefetch the piece of the
 * next channel: `at` is the beginning of the piece in an array. */
enum { THNN_PIECE = 64 };
THNN_INLINE void fetchNext(const real *at, const Channels *c)
{
  THNN_prefetch(at, c->stride * (int64_t)sizeof(real), THNN_PIECE * sizeof(real));
}
#endif

static int32_t checkChannels(const char *f, const char *xName, View x, const char *yName, View y)
{
  THNN_TRY(THNN_checkInput(f, xName, x, 1, 4, "C, N x C, C x H x W or N x C x H x W"));
  return THNN_checkOutput(f, yName, y, x.nDimension, x.size);
}

static int32_t checkChannelGradients(const char *f, View input, View gradOutput, View gradInput, View output)
{
  THNN_TRY(checkChannels(f, "input", input, "gradInput", gradInput));
  THNN_TRY(THNN_checkShape(f, "gradOutput", gradOutput, input.nDimension, input.size));
  return THNN_checkShape(f, "output", output, input.nDimension, input.size);
}

#ifndef THNN_CUDA
/* to (rows x columns) = the transpose of from (columns x rows) */
THNN_KERNEL void transpose(real *restrict to, const real *restrict from, int64_t rows, int64_t columns)
{
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) to[r * columns + c] = from[c * rows + r];
}

/* Runs a kernel of neighbours on the rows of c. `tile` has room for twice as many elements. */
static void runTransposed(ChannelKernel *neighbours, Channels c, real *tile)
{
  real *x = tile, *g = tile + c.n * c.channels;
  transpose(x, c.x, c.channels, c.n);
  if (c.g) transpose(g, c.g, c.channels, c.n);
  neighbours((Channels){x, x, c.g ? g : NULL, c.n, c.channels, c.n});
  transpose(c.y, x, c.n, c.channels);
}

/* Runs the kernels on checked tensors; forward has no g. */
static int32_t alongChannels(const char *f, THNNState *state, ChannelKernel *rows, ChannelKernel *neighbours, View y, View x,
                             View g)
{
  enum {
    MIN_ROW_CHANNELS = 32,    /* rows of fewer channels are transposed */
    MAX_DIRECT_ROWS = 8,      /* up to so many rows are not */
    TRANSPOSED_ROWS = 64,     /* rows that are transposed together */
    TASK_ROW_ELEMENTS = 4096, /* elements of rows that are not transposed */
  };
  const int32_t d = x.nDimension % 2 == 0;
  const int64_t batch = d ? x.size[0] : 1, channels = x.size[d];
  const int64_t plane = x.nDimension >= 3 ? x.size[d + 1] * x.size[d + 2] : 1;
  const int inRows = plane == 1, isTransposed = inRows && channels < MIN_ROW_CHANNELS && batch > MAX_DIRECT_ROWS;
  /* Rows are all of one kind; neighbours end where their plane does. */
  const int64_t groups = inRows ? 1 : batch, positions = inRows ? batch : plane, step = inRows ? channels : 1;
  const int64_t block = !inRows ? THNN_BLOCK : (isTransposed ? TRANSPOSED_ROWS : THNN_max(1, TASK_ROW_ELEMENTS / THNN_max(channels, 1)));
  const int64_t blocks = THNN_ceilDiv(positions, block), tileSize = isTransposed ? THNN_perThread(2 * TRANSPOSED_ROWS * channels) : 0;

  Call call;
  THNN_enter(&call, state, f);
  call.inplace = 1;
  const int threads = THNN_threads(&call, 4 * THNN_nElement(x));
  const real *from = THNN_in(&call, x), *gradient = THNN_in(&call, g);
  real *to = THNN_out(&call, y);
  real *tiles = isTransposed ? THNN_scratch(&call, threads * tileSize, sizeof(real)) : NULL;
  if (!THNN_ready(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < groups * blocks; i++) {
    const int64_t first = i % blocks * block, at = i / blocks * channels * plane + first * step;
    const int64_t n = THNN_min(block, positions - first);
    const Channels c = {to + at, from + at, gradient ? gradient + at : NULL, n, channels, plane};
    if (isTransposed) runTransposed(neighbours, c, tiles + THNN_threadId() * tileSize);
    else (inRows ? rows : neighbours)(c);
  }
  return THNN_leave(&call);
}
#endif

#endif

/* Planes of some channels as rows: what belongs to a cell stands side by side, so that wherever the cell is, all channels of it are
 * read at once and treated in vectors. The length of a row, `lanes`, is known where these functions are inlined. */
#ifndef THNN_SAMPLING_CHANNELS_H
#define THNN_SAMPLING_CHANNELS_H

#include "core/real.h"

#ifndef THNN_CUDA
/* Channels in a group: a cache line of them; in a row, that many, few or one. Cells that are turned at a time. */
enum {
  MOST_CHANNELS = 64 / sizeof(THNN_REAL),
  FEW_CHANNELS = 4,
  TURNED = 64,
};

static inline int64_t groupsOf(int64_t channels) { return THNN_ceilDiv(channels, MOST_CHANNELS); }
static inline int64_t longestRow(int64_t channels) { return channels > FEW_CHANNELS ? MOST_CHANNELS : (channels > 1 ? FEW_CHANNELS : 1); }

/* Unrolled along the row, these loops become shuffles of whole vectors. */
THNN_INLINE void joinCells(THNN_REAL *restrict rows, const real *const *restrict plane, int64_t n, int lanes)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < lanes; c++) rows[i * lanes + c] = plane[c][i];
}

THNN_INLINE void splitCells(real *const *restrict plane, const THNN_REAL *restrict rows, int64_t n, int lanes)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < lanes; c++) plane[c][i] = rows[i * lanes + c];
}

/* n cells of `channels` <= lanes planes, which are `stride` elements apart, to rows; 0 where there is no channel. */
THNN_INLINE void joinPlanes(THNN_REAL *restrict rows, const real *restrict x, int64_t stride, int64_t channels, int64_t n,
                            int lanes)
{
  const THNN_REAL none[TURNED] = {0};
  for (int64_t first = 0; first < n; first += TURNED) {
    const real *plane[MOST_CHANNELS];
    for (int c = 0; c < lanes; c++) plane[c] = c < channels ? x + c * stride + first : none;
    joinCells(rows + first * lanes, plane, THNN_min(TURNED, n - first), lanes);
  }
}

/* And back. */
THNN_INLINE void splitPlanes(real *restrict y, const THNN_REAL *restrict rows, int64_t stride, int64_t channels, int64_t n,
                             int lanes)
{
  THNN_REAL none[TURNED];
  for (int64_t first = 0; first < n; first += TURNED) {
    real *plane[MOST_CHANNELS];
    for (int c = 0; c < lanes; c++) plane[c] = c < channels ? y + c * stride + first : none;
    splitCells(plane, rows + first * lanes, THNN_min(TURNED, n - first), lanes);
  }
}
#endif

#endif

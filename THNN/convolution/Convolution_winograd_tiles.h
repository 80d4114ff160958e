/* Winograd's transforms on vectors of TILES tiles of one row of tiles. Convolution_winograd.h includes this file for each number. */
#define TILED_(name, tiles) name##_##tiles
#define TILED(name, tiles) TILED_(name, tiles)
#define Tiles TILED(Tiles, TILES)
#define AnyTiles TILED(AnyTiles, TILES)
#define transformInputAxis TILED(transformInputAxis, TILES)
#define transformOutputAxis TILED(transformOutputAxis, TILES)
#define splitRowIntoPhases TILED(splitRowIntoPhases, TILES)
#define transformInputChannel TILED(transformInputChannel, TILES)
#define transformOutputChannel TILED(transformOutputChannel, TILES)
#define transformIn TILED(transformIn, TILES)
#define transformOut TILED(transformOut, TILES)
#if TILES == 8
#define EVEN(a, b) THNN_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b) THNN_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW(a, b) THNN_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) THNN_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define EVEN(a, b) THNN_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) THNN_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define LOW(a, b) THNN_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) THNN_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#endif

typedef THNN_REAL Tiles __attribute__((vector_size(TILES * sizeof(THNN_REAL))));
typedef Tiles AnyTiles __attribute__((aligned(1), may_alias));

/* ---- along one axis, of numbers `step` apart */

/* d = B^T d */
THNN_INLINE void transformInputAxis(const int size, Tiles *d, const int step)
{
  const Tiles a = d[0], b = d[step], c = d[2 * step], e = d[3 * step];
  if (size == 2) {
    d[0] = a - c;
    d[step] = b + c;
    d[2 * step] = c - b;
    d[3 * step] = e - b;
    return;
  }
  const Tiles f = d[4 * step], g = d[5 * step];
  const Tiles p = f - SS * c, q = P * (e - SS * b), r = f - PP * c, s = S * (e - PP * b);
  d[0] = PP * SS * a - (PP + SS) * c + f;
  d[step] = p + q;
  d[2 * step] = p - q;
  d[3 * step] = r + s;
  d[4 * step] = r - s;
  d[5 * step] = PP * SS * b - (PP + SS) * e + g;
}

/* y = A^T m */
THNN_INLINE void transformOutputAxis(const int size, const Tiles *m, const int step, Tiles *y, const int yStep)
{
  const Tiles p = m[step] + m[2 * step], q = m[step] - m[2 * step];
  if (size == 2) {
    y[0] = m[0] + p;
    y[yStep] = q + m[3 * step];
    return;
  }
  const Tiles r = m[3 * step] + m[4 * step], s = m[3 * step] - m[4 * step];
  y[0] = m[0] + p + r;
  y[yStep] = P * q + S * s;
  y[2 * yStep] = PP * p + SS * r;
  y[3 * yStep] = P * PP * q + S * SS * s + m[5 * step];
}

/* ---- the transforms of one channel */

/* Stores a row of x as `size` phases of its columns: to[b * phaseSize + w] = x[w * size + b + first], 0 outside of the row. */
THNN_INLINE void splitRowIntoPhases(const int size, real *restrict to, const real *restrict x, int64_t width, int64_t first,
                                    int64_t phaseSize)
{
  for (int64_t w = 0; w < phaseSize; w += TILES) {
    const int64_t at = w * size + first;
    real edge[4 * TILES];
    const real *from = x + at;
    if (at < 0 || at + size * TILES > width) {
      for (int64_t i = 0; i < size * TILES; i++) edge[i] = at + i >= 0 && at + i < width ? x[at + i] : 0;
      from = edge;
    }
    const Tiles a = *(const AnyTiles *)from, b = *(const AnyTiles *)(from + TILES);
    if (size == 2) {
      *(AnyTiles *)(to + w) = EVEN(a, b);
      *(AnyTiles *)(to + phaseSize + w) = ODD(a, b);
      continue;
    }
    const Tiles c = *(const AnyTiles *)(from + 2 * TILES), d = *(const AnyTiles *)(from + 3 * TILES);
    const Tiles even = EVEN(a, b), even2 = EVEN(c, d), odd = ODD(a, b), odd2 = ODD(c, d);
    *(AnyTiles *)(to + w) = EVEN(even, even2);
    *(AnyTiles *)(to + phaseSize + w) = EVEN(odd, odd2);
    *(AnyTiles *)(to + 2 * phaseSize + w) = ODD(even, even2);
    *(AnyTiles *)(to + 3 * phaseSize + w) = ODD(odd, odd2);
  }
}

THNN_INLINE void transformInputChannel(const int size, const TileRows *d, int64_t c, real *buffer)
{
  const ConvProblem *s = d->s;
  const int points = size + 2;
  for (int64_t r = 0; r < d->rows; r++) {
    const int64_t sample = (d->first + r) / d->down, th = (d->first + r) % d->down;
    const real *x = s->x + sample * s->xSampleStride + c * s->xChannelStride;
    const int copiedRows = r > 0 && th > 0 ? 2 : 0; /* the first two rows are the last two of the tiles above */
    if (copiedRows) memcpy(buffer, buffer + size * size * d->phaseSize, (size_t)(2 * size * d->phaseSize) * sizeof(real));
    for (int i = copiedRows; i < points; i++) {
      const int64_t h = th * size + i + s->h.offset;
      real *row = buffer + i * size * d->phaseSize;
      if (h < 0 || h >= s->h.in) memset(row, 0, (size_t)(size * d->phaseSize) * sizeof(real));
      else splitRowIntoPhases(size, row, x + h * s->h.xStride, s->w.in, s->w.offset, d->phaseSize);
    }
    for (int64_t w = 0; w < d->across; w += TILES) {
      Tiles v[POINTS * POINTS];
      real *to = d->v + c * d->channelStride + r * d->across + w;
#pragma GCC unroll 6
      for (int i = 0; i < points; i++)
#pragma GCC unroll 6
        for (int j = 0; j < points; j++)
          v[i * points + j] = *(const AnyTiles *)(buffer + (i * size + j % size) * d->phaseSize + w + j / size);
#pragma GCC unroll 6
      for (int j = 0; j < points; j++) transformInputAxis(size, v + j, points);
#pragma GCC unroll 6
      for (int i = 0; i < points; i++) transformInputAxis(size, v + i * points, 1);
#pragma GCC unroll 36
      for (int q = 0; q < points * points; q++) *(AnyTiles *)(to + q * d->vPointStride) = v[q];
    }
  }
}

THNN_INLINE void transformOutputChannel(const int size, const TileRows *d, int64_t o, real *buffer)
{
  const ConvProblem *s = d->s;
  const int points = size + 2;
  const int64_t row = THNN_ceilDiv(d->across, TILES) * TILES * size;
  const THNN_REAL bias = s->bias ? s->bias[o] : 0;
  Tiles nonFinite = {0};
  for (int64_t r = 0; r < d->rows; r++) {
    const int64_t sample = (d->first + r) / d->down, th = (d->first + r) % d->down;
    for (int64_t w = 0; w < d->across; w += TILES) {
      Tiles m[POINTS * POINTS], half[4 * POINTS], z[4];
      const real *from = d->m + o * d->channelStride + r * d->across + w;
#pragma GCC unroll 36
      for (int q = 0; q < points * points; q++) m[q] = *(const AnyTiles *)(from + q * d->mPointStride);
#pragma GCC unroll 6
      for (int j = 0; j < points; j++) transformOutputAxis(size, m + j, points, half + j, points);
#pragma GCC unroll 4
      for (int i = 0; i < size; i++) {
        real *to = buffer + i * row + w * size;
        transformOutputAxis(size, half + i * points, 1, z, 1);
        if (size == 2) {
          *(AnyTiles *)to = LOW(z[0], z[1]);
          *(AnyTiles *)(to + TILES) = HIGH(z[0], z[1]);
        } else {
          const Tiles a = LOW(z[0], z[2]), b = HIGH(z[0], z[2]), c = LOW(z[1], z[3]), e = HIGH(z[1], z[3]);
          *(AnyTiles *)to = LOW(a, c);
          *(AnyTiles *)(to + TILES) = HIGH(a, c);
          *(AnyTiles *)(to + 2 * TILES) = LOW(b, e);
          *(AnyTiles *)(to + 3 * TILES) = HIGH(b, e);
        }
      }
    }
    for (int i = 0; i < size && th * size + i < s->h.out; i++) {
      real *y = s->y + sample * s->ySampleStride + o * s->yChannelStride + (th * size + i) * s->h.yStride;
      const real *from = buffer + i * row;
      int64_t w = 0;
      for (; w + TILES <= s->w.out; w += TILES) {
        const Tiles whole = *(const AnyTiles *)(from + w) + bias;
        nonFinite += whole * 0;
        *(AnyTiles *)(y + w) = whole;
      }
      for (; w < s->w.out; w++) {
        y[w] = from[w] + bias;
        nonFinite[0] += y[w] * 0;
      }
      if (hasEpilogue(&s->epilogue)) epilogueRow(&s->epilogue, s->y, y - s->y, NULL, s->w.out, 1);
    }
    if (r + 1 < d->rows && th + 1 < d->down) continue;
    int isFinite = 1; /* true for this channel so far; other threads may compute other channels and blocks of the sample */
    for (int i = 0; i < TILES; i++) isFinite &= nonFinite[i] == 0;
    if (!isFinite) __atomic_store_n(d->isNotFinite + sample, 1, __ATOMIC_RELAXED);
    nonFinite = (Tiles){0};
  }
}

static void transformIn(const TileRows *d, int64_t c, real *buffer)
{
  const int64_t tiles = d->rows * d->across;
  if (d->size == 4) transformInputChannel(4, d, c, buffer);
  else transformInputChannel(2, d, c, buffer);
  clearColumns(d, d->v + c * d->channelStride, d->vPointStride, tiles, THNN_ceilDiv(tiles, LANES) * LANES);
}

static void transformOut(const TileRows *d, int64_t o, real *buffer)
{
  const int64_t tiles = d->rows * d->across, last = THNN_ceilDiv(d->across, TILES) * TILES;
  clearColumns(d, d->m + o * d->channelStride, d->mPointStride, THNN_ceilDiv(tiles, LANES) * LANES, tiles - d->across + last);
  if (d->size == 4) transformOutputChannel(4, d, o, buffer);
  else transformOutputChannel(2, d, o, buffer);
}

static const Transforms TILED(transforms, TILES) = {TILES, transformIn, transformOut};

#undef TILED_
#undef TILED
#undef Tiles
#undef AnyTiles
#undef transformInputAxis
#undef transformOutputAxis
#undef splitRowIntoPhases
#undef transformInputChannel
#undef transformOutputChannel
#undef transformIn
#undef transformOut
#undef EVEN
#undef ODD
#undef LOW
#undef HIGH
#undef TILES

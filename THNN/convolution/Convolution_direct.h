/* The sum of Convolution_problem.h as products of weights and a padded picture, which is multiplied where it lies.
 *
 *   BY_PLACES    a tile is a few planes of y and some vectors of places side by side; the weights of its planes are packed
 *   BY_OUTPUTS   a tile is a few places and some vectors of planes of y; it is turned when it is done
 *
 * Every element is a sum in an order of its own, which does not depend on how the work is cut. */
#ifndef THNN_DIRECT_SUM_H
#define THNN_DIRECT_SUM_H

#include "convolution/Convolution_weights.h"
#include "convolution/Convolution_input.h"
#include "core/fetch.h"

enum {
  SHORT = 144,              /* A longer sum is a sum of sums of so many terms, which halves the error of 1,152 terms. */
  PART_BYTES = 16 << 10,    /* of a panel, at most: it stays in the first cache while all weights pass by */
  BLOCKS_BYTES = 192 << 10, /* of weights that pass by a panel, at most: they stay in the second cache */
  OFTEN = 3,                /* a panel that more blocks than this pass by is laid side by side first, */
  SMALL_BYTES = 24 << 10,   /* unless the first cache holds the picture */
  MOST_PLACES = 2048,       /* in a band BY_OUTPUTS, */
  TURNED = 256,             /* of which so many are turned at a time: */
  TURNED_STEP = TURNED + 16, /* not a power of two, so that planes lie in different sets of the cache */
  /* Weights of so many k stay in the first cache while a band passes by; tiles of more rows do as well with the second one. */
  PART = VECTOR_BYTES == 64 ? 1536 : 128,
};

/* How tiles BY_PLACES read the picture: so many terms at a time, from panels that are laid side by side where many blocks pass by, or where it
 * is, for it is small or few blocks pass by. That does not depend on how the work is cut, so sums have one order. */
typedef struct Panels {
  int64_t terms;
  int areLaid;
} Panels;

static Panels panelsOf(const Sum *s, const Blocks *b)
{
  const Picture whole = pictureOf(s, s->h.out);
  const int isSmall = s->t.taps * s->planes * whole.plane <= SMALL_BYTES / (int64_t)sizeof(real);
  const int areLaid = whole.inPlace || (b->count > OFTEN && !isSmall);
  return (Panels){partOf(depthOf(s), areLaid ? PART_BYTES / (int64_t)sizeof(real) / (b->width * LANES) : SHORT), areLaid};
}

/* Are sums BY_PLACES done when a tile is? */
THNN_INLINE int areWhole(const Sum *s, const Panels *p) { return p->terms == depthOf(s); }

static int isWrittenOnce(const Sum *s, Way way)
{
  const Blocks b = blocksOf(s, way);
  const Panels p = panelsOf(s, &b);
  return s->w.y == 1 && (way == BY_OUTPUTS || (way == BY_PLACES && areWhole(s, &p)));
}

/* Places whose panels lie beside each other. The longer the pieces in which rows of y are written, the better, and the second cache gives panels
 * as fast as they are used. Where y is read again for the next terms, panels stay in the first cache. */
THNN_INLINE int64_t placesAtOnce(const Panels *p, int64_t columns, int isInLongPieces)
{
  const int64_t bytes = isInLongPieces ? THNN_secondCache() / 4 : PART_BYTES;
  return THNN_max(bytes / (int64_t)sizeof(real) / (p->terms * columns), 1) * columns;
}

/* ---- a band */

typedef struct Band {
  const Sum *s;
  const Picture *p;
  Blocks blocks;
  const real *x;          /* the picture, or x itself */
  const real *bias;       /* of the band's planes, or NULL */
  const real *packed;     /* all their weights, or NULL: then a block is packed when its turn comes, */
  real *own;              /* here */
  const int32_t *distance;
  const int32_t *inPanel[3]; /* the same in a panel of 1, 2 or FEW_WIDTH vectors */
  real *y;                /* of its first place */
  Panels panels;
  int64_t rows;
  int64_t runs, run;      /* places that follow each other without a gap, in the picture and in y */
  real *tile, *turned;
} Band;

/* The weights of a block. */
THNN_INLINE const real *blockOf(const Band *d, int64_t block)
{
  if (d->packed) return d->packed + block * d->blocks.step * depthOf(d->s);
  packOne(d->s, &d->blocks, 0, block, d->own);
  return d->own;
}

/* y[p] = tile[p], or y[p] += tile[p]; `over`: as many as whole vectors hold, for what follows will be written later */
THNN_INLINE void writeRun(real *restrict y, int64_t distance, const real *restrict tile, int64_t n, int over, int add)
{
  int64_t p = 0;
  if (add && distance == 1)
    for (; p < n; p++) y[p] += tile[p];
  else if (add)
    for (; p < n; p++) y[p * distance] += tile[p];
  else if (distance == 1) {
    for (; p + (over ? 0 : LANES - 1) < n; p += LANES) *(AnyVector *)(y + p) = *(const AnyVector *)(tile + p);
    for (; p < n; p++) y[p] = tile[p];
  } else
    for (; p < n; p++) y[p * distance] = tile[p];
}

/* Where a tile can go at once: `n` places from place `at` of the band on, or NULL if they do not lie side by side in y. */
THNN_INLINE real *placeInY(const Band *d, int64_t at, int64_t n)
{
  const int64_t row = d->runs == 1 ? d->run : d->p->row, w = at % row;
  return d->s->w.y == 1 && w + n <= d->run ? d->y + at / row * d->s->h.y + w : NULL;
}

typedef enum Writing {
  WRITE,
  ADD,
  FINISH, /* what follows the sums is done at once */
} Writing;

/* Writes a tile: `n` places from place `at` of the band on, of `count` planes from plane `first` on. */
THNN_INLINE void writeTile(const Band *d, int64_t first, int64_t count, int64_t at, int64_t n, Writing how)
{
  const Sum *s = d->s;
  const int64_t row = d->runs == 1 ? d->run : d->p->row, dense = s->w.y == 1 && s->h.y == s->w.out;
  for (int64_t done = 0; done < n;) {
    const int64_t h = (at + done) / row, w = (at + done) % row, rest = THNN_min(row - w, n - done);
    const int64_t places = THNN_min(rest, d->run - w);
    if (places > 0) {
      const int over = dense && h * s->w.out + w + THNN_ceilDiv(places, LANES) * LANES <= d->rows * s->w.out;
      real *y = d->y + first * s->yPlane + h * s->h.y + w * s->w.y;
      if (how == FINISH) finishRows(&s->finish, s->y, y - s->y, s->yPlane, d->tile + done, MOST_COLUMNS, NULL, count, places, 1);
      else
        for (int64_t o = 0; o < count; o++)
          writeRun(y + o * s->yPlane, s->w.y, d->tile + o * MOST_COLUMNS + done, places, over, how == ADD);
    }
    done += rest;
  }
}

/* Terms of `n` places from x on, side by side. What lies beside them may be read, unless `isLast`; what the next panel takes is fetched. */
THNN_INLINE void layPanel(real *panel, const real *x, const int32_t *distance, int64_t terms, int64_t n, int64_t columns, int isLast)
{
  for (int64_t k = 0; k < terms; k++, panel += columns) {
    const real *from = x + distance[k];
    if (isLast) {
      memcpy(panel, from, (size_t)n * sizeof(real));
      memset(panel + n, 0, (size_t)(columns - n) * sizeof(real));
      continue;
    }
    THNN_fetch(from, (2 * columns - 1) * (int64_t)sizeof(real), 1);
    for (int64_t c = 0; c < columns; c += LANES) *(AnyVector *)(panel + c) = *(const AnyVector *)(from + c);
  }
}

/* Finishes what was written of places [begin, end) of the band, of `count` planes from plane `first` on. */
static void finishPlaces(const Band *d, int64_t first, int64_t count, int64_t begin, int64_t end)
{
  const Sum *s = d->s;
  if (!isToFinish(&s->finish)) return;
  const int64_t row = d->runs == 1 ? d->run : d->p->row, y = d->y - s->y + first * s->yPlane;
  if (s->w.y == 1 && (d->runs == 1 || s->h.y == d->run)) { /* rows follow each other */
    const int64_t from = begin / row * d->run + THNN_min(begin % row, d->run), to = end / row * d->run + THNN_min(end % row, d->run);
    finishRows(&s->finish, s->y, y + from, s->yPlane, s->y + y + from, s->yPlane, NULL, count, to - from, 1);
    return;
  }
  for (int64_t at = begin, rest; at < end; at += rest) {
    const int64_t h = at / row, w = at % row, places = THNN_min(d->run - w, end - at), from = y + h * s->h.y + w * s->w.y;
    rest = THNN_min(row - w, end - at);
    if (places > 0) finishRows(&s->finish, s->y, from, s->yPlane, s->y + from, s->yPlane, NULL, count, places, s->w.y);
  }
}

/* Places [begin, end) of some blocks, and a part of their terms. */
static void partByPlaces(const Band *d, int64_t k, int64_t terms, int64_t begin, int64_t end, int64_t firstBlock, int64_t endBlock)
{
  const Sum *s = d->s;
  const int64_t wide = d->blocks.width * LANES, step = d->blocks.step;
  const int isOften = d->panels.areLaid && endBlock - firstBlock > OFTEN, isEnd = k + terms == depthOf(s);
  const int isAdded = s->finish.other && s->w.y == 1 && areWhole(s, &d->panels); /* to what may lie in y */
  /* Behind x there is nothing to read. */
  const real *last = d->p->inPlace ? d->x + (s->planes - 1) * d->p->plane : NULL;
  const real *other = isEnd && s->finish.other ? s->finish.other + (d->y - s->y) : NULL;
  for (int64_t block = firstBlock; block < endBlock; block++) {
    const int64_t first = block * step, count = THNN_min(step, s->outputs - first);
    const real *w = blockOf(d, block) + k * step;
    THNN_REAL bias[ROWS] = {0};
    for (int64_t o = 0; o < count && d->bias && k == 0; o++) bias[o] = d->bias[first + o];
    for (int64_t at = begin; at < end; at += wide) {
      const int64_t n = THNN_min(wide, end - at), columns = columnsOf(n, d->blocks.width);
      const int isLast = last && last + at + columns > s->xEnd, isLaid = isOften || isLast;
      real *panel = d->tile + MOST_COLUMNS * ROWS + (at - begin) * terms;
      if (isLaid && block == firstBlock) layPanel(panel, d->x + at, d->distance + k, terms, n, columns, isLast);
      real *y = n == columns && count == step && !isAdded ? placeInY(d, at, n) : NULL;
      const Ahead next = at == begin ? aheadOf(w, step * depthOf(s), step) : PACKED_AHEAD; /* the same terms of the next block */
      const real *added = other ? placeInY(d, at, n) : NULL;
      for (int64_t o = 0; o < count && added; o++)
        THNN_fetch(other + (added - d->y) + (first + o) * s->yPlane, 0, wide * (int64_t)sizeof(real));
      rowProduct(step, columns)(terms, w, isLaid ? panel : d->x + at,
                                isLaid ? d->inPanel[columns / LANES / 2] : d->distance + k, step, y && k > 0, k > 0 ? NULL : bias,
                                y ? y + first * s->yPlane : d->tile, y ? s->yPlane : MOST_COLUMNS, next);
      if (!y) writeTile(d, first, count, at, n, isAdded ? FINISH : (k > 0 ? ADD : WRITE));
    }
    if (isEnd && !isAdded) finishPlaces(d, first, count, begin, end);
  }
}

/* Some tiles at a time. Where the second cache holds all weights they get all their terms one after the other, else all tiles some terms. */
static void bandByPlaces(const Band *d, int64_t firstBlock, int64_t endBlock)
{
  const Sum *s = d->s;
  const int64_t depth = depthOf(s), places = (d->rows - 1) * d->p->row + s->w.out, wide = d->blocks.width * LANES;
  const int64_t part = d->panels.terms, block = d->blocks.step * (int64_t)sizeof(real);
  const int isFew = (endBlock - firstBlock) * block * depth <= THNN_secondCache() / 4;
  const int64_t group = placesAtOnce(&d->panels, wide, d->panels.areLaid && (isFew || part == depth));
  const int64_t most = isFew ? group : places, blocks = partOf(endBlock - firstBlock, BLOCKS_BYTES / (block * part));
  for (int64_t begin = 0; begin < places; begin += most)
    for (int64_t k = 0; k < depth; k += part)
      for (int64_t first = firstBlock; first < endBlock; first += blocks)
        for (int64_t at = begin; at < THNN_min(begin + most, places); at += group)
          partByPlaces(d, k, THNN_min(part, depth - k), at, THNN_min(at + group, places), first, THNN_min(first + blocks, endBlock));
}

/* Writes the sums of `count` planes from plane `first` on of a run of places, which begins `at` elements behind the first one of y. */
static void writeRunOfOutputs(const Band *d, real *tile, int64_t first, int64_t count, int64_t at)
{
  const Sum *s = d->s;
  const Finish *f = &s->finish;
  const real *bias = d->bias ? d->bias + first : NULL;
  if (s->yPlane == 1) /* planes last */
    for (int64_t p = 0; p < d->run; p++) {
      for (int64_t o = 0; o < count && bias; o++) tile[p * COLUMNS + o] += bias[o];
      finishRows(f, s->y, at + p * s->w.y, 0, tile + p * COLUMNS, 0, NULL, 1, count, 1);
    }
  else if (s->w.y == 1)
    for (int64_t p = 0; p < d->run; p += TURNED) {
      const int64_t n = THNN_min(TURNED, d->run - p);
      turn(d->turned, TURNED_STEP, tile + p * COLUMNS, COLUMNS, n, count);
      finishRows(f, s->y, at + p, s->yPlane, d->turned, TURNED_STEP, bias, count, n, 1);
    }
  else
    for (int64_t o = 0; o < count; o++) {
      for (int64_t p = 0; p < d->run; p++) s->y[at + o * s->yPlane + p * s->w.y] = tile[p * COLUMNS + o];
      finishRow(f, s->y, at + o * s->yPlane, bias ? bias + o : NULL, d->run, s->w.y);
    }
}

static void bandByOutputs(const Band *d, int64_t firstBlock, int64_t endBlock)
{
  const Sum *s = d->s;
  const int64_t depth = depthOf(s), tiles = THNN_ceilDiv(d->run, ROWS), part = partOf(depth, PART);
  const int64_t share = THNN_ceilDiv(COLUMNS, d->runs * tiles); /* of the next part's weights each tile fetches so many for a term */
  for (int64_t block = firstBlock; block < endBlock; block++) {
    const int64_t first = block * COLUMNS, count = THNN_min(COLUMNS, s->outputs - first);
    const real *w = blockOf(d, block);
    for (int64_t begin = 0; begin < depth; begin += part)
      for (int64_t r = 0; r < d->runs; r++)
        for (int64_t tile = 0; tile < tiles; tile++) { /* about as many places in each */
          const int64_t end = THNN_min(begin + part, depth), at = d->run * tile / tiles, n = d->run * (tile + 1) / tiles - at;
          for (int64_t k = begin; k < end; k += SHORT) {
            const Ahead next = aheadOf(w, end * COLUMNS + ((r * tiles + tile) * (end - begin) + k - begin) * share, share);
            columnProducts[1][n - 1](THNN_min(SHORT, end - k), d->x + r * d->p->row + at, w + k * COLUMNS, d->distance + k, COLUMNS, k > 0, NULL,
                                     d->tile + (r * d->run + at) * COLUMNS, COLUMNS, next);
          }
        }
    for (int64_t r = 0; r < d->runs; r++) writeRunOfOutputs(d, d->tile + r * d->run * COLUMNS, first, count, d->y - s->y + first * s->yPlane + r * s->h.y);
  }
}

/* ---- all bands */

/* The way that wastes less: lanes beside the places or the planes of y, BY_PLACES the sums that are added to y part by part, BY_OUTPUTS the
 * turning. They count as so many terms. Measured by `python -m benchmarks.ways --direct`. */
static Way directWay(const Sum *s)
{
  const Picture p = pictureOf(s, s->h.out);
  const Blocks places = blocksOf(s, BY_PLACES), outputs = blocksOf(s, BY_OUTPUTS);
  const int isDense = p.row == s->w.out && s->w.y == 1;
  const double depth = (double)depthOf(s), run = (double)(p.row == s->w.out ? s->h.out * s->w.out : s->w.out);
  const double rows = run / (double)THNN_ceilDiv((int64_t)run, ROWS), turning = s->yPlane == 1 ? 0 : 40, writing = isDense ? 8 : 36;
  const double parts = (double)THNN_ceilDiv(depthOf(s), panelsOf(s, &places).terms), reading = (parts - 1) * 8;
  const double byPlaces = (double)(places.count * places.step) * (depth + parts * writing + reading) *
                          (double)(THNN_ceilDiv((s->h.out - 1) * p.row + s->w.out, LANES) * LANES);
  const double byOutputs = (double)(outputs.count * COLUMNS * s->h.out * s->w.out) * (depth + turning) *
                           (rows < ROWS / 2 + 1 ? (ROWS / 2 + 1) / rows : 1);
  return byOutputs < byPlaces ? BY_OUTPUTS : BY_PLACES;
}

/* `packed` are all weights, or NULL: then they are packed here, each block where it is used if that is but once. */
static void directSum(Call *call, const Sum *s, Way way, const real *packed, const uint8_t *isWanted, int threads)
{
  const Blocks blocks = blocksOf(s, way);
  const int64_t depth = depthOf(s), frames = s->samples * s->t.out;
  const Picture one = pictureOf(s, 1);
  const int64_t copies = one.inPlace ? 1 : one.phasesH * (one.isNarrow ? 1 : one.phasesW);
  const int64_t rowBytes = one.row * copies * s->t.taps * s->planes * (int64_t)sizeof(real);
  /* A band's picture stays in the second cache. */
  int64_t rows = THNN_max(THNN_secondCache() * 5 / 8 / THNN_max(rowBytes, 1) - one.more, 1);
  if (way == BY_OUTPUTS) rows = THNN_min(rows, THNN_max(MOST_PLACES / s->w.out, 1));
  int64_t bands = THNN_ceilDiv(s->h.out, rows);
  /* Threads that share rows read all weights each, those that share planes of y read all of x. */
  const int isByRows = bands > 1 || s->outputs * depth < s->planes * s->h.in * s->w.in;
  if (isByRows && frames * bands < 4 * threads) bands = THNN_min(THNN_ceilDiv(frames * bands, threads) * threads / frames, s->h.out);
  rows = THNN_ceilDiv(s->h.out, THNN_max(bands, 1));
  bands = THNN_ceilDiv(s->h.out, rows);
  const int64_t jobs = frames * bands, parts = jobs % threads == 0 || jobs >= 8 * threads ? 1 : THNN_min(blocks.count, threads);

  const Picture p = pictureOf(s, rows);
  const Panels panels = panelsOf(s, &blocks);
  const int64_t picture = p.inPlace ? 0 : THNN_perThread(s->t.taps * s->planes * p.plane + MOST_COLUMNS);
  const int64_t terms = panels.terms, atOnce = placesAtOnce(&panels, blocks.width * LANES, panels.areLaid);
  const int64_t places = (rows - 1) * p.row + s->w.out, block = THNN_perThread(blocks.step * depth);
  const int64_t tile = THNN_perThread(way == BY_OUTPUTS ? (rows * s->w.out + TURNED_STEP) * COLUMNS
                                                        : ROWS * MOST_COLUMNS + (panels.areLaid ? atOnce * terms : 0));
  const int isOnce = !packed && jobs == 1 && (way == BY_OUTPUTS || (terms == depth && places <= atOnce));
  real *fresh = packed ? NULL : THNN_scratch(call, isOnce ? threads * block : directSize(s, way), sizeof(real));
  int32_t *distance = THNN_scratch(call, depth + 3 * terms, sizeof(int32_t)), *inPanel = distance + depth;
  int64_t *laid = THNN_scratch(call, threads, sizeof(int64_t)); /* the job whose picture a thread has */
  real *pictures = THNN_scratch(call, threads * picture, sizeof(real)), *tiles = THNN_scratch(call, threads * tile, sizeof(real));
  if (!THNN_ready(call)) return;
  if (!packed && !isOnce) {
    directPack(s, way, fresh, threads);
    packed = fresh;
  }
  distances(s, &p, distance);
  for (int64_t k = 0; k < terms; k++)
    for (int v = 0; v < 3; v++) inPanel[v * terms + k] = (int32_t)(k * (LANES << v));

  for (int thread = 0; thread < threads; thread++) laid[thread] = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < jobs * parts; task++) {
    const int64_t part = task % parts, job = task / parts, frame = job / bands, first = job % bands * rows;
    const int64_t n = frame / s->t.out, t = frame % s->t.out, thread = THNN_threadId(), group = n % s->groups;
    if (isWanted && !isWanted[n]) continue;
    Band d = {
        .s = s,
        .p = &p,
        .blocks = blocks,
        .bias = s->bias ? s->bias + group * s->outputs : NULL,
        .packed = packed ? packed + group * packedSize(s, &blocks) : NULL,
        .own = isOnce ? fresh + thread * block : NULL,
        .distance = distance,
        .inPanel = {inPanel, inPanel + terms, inPanel + 2 * terms},
        .panels = panels,
        .rows = THNN_min(rows, s->h.out - first),
        .tile = tiles + thread * tile,
        .turned = way == BY_OUTPUTS ? tiles + thread * tile + rows * s->w.out * COLUMNS : NULL,
    };
    if (p.inPlace) d.x = s->x + n * s->xSample + t * s->t.stride * s->t.x + first * s->h.x;
    else {
      real *mine = pictures + thread * picture;
      if (laid[thread] != job) layBand(mine, s, &p, n, t, first, d.rows);
      d.x = mine;
      laid[thread] = job;
    }
    d.y = s->y + n * s->ySample + t * s->t.y + first * s->h.y;
    const int isFlat = p.row == s->w.out && (s->h.y == s->w.out * s->w.y || d.rows == 1);
    d.runs = isFlat ? 1 : d.rows;
    d.run = isFlat ? d.rows * s->w.out : s->w.out;
    const int64_t begin = blocks.count * part / parts, end = blocks.count * (part + 1) / parts;
    if (way == BY_OUTPUTS) bandByOutputs(&d, begin, end);
    else bandByPlaces(&d, begin, end);
  }
}

#endif

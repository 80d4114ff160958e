/* The gradient of the weights: the sum of Convolution_problem.h turned round.
 *
 *   weight[o][c][m][i][j] += scale * sum over n and places of y[n][o][place] * x[n][c][what the place sees through (m, i, j)]
 *
 * The same micro-kernel: places are what is summed over, planes of y and of x are the sides of the product. Both are laid out with planes
 * last, a group of rows at a time. There a place is one distance, and a tap another one. Where weights are few, rows fall into slots, each of
 * which has sums of its own: a thread works on a slot alone, and what it has laid out stays in its cache. Slots and chunks are cut by shapes
 * alone, so sums have one order for any number of threads. */
#ifndef THNN_GRADIENT_H
#define THNN_GRADIENT_H

#include "convolution/Convolution_direct.h"

enum {
  CHUNK = 112,          /* places in a short sum, about */
  SLOT = 384,           /* places in a slot, at least */
  MOST_SLOTS = 64,
  SLOTS_SUMS = 2 << 20, /* elements of the sums of all slots, at most */
  AT_ONCE = 1 << 16     /* elements of panels that a thread has at once */
};

typedef struct Gradient {
  const Sum *s;
  int merged;                   /* x has few planes: the taps of a row go side by side, and vectors are planes of y */
  int64_t columns, runs, wide;  /* of one product; products; columns of `sums` */
  int64_t blocks, rows;         /* of planes of y, or of columns where they are merged */
  int64_t side;                 /* planes of y that are laid side by side */
  int64_t xCell, yCell, yBlock; /* from a place to the next one; from so many planes of y to the next ones */
  int64_t length, reachH, step; /* of a row of x; rows of x of a row of y; those of them that the row before has not seen */
  real *x, *y, *sums;           /* sums[plane of y][run][column], or merged [run][column][plane of y] */
  int32_t *place, *row, *panel; /* distances of places in x; the first row in x of each row of y; distances in a panel */
} Gradient;

/* Planes last: to[w * cell + c] = x[c * plane + w * distance], and 0 for planes up to `whole`: whatever lay there would be multiplied, too,
 * which takes long if it is a denormal number. */
THNN_INLINE void layCells(real *restrict to, int64_t cell, const real *restrict x, int64_t plane, int64_t distance, int64_t planes,
                          int64_t whole, int64_t n)
{
  if (distance == 1) turn(to, cell, x, plane, planes, n);
  else
    for (int64_t w = 0; w < n; w++)
      for (int64_t c = 0; c < planes; c++) to[w * cell + c] = x[w * distance + c * plane];
  for (int64_t w = 0; w < n && planes < whole; w++) memset(to + w * cell + planes, 0, (size_t)(whole - planes) * sizeof(real));
}

/* n cells of a line of x that begin `first` cells behind its own first one: to[w * cell + c], and 0 where the line, of `length` cells, has none. */
static void layLine(real *to, int64_t cell, const real *x, int64_t plane, int64_t distance, int64_t planes, int64_t whole, int64_t length,
                    int64_t first, int64_t n)
{
  const int64_t before = THNN_min(THNN_max(-first, 0), n), inside = THNN_max(THNN_min(n, length - first) - before, 0);
  memset(to, 0, (size_t)(before * cell) * sizeof(real));
  if (inside > 0) layCells(to + before * cell, cell, x + (first + before) * distance, plane, distance, planes, whole, inside);
  memset(to + (before + inside) * cell, 0, (size_t)((n - before - inside) * cell) * sizeof(real));
}

/* y at n places of one line of it, from place `to` of the group on. */
static void layOutputs(const Gradient *g, int64_t to, const real *y, int64_t distance, int64_t n)
{
  for (int64_t o = 0; o < g->s->outputs; o += g->side)
    layCells(g->y + o / g->side * g->yBlock + to * g->yCell, g->yCell, y + o * g->s->yPlane, g->s->yPlane, distance,
             THNN_min(g->side, g->s->outputs - o), g->merged ? g->wide : g->side, n);
}

/* Row r of a group that begins with row `first`: the row of y, and what it sees of x that the row before does not. */
static void layRow(const Gradient *g, int64_t m, int64_t first, int64_t r)
{
  const Sum *s = g->s;
  const int64_t oh = (first + r) % s->h.out, frame = (first + r) / s->h.out, n = frame / s->t.out, ot = frame % s->t.out;
  layOutputs(g, r * s->w.out, s->y + n * s->ySample + ot * s->t.y + oh * s->h.y, s->w.y, s->w.out);
  const int64_t t = ot * s->t.stride + s->t.first + m * s->t.step;
  for (int64_t i = r > 0 && oh > 0 ? g->reachH - g->step : 0; i < g->reachH; i++) {
    const int64_t h = oh * s->h.stride + s->h.first + i;
    const int isThere = t >= 0 && t < s->t.in && h >= 0 && h < s->h.in;
    layLine(g->x + (g->row[r] + i) * g->length * g->xCell, g->xCell, isThere ? s->x + n * s->xSample + t * s->t.x + h * s->h.x : s->x, s->xPlane,
            s->w.x, s->planes, g->merged ? s->planes : g->wide, isThere ? s->w.in : 0, s->w.first, g->length);
  }
}

/* Rows [r, end) of a group, of one frame, where a row has one place (Convolution_fast.c turns a single row so): cells follow each other. */
static void layColumn(const Gradient *g, int64_t m, int64_t first, int64_t r, int64_t end)
{
  const Sum *s = g->s;
  const int64_t oh = (first + r) % s->h.out, frame = (first + r) / s->h.out, n = frame / s->t.out, ot = frame % s->t.out;
  layOutputs(g, r, s->y + n * s->ySample + ot * s->t.y + oh * s->h.y, s->h.y, end - r);
  const int64_t t = ot * s->t.stride + s->t.first + m * s->t.step, skipped = r > 0 && oh > 0 ? g->reachH - g->step : 0;
  const int64_t cells = (end - 1 - r) * g->step + g->reachH - skipped;
  const int isThere = t >= 0 && t < s->t.in;
  layLine(g->x + (g->row[r] + skipped) * g->xCell, g->xCell, isThere ? s->x + n * s->xSample + t * s->t.x : s->x, s->xPlane, s->h.x, s->planes,
          g->merged ? s->planes : g->wide, isThere ? s->h.in : 0, oh * s->h.stride + s->h.first + skipped, cells);
}

/* Rows [r, end) of a group. */
static void layRows(const Gradient *g, int64_t m, int64_t first, int64_t r, int64_t end)
{
  const Sum *s = g->s;
  if (s->w.in == 1 && s->w.out == 1 && s->w.taps == 1 && s->w.first == 0 && s->h.stride == g->step)
    for (int64_t last; r < end; r = last) {
      last = THNN_min(end, r + s->h.out - (first + r) % s->h.out);
      layColumn(g, m, first, r, last);
    }
  else
    for (; r < end; r++) layRow(g, m, first, r);
}

/* Some columns of the sums of one run: the products of a group of `depth` places, `chunk` after `chunk`. With `add` there are sums already. */
static void sumGroup(const Gradient *g, int64_t run, int64_t at, int64_t depth, int64_t chunk, int add)
{
  const Sum *s = g->s;
  const int64_t vectors = THNN_min(WIDTH, (g->wide - at) / LANES);
  const int64_t i = g->merged ? run : run / s->w.taps, j = g->merged ? 0 : run % s->w.taps;
  const real *tap = g->x + (i * s->h.step * g->length + j * s->w.step) * g->xCell;
  for (int64_t k = 0, n; k < depth; k += n) { /* pieces of a row end where it ends */
    n = THNN_min(chunk, chunk < s->w.out ? s->w.out - k % s->w.out : depth - k);
    const int32_t *place = g->place + k;
    if (g->merged) {
      for (int64_t c = 0; c < g->columns; c += g->rows) {
        const int64_t rows = THNN_min(g->rows, g->columns - c);
        columnProducts[vectors - 1][rows - 1](n, tap + c, g->y + k * g->yCell + at, place, g->yCell, add || k > 0, NULL,
                                              g->sums + (run * g->columns + c) * g->wide + at, g->wide, PACKED_AHEAD);
      }
      continue;
    }
    for (int64_t block = 0; block < g->blocks; block++)
      rowProducts[vectors - 1][g->rows - 1](n, g->y + block * g->yBlock + k * g->yCell, tap + at, place, g->yCell, add || k > 0, NULL,
                                            g->sums + (block * g->rows * g->runs + run) * g->wide + at, g->runs * g->wide, PACKED_AHEAD);
  }
}

/* Where all places are one short sum: some columns of blocks [begin, end) at once, added to the weights while they are in the first cache.
 * `memory` has panels of all runs, and a tile twice. */
static void addAtOnce(const Gradient *g, real *weight, double scale, int64_t at, int64_t begin, int64_t end, int64_t depth, real *memory)
{
  const Sum *s = g->s;
  const int64_t vectors = THNN_min(WIDTH, (g->wide - at) / LANES), columns = THNN_min(COLUMNS, g->columns - at), runs = g->runs;
  real *tile = memory + runs * depth * COLUMNS, *turned = tile + g->rows * runs * COLUMNS;
  for (int64_t run = 0; run < runs; run++) {
    const real *x = g->x + (run / s->w.taps * s->h.step * g->length + run % s->w.taps * s->w.step) * g->xCell + at;
    layPanel(memory + run * depth * COLUMNS, x, g->place, depth, COLUMNS, COLUMNS, 0);
  }
  for (int64_t block = begin; block < end; block++) {
    real *const first = weight + block * g->rows * s->weightOutput + at * s->weightPlane;
    for (int64_t r = 0; r < g->rows; r++)
      THNN_fetch(first, r * s->weightOutput * (int64_t)sizeof(real), columns * runs * (int64_t)sizeof(real));
    for (int64_t run = 0; run < runs; run++)
      rowProducts[vectors - 1][g->rows - 1](depth, g->y + block * g->yBlock, memory + run * depth * COLUMNS, g->panel, g->yCell, 0, NULL,
                                            tile + run * COLUMNS, runs * COLUMNS, PACKED_AHEAD);
    for (int64_t r = 0; r < THNN_min(g->rows, s->outputs - block * g->rows); r++) {
      real *w = first + r * s->weightOutput;
      turn(turned, runs, tile + r * runs * COLUMNS, COLUMNS, runs, columns);
      for (int64_t i = 0; i < columns * runs; i++) w[i] += (real)scale * turned[i];
    }
  }
}

/* Cells of planes last begin at lines of the cache, an odd number of them apart. */
THNN_INLINE int64_t oddLines(int64_t n) { return (THNN_ceilDiv(n, 16) | 1) * 16; }

/* How the gradient of one group is cut, and the elements of memory that it takes. */
typedef struct Cut {
  int64_t all, slots, slot, group; /* rows of y; slots; the rows of a slot; those of a group of rows */
  int64_t places, chunk;           /* of a group; of a short sum */
  int64_t x, y, sums, panel;       /* sums: of a slot; panel: of each thread */
  int atOnce;                      /* weights of one sum, whose panels fit a cache, are made at once */
} Cut;

static Gradient gradientOf(const Sum *s, Cut *cut)
{
  Gradient g = {.s = s, .merged = s->planes < COLUMNS && (s->w.taps == 1 || s->w.step == 1)};
  g.columns = g.merged ? s->w.taps * s->planes : s->planes;
  g.runs = g.merged ? s->h.taps : s->h.taps * s->w.taps;
  g.wide = THNN_ceilDiv(g.merged ? s->outputs : g.columns, LANES) * LANES;
  g.rows = partOf(g.merged ? g.columns : s->outputs, ROWS);
  g.blocks = THNN_ceilDiv(g.merged ? g.columns : s->outputs, g.rows);
  g.xCell = g.merged ? s->planes : oddLines(s->planes);
  g.side = g.merged ? s->outputs : g.rows;
  g.yCell = g.merged ? oddLines(g.wide) : g.rows;
  g.reachH = spanOf(&s->h) + 1;
  g.step = THNN_min(s->h.stride, g.reachH);
  g.length = (s->w.out - 1) * s->w.stride + spanOf(&s->w) + 1;

  const int64_t yBlocks = THNN_ceilDiv(s->outputs, g.side), all = s->samples * s->t.out * s->h.out;
  const int64_t most = SLOTS_SUMS / THNN_max(s->groups * s->t.taps * g.blocks * g.rows * g.runs * g.wide, 1);
  const int64_t slots = THNN_max(THNN_min(THNN_min(all * s->w.out / SLOT, most), MOST_SLOTS), 1), slot = THNN_ceilDiv(all, slots);
  /* Short sums are some rows, or pieces of a row. A group, which stays in the second cache, is some of them: its sums are added to memory. */
  const int64_t rows = partOf(slot, THNN_max(CHUNK / s->w.out, 1)), rowSize = g.length * g.step * g.xCell + s->w.out * g.yCell * yBlocks;
  const int64_t group = THNN_min(slot, rows * THNN_max(THNN_secondCache() / 2 / (int64_t)sizeof(real) / (rowSize * rows), 1));
  const int64_t places = group * s->w.out, chunk = s->w.out > CHUNK ? partOf(s->w.out, CHUNK) : rows * s->w.out;
  /* The weights lie as [o][c][i][j]. */
  const int atOnce = !g.merged && group == all && places <= CHUNK && s->t.taps == 1 && g.runs * places * COLUMNS <= AT_ONCE &&
                     s->weightPlane == g.runs && s->h.weightStep == s->w.taps * s->w.weightStep && s->w.weightStep == 1;
  const int64_t xRows = group * g.step + (group / s->h.out + 2) * g.reachH, sums = atOnce ? 0 : g.blocks * g.rows * g.runs * g.wide;
  const int64_t panel = atOnce ? THNN_perThread((g.runs * (places + 2 * g.rows) + 1) * COLUMNS) : 0;
  g.yBlock = places * g.yCell;
  *cut = (Cut){all, THNN_ceilDiv(all, slot), slot, group, places, chunk, xRows * g.length * g.xCell + 2 * COLUMNS, yBlocks * g.yBlock, sums, panel, atOnce};
  return g;
}

/* The sums of rows [begin, end), for frame m of the kernel; or, where they are made at once, the weights. `panels` are those of the threads. */
static void sumRows(Gradient *g, const Cut *cut, int64_t m, int64_t begin, int64_t end, real *panels, real *weight, double scale, int threads)
{
  const Sum *s = g->s;
  for (int64_t k = 0; k < CHUNK; k++) g->panel[k] = (int32_t)(k * COLUMNS);
  const int64_t tiles = THNN_ceilDiv(g->wide, COLUMNS), some = THNN_ceilDiv(cut->group, 4 * threads);
  for (int64_t first = begin; first < end; first += cut->group) {
    const int64_t n = THNN_min(cut->group, end - first);
    for (int64_t r = 0, next = 0; r < n; r++) { /* rows of y of one frame share rows of x */
      g->row[r] = (int32_t)(r > 0 && (first + r) % s->h.out > 0 ? g->row[r - 1] + g->step : next);
      next = g->row[r] + g->reachH;
      for (int64_t w = 0; w < s->w.out; w++)
        g->place[r * s->w.out + w] = (int32_t)((g->row[r] * g->length + w * s->w.stride) * g->xCell);
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t r = 0; r < n; r += some) layRows(g, m, first, r, THNN_min(r + some, n));
    if (cut->atOnce) {
      const int64_t parts = THNN_min(THNN_ceilDiv(4 * threads, tiles), g->blocks);
#pragma omp parallel for num_threads(threads)
      for (int64_t job = 0; job < tiles * parts; job++)
        addAtOnce(g, weight + s->t.weight + s->h.weight + s->w.weight, scale, job / parts * COLUMNS, g->blocks * (job % parts) / parts,
                  g->blocks * (job % parts + 1) / parts, cut->places, panels + THNN_threadId() * cut->panel);
      return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t job = 0; job < g->runs * tiles; job++)
      sumGroup(g, job / tiles, job % tiles * COLUMNS, n * s->w.out, cut->chunk, first > begin);
  }
}

/* Adds the sums of frame m of the kernel to the weights of output o. */
static void addSums(const Gradient *g, const real *sums, int64_t m, int64_t o, real *weight, double scale)
{
  const Sum *s = g->s;
  for (int64_t i = 0; i < s->h.taps; i++)
    for (int64_t j = 0; j < s->w.taps; j++) {
      real *w = weight + o * s->weightOutput + s->t.weight + m * s->t.weightStep + s->h.weight + i * s->h.weightStep + s->w.weight +
                j * s->w.weightStep;
      const real *sum = g->merged ? sums + (i * g->columns + j * s->planes) * g->wide + o : sums + (o * g->runs + i * s->w.taps + j) * g->wide;
      for (int64_t c = 0; c < s->planes; c++) w[c * s->weightPlane] += (real)scale * sum[c * (g->merged ? g->wide : 1)];
    }
}

/* For each of n sums of `count` elements, which are split into slots that are `size` apart: adds the other slots to the first one. */
static void addSlots(real *sums, int64_t count, int64_t size, int64_t slots, int64_t n, int threads)
{
  enum { PIECE = 1 << 12 };
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < n; i++)
    for (int64_t at = 0; at < count; at += PIECE) {
      real *first = sums + i * slots * size;
      for (int64_t slot = 1; slot < slots; slot++) {
        const real *restrict from = first + slot * size;
        for (int64_t k = at; k < THNN_min(at + PIECE, count); k++) first[k] += from[k];
      }
    }
}

/* A job is a slot of a frame of a group's kernel. Where there are as many jobs as threads, each is worked on by one thread; else all threads work
 * on one after the other. */
static void gradient(Call *call, const Sum *s, real *weight, double scale, int threads)
{
  Cut cut;
  const Sum first = groupOf(s, 0);
  if (first.samples == 0) return; /* no sum */
  const Gradient shape = gradientOf(&first, &cut);
  const int64_t frames = s->t.taps, all = s->groups * frames, jobs = all * cut.slots;
  const int64_t places = THNN_perThread(cut.places), rows = THNN_perThread(cut.group), numbers = places + rows + THNN_perThread(CHUNK);
  const int64_t x = THNN_perThread(cut.x), y = THNN_perThread(cut.y), size = THNN_perThread(cut.sums);
  const int outer = jobs >= threads ? threads : 1, inner = threads / outer;
  const int64_t each = x + y + inner * cut.panel;
  real *memory = THNN_scratch(call, outer * each + jobs * size, sizeof(real)), *sums = memory + outer * each;
  int32_t *integers = THNN_scratch(call, outer * numbers, sizeof(int32_t));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(outer) schedule(dynamic)
  for (int64_t job = 0; job < jobs; job++) {
    const int64_t thread = THNN_threadId(), slot = job % cut.slots, frame = job / cut.slots % frames, group = job / cut.slots / frames;
    const Sum one = groupOf(s, group);
    Gradient g = shape;
    g.s = &one;
    g.x = memory + thread * each;
    g.y = g.x + x;
    g.sums = sums + job * size;
    g.place = integers + thread * numbers;
    g.row = g.place + places;
    g.panel = g.row + rows;
    sumRows(&g, &cut, frame, slot * cut.slot, THNN_min((slot + 1) * cut.slot, cut.all), g.y + y, weight + group * s->weightGroup, scale, inner);
  }
  if (cut.atOnce) return;
  if (cut.slots > 1) addSlots(sums, cut.sums, size, cut.slots, all, threads);
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < all; i++)
    for (int64_t o = 0; o < s->outputs; o++)
      addSums(&shape, sums + i * cut.slots * size, i % frames, o, weight + i / frames * s->weightGroup, scale);
}

#endif

/* The fast loops of SoftPool and of SpatialLocalImportancePooling on the host: means of windows whose cells have the weights exp(logit).
 *
 *   y[o] = sum over i in window(o) of w[o,i] x[i],   w[o,i] = exp(l[i]) / sum over j in window(o) of exp(l[j])
 *   gradX[i] = sum over o of g[o] w[o,i],   gradL[i] = sum over o of g[o] w[o,i] (x[i] - y[o])
 *
 * SoftPool is the case l = beta x, where the two gradients make one: gradX[i] + beta gradL[i].
 *
 * A window is calm if none of its logits is beyond CALM_LOGIT. Then E = exp(l) is far from overflow and underflow, one exponential per
 * cell serves all windows, and with S[o] = sum E and p[o] = g[o] / S[o]
 *     gradX[i] = E[i] sum over o of p[o],   gradL[i] = E[i] (x[i] sum over o of p[o] - sum over o of p[o] y[o])
 * so that backward, too, works along whole rows.
 *
 * In any other window the weights are exp(l - m), where m is its largest logit, with an exponential for each cell of each window.
 * No logit is too large for that, and cells may be infinite or NaN: cells of equal logits, infinite ones too, have equal weights; a cell
 * of weight 0 has no effect, even if it is infinite; NaN spreads to the windows that read it. If all cells of a SoftPool window are -inf,
 * the output is -inf and the gradient 0.
 *
 * An infinite g makes gradX and gradL infinite, and their sum or difference would be NaN. The definition computes its window.
 *
 * One thread computes a plane, block by block; a block is the cells that a piece of one row of windows reads. So sums have one order, and
 * the result of a window depends on its own cells alone, to the last digit. */
#include <math.h>
#include "core/vmath.h"
#include "pooling/columns.h"
#include "pooling/SoftPool.h"

/* Windows in a piece: its rows stay in the first level cache. */
enum {
  PIECE = 512,
  MULTIPLE = 16, /* rows have a multiple of so many cells, if possible: whole vectors */
};

static const THNN_REAL CALM_LOGIT = 40;
static const THNN_REAL CALM_VALUE = 1e9; /* values of a calm window are not beyond this, lest sums of E x overflow */

typedef struct SoftPool {
  Space p;
  THNN_REAL beta, scale; /* E = 2^(scale * logit), where the logit is x itself in SoftPool */
  THNN_REAL limit;        /* limit of the values in a calm window */
  int exact;             /* the derivative, or g w alone */
} SoftPool;

/* The cells of one piece of a row of windows: slices x rows of `cells` cells, `slice` and `pitch` apart. `w` is their axis. If the
 * plane goes on beside them, `wide` of its cells make whole vectors: they are weighed with the others, and not used. */
typedef struct Block {
  Axis w;
  int64_t offset, slices, rows, cells, wide, slice, pitch;
} Block;

/* The operands of a plane, or from a block on: values, logits, which are the values in SoftPool, and gradients. SoftPool has gx alone,
 * and forward none: NULL. */
typedef struct Plane {
  const real *x, *l;
  real *gx, *gl;
} Plane;

THNN_INLINE Plane planeFrom(Plane c, int64_t first)
{
  return (Plane){c.x + first, c.l + first, c.gx ? c.gx + first : NULL, c.gl ? c.gl + first : NULL};
}

/* The scratch memory of a thread. */
typedef struct Buffers {
  real *a, *b;   /* over the padded axis of a piece: sums of E and of E x over the rows of a block */
  real *la, *lb; /* the same of its last row alone, which the next block may begin with */
  int last;      /* true if they hold it */
  real *s, *v;   /* over its windows: sums of E and of E x; two zeros before */
  real *m, *large, *ws, *wv; /* over its windows: largest logit, 1 if not calm, sums of exp(l - m) and of that times x */
  real *g;       /* over its windows: gradOutput, 0 where that is infinite */
  real *e;       /* E of all cells of a block */
} Buffers;

/* beta is 1 where logits are given. */
static void setBeta(SoftPool *s, int lip, THNN_REAL beta)
{
  s->beta = beta;
  s->scale = (THNN_REAL)1.4426950408889634 * beta;
  s->limit = lip || beta * CALM_VALUE <= CALM_LOGIT ? CALM_VALUE : CALM_LOGIT / beta;
  s->exact = beta > 0;
}

THNN_INLINE Block newBlock(const Space *p, int64_t ot, int64_t oh, int64_t ow)
{
  const int64_t n = THNN_min(p->w.out - ow, PIECE), t = windowStart(&p->t, ot), h = windowStart(&p->h, oh);
  const int64_t begin = ow * p->w.stride - p->w.pad, start = windowStart(&p->w, ow), cells = windowEnd(&p->w, ow + n - 1) - start;
  const int64_t stride = n > 1 ? p->w.stride : 1, reach = (n - 1) * stride;
  /* Padding that no window needs is cut off, so that a huge kernel has no longer rows than the input. */
  const int64_t excess = THNN_max(start - begin - reach, 0), pad = start - begin - excess;
  Block b;
  b.w = (Axis){cells, n, THNN_min(p->w.kernel - excess, pad + cells), stride, pad, 1};
  b.offset = (t * p->h.in + h) * p->w.in + start;
  b.slices = windowEnd(&p->t, ot) - t;
  b.rows = windowEnd(&p->h, oh) - h;
  b.cells = cells;
  b.wide = THNN_min(THNN_ceilDiv(cells, MULTIPLE) * MULTIPLE, p->w.in - start);
  b.slice = p->h.in * p->w.in;
  b.pitch = p->w.in;
  return b;
}

/* ---- calm windows */

/* |x| as an integer that is the larger the larger x is, NaN above all: its maximum is one instruction. */
THNN_INLINE lane magnitude(THNN_REAL x) { return (lane)(VM_REAL(bits)(x) << 1 >> 1); }

/* Sums of weights and of weighted values, largest magnitudes of values and logits. */
typedef struct Weighed {
  THNN_REAL sum, product;
  lane value, logit;
} Weighed;

THNN_INLINE THNN_REAL weighCell(int lip, THNN_REAL scale, THNN_REAL x, THNN_REAL l, Weighed *w)
{
  const THNN_REAL weight = real_exp2Near(scale * (lip ? l : x));
  w->sum += weight;
  w->product += weight * x;
  w->value = magnitude(x) > w->value ? magnitude(x) : w->value;
  if (lip) w->logit = magnitude(l) > w->logit ? magnitude(l) : w->logit;
  return weight;
}

/* The results that rows are to have, which the compiler knows. `lip`: there are logits; `keep`: e gets the weights; `last`: la and lb get
 * the addends of the only row. */
typedef struct Wanted {
  int lip, keep, last;
} Wanted;

/* a[i] (+)= E of cells i of n <= 3 rows, b[i] (+)= these times their values, row by row. Is no cell too large? If one is, only sums
 * that it goes into are of no use. */
THNN_INLINE int weighFewRows(Wanted wanted, int n, int add, const SoftPool *s, Plane c, const Block *block, const Buffers *to)
{
  const int lip = wanted.lip, keep = wanted.keep, last = wanted.last;
  const THNN_REAL scale = s->scale;
  const int64_t pitch = block->pitch, cells = block->wide;
  const real *x = c.x, *l = c.l;
  real *a = to->a, *b = to->b, *e = to->e, *la = to->la, *lb = to->lb;
  const real *x1 = x + pitch, *x2 = x1 + pitch, *l1 = l + pitch, *l2 = l1 + pitch;
  real *e1 = e + cells, *e2 = e1 + cells;
  lane value = 0, logit = 0;
#pragma omp simd reduction(max : value, logit)
  for (int64_t i = 0; i < cells; i++) {
    Weighed w = {add ? a[i] : 0, add ? b[i] : 0, value, logit};
    const THNN_REAL w0 = weighCell(lip, scale, x[i], l[i], &w);
    const THNN_REAL w1 = n > 1 ? weighCell(lip, scale, x1[i], l1[i], &w) : 0;
    const THNN_REAL w2 = n > 2 ? weighCell(lip, scale, x2[i], l2[i], &w) : 0;
    a[i] = w.sum;
    b[i] = w.product;
    if (last) la[i] = w0;
    if (last) lb[i] = w0 * x[i];
    if (keep) e[i] = w0;
    if (keep && n > 1) e1[i] = w1;
    if (keep && n > 2) e2[i] = w2;
    value = w.value;
    logit = w.logit;
  }
  return value <= magnitude(s->limit) && (!lip || logit <= magnitude(CALM_LOGIT));
}

THNN_INLINE void clearPads(real *a, const Block *b)
{
  const int64_t length = paddedLength(&b->w);
  for (int64_t i = 0; i < b->w.pad; i++) a[i] = 0;
  for (int64_t i = b->w.pad + b->cells; i < length; i++) a[i] = 0;
}

/* The sums of all rows of a block; the first row is in a, b already if `first` is 1. `last`: the last row is wanted alone, too.
 * Are all its windows calm? */
THNN_INLINE int weighRows(int lip, int keep, int first, int last, const SoftPool *s, Plane c, const Block *b, const Buffers *r)
{
  const int64_t pad = b->w.pad, n = b->wide, rows = b->rows - last;
  const Wanted plain = {lip, keep, 0}, alone = {lip, keep, 1};
  Buffers to = {.a = r->a + pad, .b = r->b + pad, .la = r->la + pad, .lb = r->lb + pad, .e = r->e};
  clearPads(r->a, b);
  clearPads(r->b, b);
  if (first && keep) memcpy(r->e, to.a, (size_t)n * sizeof(real));
  int calm = 1;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = first, few; h < rows; h += few) {
      const Plane from = planeFrom(c, t * b->slice + h * b->pitch);
      const int64_t left = rows - h;
      const int add = t + h > 0;
      if (keep) to.e = r->e + (t * b->rows + h) * n;
      few = left % 3 ? left % 3 : 3;
      if (few == 1) calm &= weighFewRows(plain, 1, add, s, from, b, &to);
      else if (few == 2) calm &= weighFewRows(plain, 2, add, s, from, b, &to);
      else calm &= weighFewRows(plain, 3, add, s, from, b, &to);
    }
  if (keep) to.e = r->e + rows * n;
  if (last) calm &= weighFewRows(alone, 1, rows > 0, s, planeFrom(c, rows * b->pitch), b, &to);
  return calm;
}

/* s[o] = sum of window o over the padded row a, v[o] likewise of b; and back, to every cell, from rows that go on with zeros */
THNN_KERNEL void addBoth(real *s, real *v, const real *a, const real *b, const Axis *w)
{
  sumColumns(s, a, w);
  sumColumns(v, b, w);
}

THNN_KERNEL void spreadBoth(real *a, real *b, const real *s, const real *v, const Axis *w)
{
  spreadColumns(a, s, w);
  spreadColumns(b, v, w);
}

/* Gradients of one row, from its weights e and from p and q, what its calm windows send. `large`: too large cells get none. */
THNN_INLINE void addGradients(int lip, int large, THNN_REAL limit, Plane c, const real *e, const real *p, const real *q, int64_t cells)
{
  const real *x = c.x, *l = c.l;
  real *gx = c.gx, *gl = c.gl;
#pragma omp simd
  for (int64_t i = 0; i < cells; i++) {
    const int none = large & (!(real_abs(x[i]) <= limit) | !(real_abs(lip ? l[i] : 0) <= CALM_LOGIT));
    if (lip) {
      gx[i] += none ? 0 : e[i] * p[i];
      gl[i] += none ? 0 : e[i] * (x[i] * p[i] - q[i]);
    } else {
      gx[i] += none ? 0 : e[i] * (x[i] * p[i] + q[i]);
    }
  }
}

THNN_KERNEL void calmGradients(int lip, int large, const SoftPool *s, Plane c, const real *g, const Block *b, const Buffers *r)
{
  const int64_t out = b->w.out;
  const THNN_REAL beta = s->exact ? s->beta : 0;
  real *restrict p = r->s, *restrict q = r->v;
  const real *restrict isLarge = r->large;
  for (int64_t o = 0; o < out; o++) {
    const THNN_REAL inverse = 1 / p[o], share = g[o] * inverse, mean = q[o] * inverse;
    const int none = large && isLarge[o] != 0;
    p[o] = none ? 0 : (lip ? share : share * beta);
    q[o] = none ? 0 : (lip ? share * mean : share * (1 - beta * mean));
  }
  for (int64_t o = out; o < out + 2; o++) p[o] = q[o] = 0;
  spreadBoth(r->a, r->b, p, q, &b->w);
  const real *e = r->e, *a = r->a + b->w.pad, *v = r->b + b->w.pad;
  const THNN_REAL limit = s->limit;
  const int64_t n = b->cells;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = 0; h < b->rows; h++, e += b->wide) {
      const Plane row = planeFrom(c, t * b->slice + h * b->pitch);
      if (lip && large) addGradients(1, 1, limit, row, e, a, v, n);
      else if (lip) addGradients(1, 0, limit, row, e, a, v, n);
      else if (large) addGradients(0, 1, limit, row, e, a, v, n);
      else addGradients(0, 0, limit, row, e, a, v, n);
    }
}

/* ---- other windows */

enum {
  LARGEST,
  SUMS,
  GRADIENTS,
};

/* Weight of a cell in a window whose largest logit, or value in SoftPool, is m; and its value, in SoftPool counted from m. `share`
 * keeps sums of weights below 1. */
THNN_INLINE THNN_REAL windowWeight(int lip, THNN_REAL beta, THNN_REAL x, THNN_REAL l, THNN_REAL m, THNN_REAL share,
                                   THNN_REAL *value)
{
  const THNN_REAL key = lip ? l : x, distance = key == m ? 0 : key - m;
  *value = lip ? x : distance;
  return share * real_exp(lip ? distance : (beta > 0 ? beta * distance : 0));
}

/* One pass over all cells of all windows of a block:
 *   LARGEST    m[o] = the largest logit, or NaN; large[o] = is the window not calm?
 *   SUMS       ws[o] = sum of weights, wv[o] = sum of weights times values
 *   GRADIENTS  ws[o] is 1 / the former, 0 where nothing is to be sent; wv[o] is the mean */
THNN_INLINE void passWindows(int pass, int lip, int64_t stride, const SoftPool *s, Plane c, const Block *b, const Buffers *r,
                             const real *g)
{
  const real *x = c.x, *l = c.l;
  real *restrict gx = c.gx, *restrict gl = c.gl;
  real *restrict cell = r->a, *restrict logit = r->b, *restrict toX = r->la, *restrict toLogit = r->lb; /* free by now */
  const THNN_REAL beta = s->beta, limit = s->limit, share = (THNN_REAL)1 / (THNN_REAL)(b->slices * b->rows * b->cells);
  const int exact = s->exact;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = 0; h < b->rows; h++)
      for (int64_t j = 0; j < b->w.kernel; j++) {
        /* The windows whose cell j is on the input: n, beginning with the first. */
        const int64_t shift = j - b->w.pad, first = THNN_ceilDiv(THNN_max(-shift, 0), stride);
        const int64_t n = THNN_min(b->w.out, THNN_ceilDiv(b->cells - shift, stride)) - first;
        const int64_t at = t * b->slice + h * b->pitch + shift + first * stride;
        real *restrict sum = r->ws + first, *restrict product = r->wv + first;
        real *restrict m = r->m + first, *restrict large = r->large + first;
#pragma omp simd
        for (int64_t o = 0; o < n; o++) cell[o] = x[at + o * stride];
        if (lip)
#pragma omp simd
          for (int64_t o = 0; o < n; o++) logit[o] = l[at + o * stride];
        if (pass == LARGEST) {
#pragma omp simd
          for (int64_t o = 0; o < n; o++) {
            const THNN_REAL key = lip ? logit[o] : cell[o], old = m[o];
            m[o] = (!(key <= old) & (old == old)) ? key : old;
            large[o] = ((real_abs(cell[o]) <= limit) & (real_abs(lip ? key : 0) <= CALM_LOGIT)) ? large[o] : 1;
          }
        } else if (pass == SUMS) {
#pragma omp simd
          for (int64_t o = 0; o < n; o++) {
            THNN_REAL value;
            const THNN_REAL weight = windowWeight(lip, beta, cell[o], lip ? logit[o] : 0, m[o], share, &value);
            const THNN_REAL term = weight * value;
            sum[o] += weight;
            product[o] += weight == 0 ? 0 : term;
          }
        } else {
#pragma omp simd
          for (int64_t o = 0; o < n; o++) {
            THNN_REAL value;
            const THNN_REAL weight = sum[o] * windowWeight(lip, beta, cell[o], lip ? logit[o] : 0, m[o], share, &value);
            const THNN_REAL sent = g[first + o] * weight, slope = sent * (value - product[o]);
            toX[o] = weight == 0 ? 0 : sent;
            toLogit[o] = weight == 0 ? 0 : slope;
          }
#pragma omp simd
          for (int64_t o = 0; o < n; o++) gx[at + o * stride] += lip || !exact ? toX[o] : toX[o] + beta * toLogit[o];
          if (lip)
#pragma omp simd
            for (int64_t o = 0; o < n; o++) gl[at + o * stride] += toLogit[o];
        }
      }
}

THNN_INLINE void eachWindow(int pass, int lip, const SoftPool *s, Plane c, const Block *b, const Buffers *r, const real *g)
{
  if (b->w.stride == 1) passWindows(pass, lip, 1, s, c, b, r, g);
  else if (b->w.stride == 2) passWindows(pass, lip, 2, s, c, b, r, g);
  else passWindows(pass, lip, b->w.stride, s, c, b, r, g);
}

/* m, large, ws and wv of all windows of a block. */
THNN_KERNEL void sumWindows(int lip, const SoftPool *s, Plane c, const Block *b, const Buffers *r)
{
  for (int64_t o = 0; o < b->w.out; o++) {
    r->m[o] = -INFINITY;
    r->large[o] = r->ws[o] = r->wv[o] = 0;
  }
  eachWindow(LARGEST, lip, s, c, b, r, NULL);
  if (!lip && s->beta == 0) /* an average: values count from 0, for infinite ones must stay infinite */
    for (int64_t o = 0; o < b->w.out; o++) r->m[o] = 0;
  eachWindow(SUMS, lip, s, c, b, r, NULL);
}

THNN_KERNEL void largeGradients(int lip, const SoftPool *s, Plane c, const real *g, const Block *b, const Buffers *r)
{
  for (int64_t o = 0; o < b->w.out; o++) {
    const THNN_REAL inverse = 1 / r->ws[o];
    const int none = r->large[o] == 0 || (!lip && r->m[o] == -INFINITY);
    r->wv[o] *= inverse;
    r->ws[o] = none ? 0 : inverse;
  }
  eachWindow(GRADIENTS, lip, s, c, b, r, g);
}

/* ---- windows with an infinite g */

THNN_INLINE int isInfinite(THNN_REAL g) { return real_abs(g) == (THNN_REAL)INFINITY; }

/* True if one of n gradients is infinite, which is 0 in `finite`. */
THNN_INLINE int takeInfinite(real *restrict finite, const real *restrict g, int64_t n)
{
  int any = 0;
  for (int64_t o = 0; o < n; o++) any |= isInfinite(g[o]);
  if (any)
    for (int64_t o = 0; o < n; o++) finite[o] = isInfinite(g[o]) ? 0 : g[o];
  return any;
}

static void spreadInfinite(int lip, const SoftPool *s, Plane c, double g, WindowAt o)
{
  if (lip) THNN_(importanceWindow)(c.gx, c.gl, c.x, c.l, g, &s->p, o);
  else THNN_(softWindow)(c.gx, c.x, g, (double)s->beta, s->exact, &s->p, o);
}

/* ---- planes */

/* Sums of the windows of a block. Are all of them calm? If not, m, large, ws and wv are there, too. */
THNN_INLINE int weigh(int lip, int keep, const SoftPool *s, Plane c, const Block *b, int shared, Buffers *r)
{
  const int first = r->last, last = shared && b->slices == 1;
  if (first) {
    real *a = r->a, *v = r->b;
    r->a = r->la, r->b = r->lb, r->la = a, r->lb = v;
  }
  const int calm = weighRows(lip, keep, first, last, s, c, b, r);
  r->last = calm && last;
  addBoth(r->s, r->v, r->a, r->b, &b->w);
  if (!calm) sumWindows(lip, s, c, b, r);
  return calm;
}

/* True if this row of windows and the next one share one row of cells, and each is in one piece. */
THNN_INLINE int sharesRow(const Space *p, int64_t oh)
{
  return p->w.out <= PIECE && oh + 1 < p->h.out && windowStart(&p->h, oh + 1) == windowEnd(&p->h, oh) - 1;
}

THNN_INLINE void poolPlane(int lip, real *y, Plane c, const SoftPool *s, Buffers *r)
{
  const Space *p = &s->p;
  for (int64_t ot = 0; ot < p->t.out; ot++)
    for (int64_t oh = 0; oh < p->h.out; oh++) {
      for (int64_t ow = 0; ow < p->w.out; ow += PIECE) {
        const Block b = newBlock(p, ot, oh, ow);
        const int calm = weigh(lip, 0, s, planeFrom(c, b.offset), &b, sharesRow(p, oh), r);
        const real *restrict sum = r->s, *restrict product = r->v;
        for (int64_t o = 0; o < b.w.out; o++) y[o] = product[o] / sum[o];
        if (!calm)
          for (int64_t o = 0; o < b.w.out; o++)
            if (r->large[o] != 0) y[o] = (lip ? 0 : r->m[o]) + r->wv[o] / r->ws[o];
        y += b.w.out;
      }
    }
}

THNN_INLINE void backwardPlane(int lip, const real *g, Plane c, const SoftPool *s, Buffers *r)
{
  const Space *p = &s->p;
  int64_t clean = 0; /* cells that have been set to 0, shortly before they are needed */
  for (int64_t ot = 0; ot < p->t.out; ot++)
    for (int64_t oh = 0; oh < p->h.out; oh++) {
      const int end = ot == p->t.out - 1 && oh == p->h.out - 1;
      const int64_t slices = windowEnd(&p->t, ot), rows = slices > 1 ? p->h.in : windowEnd(&p->h, oh);
      const int64_t needed = end ? planeCells(p) : ((slices - 1) * p->h.in + rows) * p->w.in;
      if (needed > clean) {
        memset(c.gx + clean, 0, (size_t)(needed - clean) * sizeof(real));
        if (lip) memset(c.gl + clean, 0, (size_t)(needed - clean) * sizeof(real));
        clean = needed;
      }
      for (int64_t ow = 0; ow < p->w.out; ow += PIECE) {
        const Block b = newBlock(p, ot, oh, ow);
        const Plane block = planeFrom(c, b.offset);
        const int infinite = takeInfinite(r->g, g, b.w.out);
        const real *sent = infinite ? r->g : g;
        if (weigh(lip, 1, s, block, &b, sharesRow(p, oh), r)) {
          calmGradients(lip, 0, s, block, sent, &b, r);
        } else {
          calmGradients(lip, 1, s, block, sent, &b, r);
          for (int64_t o = 0; infinite && o < b.w.out; o++) /* for an infinite mean, even 0 times the slope would be NaN */
            if (isInfinite(g[o])) r->large[o] = 0;
          largeGradients(lip, s, block, sent, &b, r);
        }
        for (int64_t o = 0; infinite && o < b.w.out; o++)
          if (isInfinite(g[o])) spreadInfinite(lip, s, c, (double)g[o], (WindowAt){ot, oh, ow + o});
        g += b.w.out;
      }
    }
}

/* ---- all planes, by threads */

/* Each thread's rows: how many elements they have in all, and in each of them. */
typedef struct Scratch {
  int threads;
  int64_t all, padded, out;
  real *memory;
} Scratch;

/* Backward keeps the weights of a block, and has twice the work. */
static Scratch newScratch(Call *call, const Space *p, int backward)
{
  int64_t padded = 0, cells = 0;
  for (int64_t ow = 0; ow < p->w.out; ow += PIECE) {
    const Block b = newBlock(p, 0, 0, ow);
    padded = THNN_max(padded, paddedLength(&b.w));
    cells = THNN_max(cells, b.wide);
  }
  const int64_t rows = THNN_min(p->t.kernel, p->t.in) * THNN_min(p->h.kernel, p->h.in);
  Scratch scratch = {.padded = THNN_perThread(padded + MULTIPLE), .out = THNN_perThread(THNN_min(p->w.out, PIECE) + 4)};
  scratch.all = 4 * scratch.padded + 7 * scratch.out + (backward ? THNN_perThread(rows * cells) : 0);
  scratch.threads = THNN_threads(call, p->planes * (planeCells(p) * (backward ? 16 : 8) + planeOutputs(p)));
  scratch.memory = THNN_scratch(call, scratch.threads * scratch.all, sizeof(real));
  return scratch;
}

/* This thread's rows, for one plane. */
static Buffers threadBuffers(const Scratch *scratch)
{
  real *a = scratch->memory + THNN_threadId() * scratch->all, *b = a + scratch->padded, *s = a + 4 * scratch->padded + 2;
  for (int i = 1; i <= 2; i++) s[-i] = s[scratch->out - i] = 0;
  real *m = s + 2 * scratch->out;
  return (Buffers){a, b, b + scratch->padded, b + 2 * scratch->padded, 0, s, s + scratch->out, m, m + scratch->out, m + 2 * scratch->out,
                   m + 3 * scratch->out, m + 4 * scratch->out - 2, m + 5 * scratch->out - 2};
}

/* ---- the functions for the layers. SoftPool's cells are their own logits, and its gradients go to one plane. */

THNN_KERNEL void softPoolPlane(real *y, Plane c, const SoftPool *s, Buffers *r) { poolPlane(0, y, c, s, r); }
THNN_KERNEL void lipPoolPlane(real *y, Plane c, const SoftPool *s, Buffers *r) { poolPlane(1, y, c, s, r); }

THNN_KERNEL void softBackwardPlane(const real *g, Plane c, const SoftPool *s, Buffers *r) { backwardPlane(0, g, c, s, r); }
THNN_KERNEL void lipBackwardPlane(const real *g, Plane c, const SoftPool *s, Buffers *r) { backwardPlane(1, g, c, s, r); }

void THNN_(softMeans)(Call *call, real *y, const real *x, const SoftWeights *w, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  SoftPool s = {.p = *p};
  setBeta(&s, w->logit != NULL, (THNN_REAL)w->beta);
  const Scratch scratch = newScratch(call, p, 0);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(scratch.threads)
  for (int64_t i = 0; i < p->planes; i++) {
    Buffers r = threadBuffers(&scratch);
    const Plane c = planeFrom((Plane){x, w->logit ? w->logit : x, NULL, NULL}, i * cells);
    if (w->logit) lipPoolPlane(y + i * outputs, c, &s, &r);
    else softPoolPlane(y + i * outputs, c, &s, &r);
  }
}

void THNN_(softGradients)(Call *call, real *gx, real *gl, const real *x, const real *g, const SoftWeights *w, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  SoftPool s = {.p = *p};
  setBeta(&s, w->logit != NULL, (THNN_REAL)w->beta);
  s.exact &= w->exact;
  const Scratch scratch = newScratch(call, p, 1);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(scratch.threads)
  for (int64_t i = 0; i < p->planes; i++) {
    Buffers r = threadBuffers(&scratch);
    const Plane c = planeFrom((Plane){x, w->logit ? w->logit : x, gx, gl}, i * cells);
    if (w->logit) lipBackwardPlane(g + i * outputs, c, &s, &r);
    else softBackwardPlane(g + i * outputs, c, &s, &r);
  }
}

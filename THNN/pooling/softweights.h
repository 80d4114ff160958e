/* Means of windows whose cells weigh exp(logit): what SoftPool and local importance pooling are.
 *
 *   y[o] = sum over i in window(o) of w[o,i] x[i],   w[o,i] = exp(l[i]) / sum over j in window(o) of exp(l[j])
 *   gradX[i] = sum over o of g[o] w[o,i],   gradL[i] = sum over o of g[o] w[o,i] (x[i] - y[o])
 *
 * SoftPool is the case l = beta x, where the two gradients make one: gradX[i] + beta gradL[i].
 *
 * exp(l - m) with any m gives the same weights, so that no logit is too large; m decides how fast it goes. The work is cut into
 * blocks, the cells that a piece of one row of windows sees.
 *   - A calm block is one whose logits lie within CALM of some m. One exponential per cell, E = exp(l - m), then serves all windows
 *     of the block, and none comes near overflow or underflow. With S[o] = sum E and p[o] = g[o] / S[o]
 *         gradX[i] = E[i] sum over o of p[o],   gradL[i] = E[i] (x[i] sum over o of p[o] - sum over o of p[o] y[o])
 *     so that backward, too, works along whole rows. Values x count from the middle of a block, lest that difference lose its digits.
 *     Blocks keep the m of the one before as long as they are calm with it. A row that both see then need not be weighed again.
 *   - In any other block m is the largest logit of each window, with an exponential for each cell of each window. Infinite and
 *     NaN cells come here. Cells of equal logits, infinite ones too, have equal weights; a cell without weight counts for nothing,
 *     even if it is infinite; NaN goes to the windows that see it. Where all cells of a SoftPool window are -inf the output is -inf
 *     and the gradient 0.
 * One thread works on a plane, block by block, so that sums have one order. */
#ifndef THNN_POOLING_SOFTWEIGHTS_H
#define THNN_POOLING_SOFTWEIGHTS_H

#include <math.h>
#include "core/vmath.h"
#include "pooling/window.h"

/* Windows in a piece: its rows stay in the first level cache, and an outlier slows down no more than a piece. */
enum { PIECE = 512 };

static const THNN_REAL CALM = 16;  /* exp(CALM) squared is far from overflow, and the digits that l - m loses do not count */
static const THNN_REAL NEAR = 1e9; /* values of a calm block lie within this of their middle: sums of E x are far from overflow, too */
static const THNN_REAL LOG2E = 1.4426950408889634;

typedef struct SoftPool {
  Windows p;
  THNN_REAL beta;
  int exact; /* the derivative, or g w alone */
} SoftPool;

/* The cells of one piece of a row of windows: slices x rows of `cells` cells, `slice` and `pitch` apart. `w` is their axis. */
typedef struct Block {
  Axis w;
  int64_t offset, slices, rows, cells, slice, pitch;
} Block;

/* How the cells of a calm block weigh: 2^(scale * (l - lMid)), or 2^(scale * (x - xMid)) in SoftPool. */
typedef struct Calm {
  THNN_REAL scale, xMid, lMid, xRoom, lRoom; /* the rooms say how far from the middles cells may be */
} Calm;

/* What a thread keeps from block to block of a plane. */
typedef struct Rows {
  real *a, *b;     /* over the padded axis of a piece: sums of E and of E x over the rows of a block */
  real *la, *lb;   /* the same of the last row alone */
  real *s, *v, *m; /* over its windows; two zeros before s and v */
  real *e;         /* the weights of all cells of a block */
  Calm calm;
  int known, last; /* is there a Calm? does the last block's last row lie in la, lb? */
} Rows;

THNN_INLINE Block blockOf(const Windows *p, int64_t ot, int64_t oh, int64_t ow)
{
  const int64_t n = THNN_min(p->w.out - ow, PIECE), t = windowStart(&p->t, ot), h = windowStart(&p->h, oh);
  const int64_t begin = ow * p->w.stride - p->w.pad, start = windowStart(&p->w, ow), cells = windowEnd(&p->w, ow + n - 1) - start;
  const int64_t stride = n > 1 ? p->w.stride : 1, reach = (n - 1) * stride;
  /* What no window needs of its padding goes: a huge kernel has no more work, nor longer rows, than the input asks for. */
  const int64_t excess = THNN_max(start - begin - reach, 0), pad = start - begin - excess;
  Block b;
  b.w = (Axis){cells, n, THNN_min(p->w.kernel - excess, pad + cells), stride, pad, 1};
  b.offset = (t * p->h.in + h) * p->w.in + start;
  b.slices = windowEnd(&p->t, ot) - t;
  b.rows = windowEnd(&p->h, oh) - h;
  b.cells = cells;
  b.slice = p->h.in * p->w.in;
  b.pitch = p->w.in;
  return b;
}

/* ---- calm blocks */

/* The middle of the block's values. Do they lie within 2 room of one another? NaN goes unnoticed here. */
THNN_INLINE int middle(const real *x, const Block *b, THNN_REAL room, THNN_REAL *mid)
{
  THNN_REAL low = INFINITY, high = -INFINITY;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = 0; h < b->rows; h++) {
      const real *row = x + t * b->slice + h * b->pitch;
#pragma omp simd reduction(min : low) reduction(max : high)
      for (int64_t i = 0; i < b->cells; i++) {
        const THNN_REAL v = row[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
      }
    }
  *mid = low + (high - low) / 2;
  return (high - low) / 2 <= room;
}

/* |x| as an integer that is the larger the larger x is, NaN above all: its maximum is one instruction. */
THNN_INLINE lane magnitude(THNN_REAL x) { return (lane)(VM_REAL(bits)(x) << 1 >> 1); }

/* What one cell adds to sums of weights and of weighted values, and how far from the middles the cells are. */
typedef struct Weighed {
  THNN_REAL sum, product;
  lane far, farLogit;
} Weighed;

THNN_INLINE THNN_REAL weighCell(int lip, const Calm *c, THNN_REAL x, THNN_REAL l, Weighed *w)
{
  const THNN_REAL z = x - c->xMid, t = l - c->lMid, weight = real_exp2Near(c->scale * (lip ? t : z));
  w->sum += weight;
  w->product += weight * z;
  w->far = magnitude(z) > w->far ? magnitude(z) : w->far;
  if (lip) w->farLogit = magnitude(t) > w->farLogit ? magnitude(t) : w->farLogit;
  return weight;
}

/* a[i] (+)= the weights of cells i of n <= 3 rows, b[i] (+)= these times their values. `keep`: e keeps the weights; `last`: la and lb
 * get the addends. Are all cells within their room? */
THNN_INLINE int weighFewRows(int lip, int n, int add, int keep, int last, const real *x, const real *l, int64_t pitch,
                             int64_t cells, const Calm *calm, real *restrict a, real *restrict b, real *restrict e,
                             real *restrict la, real *restrict lb)
{
  const Calm c = *calm;
  const real *x1 = x + pitch, *x2 = x1 + pitch, *l1 = l + pitch, *l2 = l1 + pitch;
  real *e1 = e + cells, *e2 = e1 + cells;
  lane far = 0, farLogit = 0;
#pragma omp simd reduction(max : far) reduction(max : farLogit)
  for (int64_t i = 0; i < cells; i++) {
    Weighed w = {0, 0, far, farLogit};
    const THNN_REAL w0 = weighCell(lip, &c, x[i], l[i], &w);
    const THNN_REAL w1 = n > 1 ? weighCell(lip, &c, x1[i], l1[i], &w) : 0;
    const THNN_REAL w2 = n > 2 ? weighCell(lip, &c, x2[i], l2[i], &w) : 0;
    a[i] = add ? a[i] + w.sum : w.sum;
    b[i] = add ? b[i] + w.product : w.product;
    if (last) la[i] = w.sum;
    if (last) lb[i] = w.product;
    if (keep) e[i] = w0;
    if (keep && n > 1) e1[i] = w1;
    if (keep && n > 2) e2[i] = w2;
    far = w.far;
    farLogit = w.farLogit;
  }
  return far <= magnitude(c.xRoom) && (!lip || farLogit <= magnitude(c.lRoom));
}

THNN_INLINE void clearPads(real *a, const Block *b)
{
  const int64_t length = paddedLength(&b->w);
  for (int64_t i = 0; i < b->w.pad; i++) a[i] = 0;
  for (int64_t i = b->w.pad + b->cells; i < length; i++) a[i] = 0;
}

/* The sums of all rows of a block; the first row is in a, b already if `first` is 1. `last`: the last row is wanted alone, too.
 * Are all cells within their room? If not, the sums are of no use. */
THNN_INLINE int weighRows(int lip, int keep, int first, int last, const real *x, const real *l, const Block *b, const Rows *r)
{
  const int64_t pad = b->w.pad, n = b->cells, pitch = b->pitch, rows = b->rows - last;
  const Calm *c = &r->calm;
  real *a = r->a + pad, *v = r->b + pad, *la = r->la + pad, *lb = r->lb + pad, *e = r->e;
  clearPads(r->a, b);
  clearPads(r->b, b);
  if (first && keep) memcpy(e, a, (size_t)n * sizeof(real));
  int ok = 1;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = first, few; h < rows && ok; h += few) {
      const int64_t at = t * b->slice + h * pitch, left = rows - h;
      const int add = t + h > 0;
      real *to = e + (t * b->rows + h) * n;
      few = left % 3 ? left % 3 : 3;
      if (few == 1) ok = weighFewRows(lip, 1, add, keep, 0, x + at, l + at, pitch, n, c, a, v, to, la, lb);
      else if (few == 2) ok = weighFewRows(lip, 2, add, keep, 0, x + at, l + at, pitch, n, c, a, v, to, la, lb);
      else ok = weighFewRows(lip, 3, add, keep, 0, x + at, l + at, pitch, n, c, a, v, to, la, lb);
    }
  const int64_t at = rows * pitch;
  if (last && ok) ok = weighFewRows(lip, 1, rows > 0, keep, 1, x + at, l + at, pitch, n, c, a, v, e + rows * n, la, lb);
  return ok;
}

/* s[o] = sum over j of a[o * stride + j], v[o] likewise of b */
THNN_INLINE void addFew(real *restrict s, real *restrict v, const real *restrict a, const real *restrict b, int64_t out, int kernel,
                        int stride)
{
  for (int64_t o = 0; o < out; o++) {
    THNN_REAL sum = a[o * stride], product = b[o * stride];
    for (int j = 1; j < kernel; j++) {
      sum += a[o * stride + j];
      product += b[o * stride + j];
    }
    s[o] = sum;
    v[o] = product;
  }
}

THNN_INLINE void addColumns(real *restrict s, real *restrict v, const real *restrict a, const real *restrict b, const Axis *w)
{
  const int64_t out = w->out, kernel = w->kernel, stride = w->stride;
  if (kernel == 2 && stride == 1) addFew(s, v, a, b, out, 2, 1);
  else if (kernel == 2 && stride == 2) addFew(s, v, a, b, out, 2, 2);
  else if (kernel == 3 && stride == 1) addFew(s, v, a, b, out, 3, 1);
  else if (kernel == 3 && stride == 2) addFew(s, v, a, b, out, 3, 2);
  else {
    for (int64_t o = 0; o < out; o++) s[o] = v[o] = 0;
    for (int64_t j = 0; j < kernel; j++)
      for (int64_t o = 0; o < out; o++) {
        s[o] += a[o * stride + j];
        v[o] += b[o * stride + j];
      }
  }
}

/* a[i] = sum of s[o] over the windows that see cell i of the padded axis, b[i] likewise of v. s and v go on with zeros. */
THNN_INLINE void spreadFew(real *restrict a, real *restrict b, const real *restrict s, const real *restrict v, int64_t out,
                           int kernel, int stride)
{
  const int before = (kernel - 1) / stride;
  for (int64_t o = 0; o < out + before; o++)
    for (int phase = 0; phase < stride; phase++) {
      THNN_REAL sum = s[o], product = v[o];
      for (int back = 1; back * stride + phase < kernel; back++) {
        sum += s[o - back];
        product += v[o - back];
      }
      a[o * stride + phase] = sum;
      b[o * stride + phase] = product;
    }
}

THNN_INLINE void spreadColumns(real *restrict a, real *restrict b, const real *restrict s, const real *restrict v, const Axis *w)
{
  const int64_t out = w->out, kernel = w->kernel, stride = w->stride, length = paddedLength(w);
  if (kernel == 2 && stride == 1) spreadFew(a, b, s, v, out, 2, 1);
  else if (kernel == 2 && stride == 2) spreadFew(a, b, s, v, out, 2, 2);
  else if (kernel == 3 && stride == 1) spreadFew(a, b, s, v, out, 3, 1);
  else if (kernel == 3 && stride == 2) spreadFew(a, b, s, v, out, 3, 2);
  else {
    for (int64_t i = 0; i < length; i++) a[i] = b[i] = 0;
    for (int64_t j = 0; j < kernel; j++)
      for (int64_t o = 0; o < out; o++) {
        a[o * stride + j] += s[o];
        b[o * stride + j] += v[o];
      }
  }
}

/* Gradients of one row, from its weights e and from p and q, what its windows send. */
THNN_INLINE void addGradients(int lip, THNN_REAL xMid, const real *x, const real *e, const real *p, const real *q, int64_t cells,
                              real *restrict gx, real *restrict gl)
{
  for (int64_t i = 0; i < cells; i++) {
    const THNN_REAL z = x[i] - xMid;
    if (lip) {
      gx[i] += e[i] * p[i];
      gl[i] += e[i] * (z * p[i] - q[i]);
    } else {
      gx[i] += e[i] * (z * p[i] + q[i]);
    }
  }
}

THNN_INLINE void calmGradients(int lip, const SoftPool *s, const real *x, const real *g, const Block *b, const Rows *r, real *gx,
                               real *gl)
{
  const int64_t out = b->w.out;
  const THNN_REAL beta = s->exact ? s->beta : 0;
  real *restrict p = r->s, *restrict q = r->v;
  for (int64_t o = 0; o < out; o++) {
    const THNN_REAL inverse = 1 / p[o], share = g[o] * inverse, mean = q[o] * inverse;
    p[o] = lip ? share : share * beta;
    q[o] = lip ? share * mean : share * (1 - beta * mean);
  }
  for (int64_t o = out; o < out + 2; o++) p[o] = q[o] = 0;
  spreadColumns(r->a, r->b, p, q, &b->w);
  const real *e = r->e;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = 0; h < b->rows; h++, e += b->cells) {
      const int64_t at = t * b->slice + h * b->pitch;
      addGradients(lip, r->calm.xMid, x + at, e, r->a + b->w.pad, r->b + b->w.pad, b->cells, gx + at, gl + at);
    }
}

/* ---- all other blocks */

enum { LARGEST, SUMS, GRADIENTS };

/* Value and weight of a cell in a window whose largest logit, or value in SoftPool, is m. The value is counted from m in SoftPool.
 * `share` keeps sums of weights below 1. */
THNN_INLINE THNN_REAL windowWeight(int lip, THNN_REAL beta, THNN_REAL x, THNN_REAL l, THNN_REAL m, THNN_REAL share,
                                   THNN_REAL *value)
{
  const THNN_REAL key = lip ? l : x, distance = key == m ? 0 : key - m;
  *value = lip ? x : distance;
  return share * real_exp(lip ? distance : beta > 0 ? beta * distance : 0);
}

/* One pass over all cells of all windows of a block:
 *   LARGEST    m[o] = the largest logit, or NaN
 *   SUMS       s[o] = sum of weights, v[o] = sum of weights times values
 *   GRADIENTS  s[o] is 1 / the former, v[o] the mean */
THNN_INLINE void passWindows(int pass, int lip, int stride, const SoftPool *s, const real *x, const real *l, const Block *b,
                             const Rows *r, const real *g, real *restrict gx, real *restrict gl)
{
  real *restrict sum = r->s, *restrict product = r->v, *restrict m = r->m;
  const THNN_REAL beta = s->beta, share = (THNN_REAL)1 / (THNN_REAL)(b->slices * b->rows * b->cells);
  const int exact = s->exact;
  for (int64_t t = 0; t < b->slices; t++)
    for (int64_t h = 0; h < b->rows; h++)
      for (int64_t j = 0; j < b->w.kernel; j++) {
        /* The windows whose cell j is on the input. */
        const int64_t shift = j - b->w.pad, first = THNN_ceilDiv(THNN_max(-shift, 0), stride);
        const int64_t end = THNN_min(b->w.out, THNN_ceilDiv(b->cells - shift, stride));
        const int64_t at = t * b->slice + h * b->pitch + shift;
        for (int64_t o = first; o < end; o++) {
          const int64_t i = at + o * stride;
          if (pass == LARGEST) {
            const THNN_REAL key = lip ? l[i] : x[i];
            m[o] = !(key <= m[o]) & (m[o] == m[o]) ? key : m[o];
            continue;
          }
          THNN_REAL value;
          const THNN_REAL weight = windowWeight(lip, beta, x[i], lip ? l[i] : 0, m[o], share, &value);
          if (pass == SUMS) {
            sum[o] += weight;
            product[o] += weight == 0 ? 0 : weight * value;
            continue;
          }
          const THNN_REAL toX = g[o] * (weight * sum[o]);
          const THNN_REAL toLogit = toX == 0 ? 0 : toX * (value - product[o]);
          gx[i] += lip || !exact ? toX : toX + beta * toLogit;
          if (lip) gl[i] += toLogit;
        }
      }
}

THNN_INLINE void eachWindow(int pass, int lip, const SoftPool *s, const real *x, const real *l, const Block *b, const Rows *r,
                            const real *g, real *gx, real *gl)
{
  if (b->w.stride == 1) passWindows(pass, lip, 1, s, x, l, b, r, g, gx, gl);
  else if (b->w.stride == 2) passWindows(pass, lip, 2, s, x, l, b, r, g, gx, gl);
  else passWindows(pass, lip, (int)b->w.stride, s, x, l, b, r, g, gx, gl);
}

/* Sums and bases of all windows of a block. */
THNN_INLINE void sumWindows(int lip, const SoftPool *s, const real *x, const real *l, const Block *b, const Rows *r)
{
  const int average = !lip && s->beta == 0; /* then values count from 0: infinite ones must stay infinite */
  for (int64_t o = 0; o < b->w.out; o++) {
    r->m[o] = average ? 0 : -INFINITY;
    r->s[o] = r->v[o] = 0;
  }
  if (!average) eachWindow(LARGEST, lip, s, x, l, b, r, NULL, NULL, NULL);
  eachWindow(SUMS, lip, s, x, l, b, r, NULL, NULL, NULL);
}

THNN_INLINE void windowGradients(int lip, const SoftPool *s, const real *x, const real *l, const real *g, const Block *b,
                                 const Rows *r, real *gx, real *gl)
{
  for (int64_t o = 0; o < b->w.out; o++) {
    const THNN_REAL inverse = 1 / r->s[o];
    r->v[o] *= inverse;
    r->s[o] = !lip && r->m[o] == -INFINITY ? 0 : inverse;
  }
  eachWindow(GRADIENTS, lip, s, x, l, b, r, g, gx, gl);
}

/* ---- planes */

/* Weights and sums of the windows of a block. Is it calm? */
THNN_INLINE int weigh(int lip, int keep, const SoftPool *s, const real *x, const real *l, const Block *b, int shared, Rows *r)
{
  const int last = shared && b->slices == 1; /* the next block sees this one's last row */
  Calm *c = &r->calm;
  int calm = 0;
  if (r->known) {
    const int first = r->last;
    if (first) {
      real *a = r->a, *v = r->b;
      r->a = r->la, r->b = r->lb, r->la = a, r->lb = v;
    }
    calm = weighRows(lip, keep, first, last, x, l, b, r);
  }
  if (!calm && middle(x, b, c->xRoom, &c->xMid) && (!lip || middle(l, b, c->lRoom, &c->lMid)))
    calm = weighRows(lip, keep, 0, last, x, l, b, r);
  r->known = calm;
  r->last = calm && last;
  if (calm) addColumns(r->s, r->v, r->a, r->b, &b->w);
  else sumWindows(lip, s, x, l, b, r);
  return calm;
}

/* Do neighbours among the rows of windows share one row of cells, and is each of them in one piece? */
THNN_INLINE int sharesRow(const Windows *p, int64_t oh)
{
  return p->w.out <= PIECE && oh + 1 < p->h.out && windowStart(&p->h, oh + 1) == windowEnd(&p->h, oh) - 1;
}

THNN_INLINE void poolPlane(int lip, real *y, const real *x, const real *l, const SoftPool *s, Rows *r)
{
  const Windows *p = &s->p;
  for (int64_t ot = 0; ot < p->t.out; ot++, r->last = 0)
    for (int64_t oh = 0; oh < p->h.out; oh++)
      for (int64_t ow = 0; ow < p->w.out; ow += PIECE) {
        const Block b = blockOf(p, ot, oh, ow);
        const int calm = weigh(lip, 0, s, x + b.offset, l + b.offset, &b, sharesRow(p, oh), r);
        const THNN_REAL mid = r->calm.xMid;
        const real *restrict sum = r->s, *restrict product = r->v, *restrict m = r->m;
        if (calm) for (int64_t o = 0; o < b.w.out; o++) y[o] = mid + product[o] / sum[o];
        else for (int64_t o = 0; o < b.w.out; o++) y[o] = (lip ? 0 : m[o]) + product[o] / sum[o];
        y += b.w.out;
      }
}

/* gradL is gradX again where there are no logits. */
THNN_INLINE void spreadPlane(int lip, const SoftPool *s, const real *x, const real *l, const real *g, real *gx, real *gl, Rows *r)
{
  const Windows *p = &s->p;
  int64_t clean = 0; /* cells that have been set to 0, shortly before they are needed */
  for (int64_t ot = 0; ot < p->t.out; ot++, r->last = 0)
    for (int64_t oh = 0; oh < p->h.out; oh++) {
      const int end = ot == p->t.out - 1 && oh == p->h.out - 1;
      const int64_t slices = windowEnd(&p->t, ot), rows = slices > 1 ? p->h.in : windowEnd(&p->h, oh);
      const int64_t needed = end ? planeCells(p) : ((slices - 1) * p->h.in + rows) * p->w.in;
      if (needed > clean) {
        memset(gx + clean, 0, (size_t)(needed - clean) * sizeof(real));
        if (lip) memset(gl + clean, 0, (size_t)(needed - clean) * sizeof(real));
        clean = needed;
      }
      for (int64_t ow = 0; ow < p->w.out; ow += PIECE) {
        const Block b = blockOf(p, ot, oh, ow);
        const int64_t at = b.offset;
        if (weigh(lip, 1, s, x + at, l + at, &b, sharesRow(p, oh), r)) calmGradients(lip, s, x + at, g, &b, r, gx + at, gl + at);
        else windowGradients(lip, s, x + at, l + at, g, &b, r, gx + at, gl + at);
        g += b.w.out;
      }
    }
}

/* ---- scratch rows */

/* How many elements one thread needs in all, and in each of its rows. */
typedef struct RowSizes {
  int64_t all, padded, out;
} RowSizes;

/* `keep` is for backward. */
static RowSizes rowSizes(const Windows *p, int keep)
{
  int64_t padded = 0, cells = 0;
  for (int64_t ow = 0; ow < p->w.out; ow += PIECE) {
    const Block b = blockOf(p, 0, 0, ow);
    padded = THNN_max(padded, paddedLength(&b.w));
    cells = THNN_max(cells, b.cells);
  }
  const int64_t rows = THNN_min(p->t.kernel, p->t.in) * THNN_min(p->h.kernel, p->h.in);
  RowSizes n = {0, THNN_wholeLines(padded + 2), THNN_wholeLines(THNN_min(p->w.out, PIECE) + 4)};
  n.all = 4 * n.padded + 3 * n.out + (keep ? THNN_wholeLines(rows * cells) : 0);
  return n;
}

/* This thread's rows, for one plane. */
static Rows rowsOf(real *scratch, const RowSizes *n, int lip, THNN_REAL beta)
{
  real *a = scratch + THNN_threadId() * n->all, *b = a + n->padded, *s = a + 4 * n->padded + 2;
  for (int i = 1; i <= 2; i++) s[-i] = s[n->out - i] = 0;
  const Calm calm = {LOG2E * beta, 0, 0, lip || beta * NEAR <= CALM ? NEAR : CALM / beta, CALM};
  return (Rows){a, b, b + n->padded, b + 2 * n->padded, s, s + n->out, s + 2 * n->out, s + 3 * n->out - 2, calm, 0, 0};
}

#endif

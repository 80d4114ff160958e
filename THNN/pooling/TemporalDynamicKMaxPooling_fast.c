/* The fast loops of TemporalDynamicKMaxPooling on the host.
 *
 * Numbers become integers of the same order. The k-th largest is then found bit by bit, from the highest on, by counting how many
 * are as large: sixteen features at a time, in a time that does not depend on the numbers. */
#include "pooling/TemporalDynamicKMaxPooling.h"

#define keyFloat int32_t
#define keyDouble int64_t
typedef THNN_PASTE(key, Real, ) key;

/* Features are treated in blocks, so that rows of the input are read in pieces of whole cache lines. */
enum { FEATURES_AT_ONCE = 16 };

#define SIGN ((key)((uint64_t)1 << (8 * sizeof(key) - 1)))

/* Integers in the order of numbers: -0 equals 0, NaN comes last. */
THNN_INLINE key sortKey(real x)
{
  const THNN_REAL value = x + 0; /* -0 becomes 0 */
  key bits;
  memcpy(&bits, &value, sizeof bits);
  const key ordered = bits < 0 ? bits ^ ~SIGN : bits;
  return value != value ? ~SIGN : ordered;
}

/* kth[f] = the k-th largest of the keys of feature f; equals[f] = how many of those that equal it are among the k largest */
THNN_INLINE void kthLargest(key *kth, int64_t *equals, const key *keys, int64_t length, int64_t k)
{
  key greater[FEATURES_AT_ONCE] = {0}; /* than kth and the bits below, as far as it is known */
  for (int f = 0; f < FEATURES_AT_ONCE; f++) kth[f] = SIGN;
  for (int bit = 8 * (int)sizeof(key) - 1; bit >= 0; bit--) {
    key count[FEATURES_AT_ONCE] = {0}, candidate[FEATURES_AT_ONCE];
    for (int f = 0; f < FEATURES_AT_ONCE; f++) candidate[f] = kth[f] ^ (key)((uint64_t)1 << bit);
    for (int64_t t = 0; t < length; t++)
      for (int f = 0; f < FEATURES_AT_ONCE; f++) count[f] += keys[t * FEATURES_AT_ONCE + f] >= candidate[f];
    for (int f = 0; f < FEATURES_AT_ONCE; f++) {
      const int take = count[f] >= k;
      kth[f] = take ? candidate[f] : kth[f];
      greater[f] = take ? greater[f] : count[f];
    }
  }
  for (int f = 0; f < FEATURES_AT_ONCE; f++) equals[f] = k - greater[f];
}

/* `width` features of one sample, whose rows are s->features apart. keys has room for FEATURES_AT_ONCE features over time. */
THNN_KERNEL void selectBlock(real *y, index_t *index, const real *x, const Frames *s, int64_t width, key *keys)
{
  key kth[FEATURES_AT_ONCE];
  int64_t equals[FEATURES_AT_ONCE], at[FEATURES_AT_ONCE];
  if (width < FEATURES_AT_ONCE) memset(keys, 0, (size_t)(s->length * FEATURES_AT_ONCE) * sizeof(key));
  for (int64_t t = 0; t < s->length; t++)
    for (int64_t f = 0; f < width; f++) keys[t * FEATURES_AT_ONCE + f] = sortKey(x[t * s->features + f]);
  kthLargest(kth, equals, keys, s->length, s->k);
  for (int64_t f = 0; f < width; f++) at[f] = f;
  for (int64_t t = 0; t < s->length; t++)
    for (int64_t f = 0; f < width; f++) {
      const key cellKey = keys[t * FEATURES_AT_ONCE + f];
      if (cellKey < kth[f] || (cellKey == kth[f] && equals[f]-- <= 0)) continue;
      y[at[f]] = x[t * s->features + f];
      index[at[f]] = t;
      at[f] += s->features;
    }
}

void THNN_(keepLargest)(Call *call, real *y, index_t *index, const real *x, const Frames *s)
{
  const int threads = THNN_threads(call, s->samples * s->length * s->features * (int64_t)sizeof(real));
  const int64_t blocks = THNN_ceilDiv(s->features, FEATURES_AT_ONCE), perThread = THNN_perThread(s->length * FEATURES_AT_ONCE);
  key *keys = THNN_scratch(call, threads * perThread, sizeof(key));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->samples * blocks; i++) {
    const int64_t sample = i / blocks, first = i % blocks * FEATURES_AT_ONCE, at = sample * s->k * s->features + first;
    selectBlock(y + at, index + at, x + sample * s->length * s->features + first, s, THNN_min(FEATURES_AT_ONCE, s->features - first),
                keys + THNN_threadId() * perThread);
  }
}

void THNN_(spreadKept)(Call *call, real *gx, const real *g, const index_t *index, const Frames *s)
{
  const int threads = THNN_threads(call, s->samples * (s->length + s->k) * s->features);
  const int64_t blocks = THNN_ceilDiv(s->features, FEATURES_AT_ONCE);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->samples * blocks; i++) {
    const int64_t sample = i / blocks, first = i % blocks * FEATURES_AT_ONCE, end = THNN_min(first + FEATURES_AT_ONCE, s->features);
    real *to = gx + sample * s->length * s->features;
    for (int64_t t = 0; t < s->length; t++)
      for (int64_t f = first; f < end; f++) to[t * s->features + f] = 0;
    for (int64_t j = sample * s->k; j < (sample + 1) * s->k; j++)
      for (int64_t f = first; f < end; f++) to[index[j * s->features + f] * s->features + f] += g[j * s->features + f];
  }
}

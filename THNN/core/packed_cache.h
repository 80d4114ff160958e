/* A cache of packed weights, which a state owns.
 *
 * A convolution multiplies weights in a packed layout. Packing costs about as much as a small convolution, so the result is kept between
 * calls. An entry is found by the address of the weights and the packing parameters. It is valid if a fingerprint of 1024 bits is equal,
 * so that any change is noticed, however it was made. Sixteen sampled words are compared first: during training they differ, and no fingerprint
 * is computed. A packing is allocated in the second call in a row with the same weights, or in the third after a change, so weights that
 * change in each call cost no memory. The constants of a program never change: their packing is allocated in the first call, and nothing is
 * compared.
 *
 * THNN_setCacheBytes bounds the total. If a new packing exceeds the bound, all packings that no call uses are freed. THNN_freeScratch and
 * THNN_freeState free them, too. */
#ifndef THNN_PACKED_CACHE_H
#define THNN_PACKED_CACHE_H

#include "core/core.h"

enum {
  THNN_FINGERPRINT_WORDS = 32,
  THNN_KEY_NUMBERS = 16,
  THNN_SAMPLE_WORDS = 16,
};

/* 1024 bits: one lane for every 32nd word. Each word changes its lane, whatever the others are. */
typedef struct Fingerprint {
  uint32_t lane[THNN_FINGERPRINT_WORDS];
} Fingerprint;

/* An operand of a call. The sample is read immediately, the fingerprint only if it is needed; a constant needs neither. */
typedef struct CacheOperand {
  const void *data;
  size_t bytes;
  int threads, isConstant, hasFingerprint;
  uint32_t sample[THNN_SAMPLE_WORDS];
  Fingerprint fingerprint;
} CacheOperand;

CacheOperand THNN_cacheOperand(const THNNState *state, const void *data, size_t bytes, int threads);

typedef struct CachedPacking CachedPacking;

/* Returns the cached packing of the operand for `key`, or NULL if none is kept yet. If it is not filled, the caller fills it. The caller
 * owns it until THNN_returnPacking. Meanwhile another call finds none, and packs for itself. */
CachedPacking *THNN_takePacking(THNNState *state, CacheOperand *operand, const int64_t key[THNN_KEY_NUMBERS], size_t bytes, void **memory,
                                int *isFilled);
void THNN_returnPacking(THNNState *state, CachedPacking *packing);
void THNN_freePackings(THNNState *state);

#endif

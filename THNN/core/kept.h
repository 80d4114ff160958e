/* What a state keeps from one call to the next: memory made of an operand, as long as the operand has the same contents.
 *
 * Contents are compared by a fingerprint, which is taken at each call at about the speed of memory; so a change is seen however it was made.
 * Memory is kept from the second call with the same contents on: an operand that changes at every call, as weights do in training, costs
 * no memory. All of it is bounded, and is returned by THNN_freeScratch and THNN_freeState. */
#ifndef THNN_KEPT_H
#define THNN_KEPT_H

#include "core/core.h"

enum { THNN_PRINT = 32, THNN_KEY = 16 };

/* 1024 bits: one lane for every 32nd word. Each word changes its lane, whatever the others are. */
typedef struct Print {
  uint32_t lane[THNN_PRINT];
} Print;

void THNN_fingerprint(const void *data, size_t bytes, int threads, Print *print);

typedef struct Kept Kept;

/* The memory that was made of `of` in the way that `key` says, or NULL where there is none to keep yet. If it is not filled, fill it. In the
 * meantime no other call has it. */
Kept *THNN_takeKept(THNNState *state, const void *of, const int64_t key[THNN_KEY], const Print *print, size_t bytes, void **memory,
                    int *isFilled);
void THNN_returnKept(THNNState *state, Kept *kept);
void THNN_freeKept(THNNState *state);

#endif

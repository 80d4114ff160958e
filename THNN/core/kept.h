/* What a state keeps from one call to the next: memory made of an operand, as long as the operand has the same contents.
 *
 * Contents are compared by a fingerprint, which is taken at about the speed of memory; so a change is seen however it was made. A few
 * words are compared first: where they differ, as after a step of training, no fingerprint is needed. Memory is kept from the second or third
 * call with the same contents on: an operand that changes at every call, as weights do in training, costs no memory. The constants of a
 * program never change: memory made of them is kept from the first call on, and nothing is compared. All of it is bounded, and is returned by
 * THNN_freeScratch and THNN_freeState. */
#ifndef THNN_KEPT_H
#define THNN_KEPT_H

#include "core/core.h"

enum {
  THNN_PRINT = 32,
  THNN_KEY = 16,
  THNN_FEW_WORDS = 16,
};

/* 1024 bits: one lane for every 32nd word. Each word changes its lane, whatever the others are. */
typedef struct Print {
  uint32_t lane[THNN_PRINT];
} Print;

/* An operand, and what is known of its contents: some words, and the fingerprint as soon as one was needed. Of a constant neither is. */
typedef struct Contents {
  const void *data;
  size_t bytes;
  int threads, isConstant, isPrinted;
  uint32_t few[THNN_FEW_WORDS];
  Print print;
} Contents;

Contents THNN_contents(const THNNState *state, const void *data, size_t bytes, int threads);

/* Tells a state which memory never changes as long as the state lives: the constants of its program. It is told once, before the first call. */
void THNN_setConstants(THNNState *state, const void *memory, size_t bytes);

typedef struct Kept Kept;

/* The memory that was made of the operand in the way that `key` says, or NULL where there is none to keep yet. If it is not filled, fill it.
 * In the meantime no other call has it. */
Kept *THNN_takeKept(THNNState *state, Contents *of, const int64_t key[THNN_KEY], size_t bytes, void **memory, int *isFilled);
void THNN_returnKept(THNNState *state, Kept *kept);
void THNN_freeKept(THNNState *state);

#endif

/* The content of a state. Only state.c, random.c and packed_cache.c read it. */
#ifndef THNN_STATE_H
#define THNN_STATE_H

#include <stdatomic.h>
#include "core/core.h"
#include "core/packed_cache.h"

/* As many arenas are kept as calls have run at one time, up to this. */
enum {
  THNN_ARENAS = 16,
  THNN_CACHE_SLOTS = 256,
};
#define DEFAULT_CACHE_BYTES ((size_t)512 << 20) /* bytes, unless THNN_setCacheBytes says another number */

struct Generator {
  uint64_t initialSeed;
  uint32_t word[624];    /* MT19937 */
  int32_t next;          /* the word that the next draw tempers; 624: make new ones first */
  double x, y, radius;   /* the last pair of normals came from the uniforms x and y */
  int32_t hasSpare;      /* the second of that pair is still to be given out */
};

struct THNNState {
  atomic_int threads; /* 0: one per processor, or, if the state follows the default one, as many as that has */
  int32_t followsDefault; /* in its number of threads, until it gets another one, and in its random generator */
  atomic_int poolingBackward, kernels, convolution;
  _Atomic(Arena *) arena[THNN_ARENAS];
  _Atomic(CachedPacking *) packings[THNN_CACHE_SLOTS];
  atomic_size_t cacheBytes, maxCacheBytes;
  /* Memory that never changes as long as the state lives: the constants of its program, or those that the host of THNN_newProgramState
   * has promised to keep. */
  const void *constants;
  size_t constantsBytes;
  atomic_int generatorOwner; /* process that holds the generator, 0: nobody */
  int32_t seeded;
  Generator generator;
};

#endif

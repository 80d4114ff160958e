/* The properties of a processor that the loops assume. Other numbers in loops were measured. */
#ifndef THNN_MACHINE_H
#define THNN_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum {
  /* Bytes of a line of the caches. Memory of our own begins at one. */
  THNN_LINE = 64,
  /* Two lines are loaded together: what several threads write is so many bytes apart. */
  THNN_LINES = 128,
  /* Bytes ahead of what is being read that are called into the cache: some dozens of lines, in time for the slowest memory. */
  THNN_AHEAD = 4096,
  /* Bytes of a result that stay in the first cache with what else there is. */
  THNN_FIRST_CACHE = 1 << 14,
  /* ... in the cache next to a processor, and in all caches: of larger results the pieces are streamed past them. */
  THNN_NEXT_CACHE = 1 << 18,
  THNN_CACHED = 1 << 24,
};

/* Bytes of a processor's second cache, as the system tells. Results do not depend on it: it cuts work into pieces whose sums are the same. */
int64_t THNN_secondCache(void);

/* So many bytes, a multiple of THNN_LINE, which begin at a line; NULL if there are none. Many are the system's own, in large pages where it has
 * them: a heap of the host's would keep what it gets back, and may have given of what it had. */
void *THNN_newMemory(size_t bytes);
void THNN_endMemory(void *memory, size_t bytes);

#endif

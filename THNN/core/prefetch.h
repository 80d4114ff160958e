/* Prefetch: loads memory into the cache shortly before it is read.
 *
 * A processor prefetches sequential reads by itself, but only a few hundred instructions ahead. That is too late if much is computed,
 * scattered or stored between two loads, and it starts again at the end of a short row and at each page. A kernel that prefetches what it
 * will read is up to twice as fast if no cache holds the data; loops along one long row gain nothing. Prefetches are best spread over the
 * loads, a line at a time: a processor with a dozen outstanding lines waits until one of them has arrived. */
#ifndef THNN_PREFETCH_H
#define THNN_PREFETCH_H

#include <stdint.h>
#include "core/machine.h"

/* Prefetches `bytes` bytes from `offset` bytes after `base` on. They may lie beyond the array: a prefetch never faults. */
static inline __attribute__((always_inline)) void THNN_prefetch(const void *base, int64_t offset, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i += THNN_LINE) __builtin_prefetch((const void *)((uintptr_t)base + (uintptr_t)(offset + i)));
}

#endif

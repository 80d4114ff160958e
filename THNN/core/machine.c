/* Properties of the processor that the system reports, and memory from the system. */
#define _GNU_SOURCE
#include "core/machine.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int64_t THNN_secondCache(void)
{
  enum {
    DEFAULT_CACHE_BYTES = 512 << 10, /* used if the system does not report the size */
    MIN_CACHE_BYTES = 256 << 10,
    MAX_CACHE_BYTES = 2 << 20,
  };
  static atomic_long known;
  long bytes = atomic_load_explicit(&known, memory_order_relaxed);
  if (bytes) return bytes;
  bytes = DEFAULT_CACHE_BYTES;
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (told > 0) bytes = told < MIN_CACHE_BYTES ? MIN_CACHE_BYTES : (told > MAX_CACHE_BYTES ? MAX_CACHE_BYTES : told);
#endif
  atomic_store_explicit(&known, bytes, memory_order_relaxed);
  return bytes;
}

enum {
  MIN_MAPPED_BYTES = 1 << 20, /* larger memory is mapped in pages of its own */
  LARGE_PAGE_BYTES = 1 << 21,
};

static char *mapped(size_t bytes)
{
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* From an address on that is a multiple of `unit`, unless addresses are scarce. What is mapped around it goes back. */
static void *mapAt(size_t unit, size_t bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
  char *whole = mapped(size + unit);
  if (!whole) return mapped(size);
  const size_t before = (unit - (uintptr_t)whole % unit) % unit;
  if (before) munmap(whole, before);
  if (unit > before) munmap(whole + before + size, unit - before);
  return whole + before;
}

void *THNN_newMemory(size_t bytes)
{
  if (bytes < MIN_MAPPED_BYTES) return aligned_alloc(THNN_LINE, bytes);
  void *memory = mapAt(LARGE_PAGE_BYTES, bytes);
#ifdef MADV_HUGEPAGE
  if (memory) madvise(memory, bytes, MADV_HUGEPAGE); /* sums go through many planes: small pages are more than a processor remembers */
#endif
  return memory;
}

void THNN_endMemory(void *memory, size_t bytes)
{
  if (bytes < MIN_MAPPED_BYTES) free(memory);
  else munmap(memory, bytes);
}

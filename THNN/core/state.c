/* The state: threads, an arena of scratch memory for each running call, the random generator's home.
 *
 * Arenas wait in a few atomic slots. A call takes one with an exchange and puts it back with another: no lock, so a
 * child forked in the middle of a call finds nothing locked. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "core/core.h"
#include "core/state.h"
#include "core/team.h"

enum {
  BLOCK_BYTES = 1 << 16,
};

/* A block is one allocation; an arena is a chain of them, the newest first. */
typedef struct Block {
  struct Block *older;
  size_t size, used;
} Block;

struct Arena {
  Block *block;
};

static THNNState defaultState = {.seeded = 0, .maxCacheBytes = DEFAULT_CACHE_BYTES};

THNNState *THNN_orDefault(THNNState *state) { return state ? state : &defaultState; }

int32_t THNN_newState(THNNState **state)
{
  if (!state) return THNN_fail(THNN_ERR_NULL, "THNN_newState", "state", "expected a place for the pointer, got NULL");
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNNState *fresh = calloc(1, sizeof *fresh);
  if (!fresh) return THNN_fail(THNN_ERR_MEMORY, "THNN_newState", "state", "expected %zu bytes, got none", sizeof *fresh);
  fresh->maxCacheBytes = DEFAULT_CACHE_BYTES;
  *state = fresh;
  return THNN_OK;
}

int32_t THNN_newProgramState(const void *constants, uint64_t bytes, THNNState **state)
{
  if (!constants && bytes > 0)
    return THNN_fail(THNN_ERR_NULL, __func__, "constants", "expected memory of %llu bytes, got NULL", (unsigned long long)bytes);
  if (!state) return THNN_fail(THNN_ERR_NULL, __func__, "state", "expected a place for the pointer, got NULL");
  THNN_TRY(THNN_newState(state));
  THNNState *fresh = *state;
  fresh->followsDefault = 1;
  fresh->poolingBackward = atomic_load(&defaultState.poolingBackward);
  fresh->kernels = atomic_load(&defaultState.kernels);
  const int convolution = atomic_load(&defaultState.convolution);
  fresh->convolution = convolution == THNN_FAST ? THNN_FIXED : convolution;
  fresh->constants = constants;
  fresh->constantsBytes = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
  fresh->maxCacheBytes = atomic_load(&defaultState.maxCacheBytes);
  return THNN_OK;
}

/* ---- arenas */

static void freeBlocks(Block *block)
{
  while (block) {
    Block *older = block->older;
    THNN_endMemory(block, block->size);
    block = older;
  }
}

static void freeArena(Arena *arena)
{
  if (!arena) return;
  freeBlocks(arena->block);
  free(arena);
}

/* A new block in front of the chain; its memory begins at the first aligned address behind the header. */
static Block *addBlock(Arena *arena, size_t bytes)
{
  size_t size = THNN_LINE + (bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
  size = (size + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  Block *block = THNN_newMemory(size);
  if (!block) return NULL;
  *block = (Block){arena->block, size, THNN_LINE};
  arena->block = block;
  return block;
}

void *THNN_arenaAllocate(Arena *arena, size_t bytes)
{
  if (bytes > SIZE_MAX / 4) return NULL;
  bytes = (bytes + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  Block *block = arena->block;
  if (!block || block->size - block->used < bytes) block = addBlock(arena, bytes);
  if (!block) return NULL;
  void *memory = (char *)block + block->used;
  block->used += bytes;
#ifdef __SANITIZE_ADDRESS__
  memset(memory, 0xff, bytes); /* a read before the first write gets NaN, which tests detect */
#endif
  return memory;
}

Arena *THNN_borrowArena(THNNState *state)
{
  for (int i = 0; i < THNN_ARENAS; i++) {
    Arena *arena = atomic_exchange(&state->arena[i], NULL);
    if (arena) return arena;
  }
  return calloc(1, sizeof(Arena));
}

static void keepArena(THNNState *state, Arena *arena)
{
  for (int i = 0; i < THNN_ARENAS; i++) {
    Arena *empty = NULL;
    if (atomic_compare_exchange_strong(&state->arena[i], &empty, arena)) return;
  }
  freeArena(arena);
}

void THNN_returnArena(THNNState *state, Arena *arena)
{
  /* A call that needed several blocks leaves one of their common size, so that the next call needs one only. */
  Block *block = arena->block;
  if (block && block->older) {
    size_t total = 0;
    for (Block *b = block; b; b = b->older) total += b->size;
    freeBlocks(block);
    arena->block = NULL;
    block = addBlock(arena, total);
  }
  if (block) block->used = THNN_LINE;
  keepArena(state, arena);
}

int32_t THNN_freeScratch(THNNState *state)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  state = THNN_orDefault(state);
  for (int i = 0; i < THNN_ARENAS; i++) freeArena(atomic_exchange(&state->arena[i], NULL));
  THNN_freePackings(state);
  return THNN_OK;
}

int32_t THNN_stateBytes(THNNState *state, uint64_t *packed, uint64_t *scratch)
{
  if (!packed) return THNN_fail(THNN_ERR_NULL, __func__, "packed", "expected a place for the number, got NULL");
  if (!scratch) return THNN_fail(THNN_ERR_NULL, __func__, "scratch", "expected a place for the number, got NULL");
  state = THNN_orDefault(state);
  *packed = atomic_load(&state->cacheBytes);
  *scratch = 0;
  for (int i = 0; i < THNN_ARENAS; i++) {
    Arena *arena = atomic_exchange(&state->arena[i], NULL); /* a call that runs meanwhile takes another one */
    if (!arena) continue;
    for (const Block *block = arena->block; block; block = block->older) *scratch += block->size;
    keepArena(state, arena);
  }
  return THNN_OK;
}

int32_t THNN_freeState(THNNState *state)
{
  if (!state) return THNN_OK;
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_freeScratch(state);
  free(state);
  return THNN_OK;
}

/* ---- threads */

int32_t THNN_stateThreads(const THNNState *state)
{
  if (THNN_isForked()) return 1;
  int32_t threads = atomic_load_explicit(&state->threads, memory_order_relaxed);
  if (threads == 0 && state->followsDefault) threads = atomic_load_explicit(&defaultState.threads, memory_order_relaxed);
  return threads > 0 ? threads : THNN_defaultThreads();
}

int32_t THNN_setNumThreads(THNNState *state, int32_t threads)
{
  THNN_TRY(THNN_checkRange("THNN_setNumThreads", "threads", threads, 0, 1024));
  atomic_store(&THNN_orDefault(state)->threads, threads);
  return THNN_OK;
}

int32_t THNN_getNumThreads(THNNState *state, int32_t *threads)
{
  if (!threads)
    return THNN_fail(THNN_ERR_NULL, "THNN_getNumThreads", "threads", "expected a place for the number, got NULL");
  THNN_IN_DEFAULT_ENVIRONMENT; /* the system is asked how many there may be, which changes errno */
  *threads = THNN_stateThreads(THNN_orDefault(state));
  return THNN_OK;
}

/* ---- choices */

int32_t THNN_setPoolingBackward(THNNState *state, int32_t how)
{
  THNN_TRY(THNN_checkRange("THNN_setPoolingBackward", "how", how, THNN_DEFAULT, THNN_SCATTER));
  atomic_store(&THNN_orDefault(state)->poolingBackward, how);
  return THNN_OK;
}

int THNN_poolingBackward(const Call *call) { return atomic_load_explicit(&call->state->poolingBackward, memory_order_relaxed); }

int32_t THNN_setKernels(THNNState *state, int32_t kernels)
{
  THNN_TRY(THNN_checkRange("THNN_setKernels", "kernels", kernels, THNN_KERNELS_FAST, THNN_KERNELS_PLAIN));
  atomic_store(&THNN_orDefault(state)->kernels, kernels);
  return THNN_OK;
}

int THNN_plain(const Call *call)
{
  return atomic_load_explicit(&call->state->kernels, memory_order_relaxed) == THNN_KERNELS_PLAIN;
}

int32_t THNN_setConvolution(THNNState *state, int32_t how)
{
  THNN_TRY(THNN_checkRange("THNN_setConvolution", "how", how, THNN_FAST, THNN_FIXED));
  atomic_store(&THNN_orDefault(state)->convolution, how);
  return THNN_OK;
}

int32_t THNN_setCacheBytes(THNNState *state, uint64_t bytes)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  state = THNN_orDefault(state);
  atomic_store(&state->maxCacheBytes, bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : bytes); /* sums of two do not wrap */
  if (atomic_load(&state->cacheBytes) > bytes) THNN_freePackings(state);
  return THNN_OK;
}

static _Thread_local int isThreadFixed;

int32_t THNN_fixConvolutions(int32_t isFixed)
{
  isThreadFixed = isFixed != 0;
  return THNN_OK;
}

int THNN_convolutionAlgorithm(const Call *call)
{
  const int algorithm = atomic_load_explicit(&call->state->convolution, memory_order_relaxed);
  return algorithm == THNN_FAST && isThreadFixed && call->state == &defaultState ? THNN_FIXED : algorithm;
}

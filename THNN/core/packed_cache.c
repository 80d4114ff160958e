/* The cache of packed weights (packed_cache.h). Packings that no call uses are in atomic slots, as arenas are, so there is no lock. */
#include <stdlib.h>
#include <string.h>
#include "core/packed_cache.h"
#include "core/state.h"

enum {
  MAX_PROBES = 4, /* slots that a packing may have */
  SLICES = 64,     /* parts of an operand with a fingerprint each */
  CHAINS = 4,      /* parts whose fingerprints are computed at the same time */
};

struct CachedPacking {
  const void *data; /* the operand's address */
  int64_t key[THNN_KEY_NUMBERS];
  uint32_t sample[THNN_SAMPLE_WORDS];
  Fingerprint fingerprint;
  int hasFingerprint;
  size_t bytes;
  void *memory; /* NULL: the operand has been seen once */
};

/* ---- fingerprints */

/* Every step is invertible, so a word that differs makes a lane differ. The shift moves high bits down, which multiplication does not. A
 * step depends on the one before, so several chains, which begin `distance` bytes apart, are computed at the same time. */
THNN_INLINE void addWords(const int chains, uint32_t *restrict lane, const unsigned char *restrict data, size_t distance, size_t blocks)
{
  uint32_t h[CHAINS][THNN_FINGERPRINT_WORDS], word[THNN_FINGERPRINT_WORDS];
  memcpy(h, lane, (size_t)chains * sizeof *h);
  for (size_t b = 0; b < blocks; b++)
#pragma GCC unroll 4
    for (int c = 0; c < chains; c++) {
      memcpy(word, data + (size_t)c * distance + b * sizeof word, sizeof word);
      for (int i = 0; i < THNN_FINGERPRINT_WORDS; i++) {
        h[c][i] = (h[c][i] ^ word[i]) * 0x9E3779B1u;
        h[c][i] ^= h[c][i] >> 15;
      }
    }
  memcpy(lane, h, (size_t)chains * sizeof *h);
}

THNN_KERNEL void addSlices(uint32_t *restrict lane, const unsigned char *restrict data, size_t distance, size_t blocks)
{
  addWords(CHAINS, lane, data, distance, blocks);
}

THNN_KERNEL void addRest(uint32_t *restrict lane, const unsigned char *restrict data, size_t blocks)
{
  addWords(1, lane, data, 0, blocks);
}

static void computeFingerprint(const void *data, size_t bytes, int threads, Fingerprint *fingerprint)
{
  Fingerprint slice[SLICES] = {{{0}}}, rest = {{0}};
  const size_t part = bytes / sizeof(Fingerprint) / SLICES, distance = part * sizeof(Fingerprint), done = SLICES * part;
  const unsigned char *at = data, *end = at + SLICES * distance;
#pragma omp parallel for num_threads(threads)
  for (size_t s = 0; s < SLICES; s += CHAINS) addSlices(slice[s].lane, at + s * distance, distance, part);
  const size_t blocks = bytes / sizeof(Fingerprint) - done;
  memcpy(&rest, end + blocks * sizeof(Fingerprint), bytes % sizeof(Fingerprint));
  memset(fingerprint, 0, sizeof *fingerprint);
  addRest(fingerprint->lane, (const unsigned char *)slice, SLICES);
  addRest(fingerprint->lane, end, blocks);
  addRest(fingerprint->lane, (const unsigned char *)&rest, 1);
}

/* ---- constants */

static int isConstant(const THNNState *state, const void *data, size_t bytes)
{
  const uintptr_t at = (uintptr_t)data, start = (uintptr_t)state->constants;
  return at >= start && bytes <= state->constantsBytes && at - start <= state->constantsBytes - bytes;
}

/* ---- operands */

CacheOperand THNN_cacheOperand(const THNNState *state, const void *data, size_t bytes, int threads)
{
  CacheOperand operand = {.data = data, .bytes = bytes, .threads = threads, .isConstant = bytes > 0 && isConstant(state, data, bytes)};
  if (operand.isConstant) return operand;
  const size_t step = bytes / THNN_SAMPLE_WORDS / 8 * 8; /* the lower half of a double is the one that changes */
  for (size_t i = 0; i < THNN_SAMPLE_WORDS && step; i++)
    memcpy(&operand.sample[i], (const char *)data + i * step, sizeof operand.sample[i]);
  return operand;
}

static const Fingerprint *operandFingerprint(CacheOperand *operand)
{
  if (!operand->hasFingerprint) computeFingerprint(operand->data, operand->bytes, operand->threads, &operand->fingerprint);
  operand->hasFingerprint = 1;
  return &operand->fingerprint;
}

/* ---- slots */

static size_t firstSlot(const void *data, const int64_t *key)
{
  uint64_t h = (uintptr_t)data;
  for (int i = 0; i < THNN_KEY_NUMBERS; i++) h = (h ^ (uint64_t)key[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return (size_t)(h % THNN_CACHE_SLOTS);
}

static void freeMemory(THNNState *state, CachedPacking *packing)
{
  if (!packing->memory) return;
  THNN_endMemory(packing->memory, packing->bytes);
  packing->memory = NULL;
  atomic_fetch_sub(&state->cacheBytes, packing->bytes);
}

static void freeOne(THNNState *state, CachedPacking *packing)
{
  if (!packing) return;
  freeMemory(state, packing);
  free(packing);
}

void THNN_freePackings(THNNState *state)
{
  for (size_t i = 0; i < THNN_CACHE_SLOTS; i++) freeOne(state, atomic_exchange(&state->packings[i], NULL));
}

void THNN_returnPacking(THNNState *state, CachedPacking *packing)
{
  const size_t slot = firstSlot(packing->data, packing->key);
  for (size_t i = 0; i < MAX_PROBES; i++) {
    CachedPacking *empty = NULL;
    if (atomic_compare_exchange_strong(&state->packings[(slot + i) % THNN_CACHE_SLOTS], &empty, packing)) return;
  }
  freeOne(state, atomic_exchange(&state->packings[slot], packing));
}

static void allocate(THNNState *state, CachedPacking *packing, size_t size)
{
  const size_t most = atomic_load(&state->maxCacheBytes);
  if (size > most) return;
  if (atomic_fetch_add(&state->cacheBytes, size) + size > most) THNN_freePackings(state); /* packings in use are returned later */
  packing->bytes = size;
  packing->memory = THNN_newMemory(size);
  if (!packing->memory) atomic_fetch_sub(&state->cacheBytes, size);
}

CachedPacking *THNN_takePacking(THNNState *state, CacheOperand *operand, const int64_t key[THNN_KEY_NUMBERS], size_t bytes, void **memory,
                                int *isFilled)
{
  const size_t slot = firstSlot(operand->data, key), size = (bytes + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  CachedPacking *packing = NULL;
  for (size_t i = 0; i < MAX_PROBES && !packing; i++) {
    _Atomic(CachedPacking *) *at = &state->packings[(slot + i) % THNN_CACHE_SLOTS];
    packing = atomic_exchange(at, NULL);
    if (!packing || (packing->data == operand->data && memcmp(packing->key, key, sizeof packing->key) == 0)) continue;
    freeOne(state, atomic_exchange(at, packing)); /* another operand's packing goes back; one that came meanwhile is freed */
    packing = NULL;
  }
  *isFilled = 0;
  const int isNew = !packing, hasChanged = packing && memcmp(packing->sample, operand->sample, sizeof operand->sample) != 0;
  int isSame = packing && (operand->isConstant || (!hasChanged && packing->hasFingerprint &&
                                                   memcmp(&packing->fingerprint, operandFingerprint(operand), sizeof(Fingerprint)) == 0));
  if (!isSame) {
    if (!packing) packing = calloc(1, sizeof *packing);
    if (!packing) return NULL;
    freeMemory(state, packing);
    packing->data = operand->data;
    memcpy(packing->key, key, sizeof packing->key);
    memcpy(packing->sample, operand->sample, sizeof packing->sample);
    /* During training, weights change again before the next call. */
    packing->hasFingerprint = !operand->isConstant && (isNew || !hasChanged);
    if (packing->hasFingerprint) packing->fingerprint = *operandFingerprint(operand);
    isSame = operand->isConstant;
  }
  if (isSame) {
    *isFilled = packing->memory && packing->bytes == size;
    if (!*isFilled) {
      freeMemory(state, packing);
      allocate(state, packing, size);
    }
    *memory = packing->memory;
    if (packing->memory) return packing;
  }
  THNN_returnPacking(state, packing);
  return NULL;
}

/* Memory that is kept from call to call (kept.h). It waits in atomic slots, as arenas do: no lock. */
#include <stdlib.h>
#include <string.h>
#include "core/kept.h"
#include "core/state.h"

enum {
  PROBES = 4,
  SLICES = 64,
  CHAINS = 4,
};

struct Kept {
  const void *of;
  int64_t key[THNN_KEY];
  uint32_t few[THNN_FEW_WORDS];
  Print print;
  int isPrinted;
  size_t bytes;
  void *memory; /* NULL: the operand has been seen once */
};

/* ---- fingerprints */

/* Every step is one to one, so a word that differs makes a lane differ. The shift brings high bits down, which multiplication does not.
 * Each step waits for the one before, so chains that begin `distance` bytes apart take turns. */
THNN_INLINE void addWords(const int chains, uint32_t *restrict lane, const unsigned char *restrict data, size_t distance, size_t blocks)
{
  uint32_t h[CHAINS][THNN_PRINT], word[THNN_PRINT];
  memcpy(h, lane, (size_t)chains * sizeof *h);
  for (size_t b = 0; b < blocks; b++)
#pragma GCC unroll 4
    for (int c = 0; c < chains; c++) {
      memcpy(word, data + (size_t)c * distance + b * sizeof word, sizeof word);
      for (int i = 0; i < THNN_PRINT; i++) {
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

static void fingerprint(const void *data, size_t bytes, int threads, Print *print)
{
  Print slice[SLICES] = {{{0}}}, rest = {{0}};
  const size_t part = bytes / sizeof(Print) / SLICES, distance = part * sizeof(Print), done = SLICES * part;
  const unsigned char *at = data, *end = at + SLICES * distance;
#pragma omp parallel for num_threads(threads)
  for (size_t s = 0; s < SLICES; s += CHAINS) addSlices(slice[s].lane, at + s * distance, distance, part);
  const size_t blocks = bytes / sizeof(Print) - done;
  memcpy(&rest, end + blocks * sizeof(Print), bytes % sizeof(Print));
  memset(print, 0, sizeof *print);
  addRest(print->lane, (const unsigned char *)slice, SLICES);
  addRest(print->lane, end, blocks);
  addRest(print->lane, (const unsigned char *)&rest, 1);
}

/* ---- constants */

void THNN_setConstants(THNNState *state, const void *memory, size_t bytes)
{
  state->constants = memory;
  state->constantsBytes = bytes;
}

static int isConstant(const THNNState *state, const void *data, size_t bytes)
{
  const uintptr_t at = (uintptr_t)data, start = (uintptr_t)state->constants;
  return at >= start && bytes <= state->constantsBytes && at - start <= state->constantsBytes - bytes;
}

/* ---- operands */

Contents THNN_contents(const THNNState *state, const void *data, size_t bytes, int threads)
{
  Contents c = {.data = data, .bytes = bytes, .threads = threads, .isConstant = bytes > 0 && isConstant(state, data, bytes)};
  if (c.isConstant) return c;
  const size_t step = bytes / THNN_FEW_WORDS / 8 * 8; /* the lower half of a double is the one that changes */
  for (size_t i = 0; i < THNN_FEW_WORDS && step; i++) memcpy(&c.few[i], (const char *)data + i * step, sizeof c.few[i]);
  return c;
}

static const Print *printOf(Contents *c)
{
  if (!c->isPrinted) fingerprint(c->data, c->bytes, c->threads, &c->print);
  c->isPrinted = 1;
  return &c->print;
}

/* ---- slots */

static size_t slotOf(const void *of, const int64_t *key)
{
  uint64_t h = (uintptr_t)of;
  for (int i = 0; i < THNN_KEY; i++) h = (h ^ (uint64_t)key[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return (size_t)(h % THNN_KEPT);
}

static void freeMemory(THNNState *state, Kept *kept)
{
  if (!kept->memory) return;
  THNN_endMemory(kept->memory, kept->bytes);
  kept->memory = NULL;
  atomic_fetch_sub(&state->keptBytes, kept->bytes);
}

static void freeOne(THNNState *state, Kept *kept)
{
  if (!kept) return;
  freeMemory(state, kept);
  free(kept);
}

void THNN_freeKept(THNNState *state)
{
  for (size_t i = 0; i < THNN_KEPT; i++) freeOne(state, atomic_exchange(&state->kept[i], NULL));
}

void THNN_returnKept(THNNState *state, Kept *kept)
{
  const size_t slot = slotOf(kept->of, kept->key);
  for (size_t i = 0; i < PROBES; i++) {
    Kept *empty = NULL;
    if (atomic_compare_exchange_strong(&state->kept[(slot + i) % THNN_KEPT], &empty, kept)) return;
  }
  freeOne(state, atomic_exchange(&state->kept[slot], kept));
}

static void allocate(THNNState *state, Kept *kept, size_t bytes)
{
  const size_t size = (bytes + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  const size_t most = atomic_load(&state->mostKeptBytes);
  if (size > most) return;
  if (atomic_fetch_add(&state->keptBytes, size) + size > most) THNN_freeKept(state); /* layers that are in use come back */
  kept->bytes = size;
  kept->memory = THNN_newMemory(size);
  if (!kept->memory) atomic_fetch_sub(&state->keptBytes, size);
}

Kept *THNN_takeKept(THNNState *state, Contents *of, const int64_t key[THNN_KEY], size_t bytes, void **memory, int *isFilled)
{
  const size_t slot = slotOf(of->data, key), size = (bytes + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  Kept *kept = NULL;
  for (size_t i = 0; i < PROBES && !kept; i++) {
    _Atomic(Kept *) *at = &state->kept[(slot + i) % THNN_KEPT];
    kept = atomic_exchange(at, NULL);
    if (!kept || (kept->of == of->data && memcmp(kept->key, key, sizeof kept->key) == 0)) continue;
    freeOne(state, atomic_exchange(at, kept)); /* another operand's; what came meanwhile goes */
    kept = NULL;
  }
  *isFilled = 0;
  const int isNew = !kept, isOther = kept && memcmp(kept->few, of->few, sizeof of->few) != 0;
  int isToKeep = kept && (of->isConstant || (!isOther && kept->isPrinted && memcmp(&kept->print, printOf(of), sizeof kept->print) == 0));
  if (!isToKeep) {
    if (!kept) kept = calloc(1, sizeof *kept);
    if (!kept) return NULL;
    freeMemory(state, kept);
    kept->of = of->data;
    memcpy(kept->key, key, sizeof kept->key);
    memcpy(kept->few, of->few, sizeof kept->few);
    kept->isPrinted = !of->isConstant && (isNew || !isOther); /* what has just changed may change again before anybody asks */
    if (kept->isPrinted) kept->print = *printOf(of);
    isToKeep = of->isConstant; /* these contents come again */
  }
  if (isToKeep) {
    *isFilled = kept->memory && kept->bytes == size;
    if (!*isFilled) {
      freeMemory(state, kept);
      allocate(state, kept, size);
    }
    *memory = kept->memory;
    if (kept->memory) return kept;
  }
  THNN_returnKept(state, kept);
  return NULL;
}

/* Torch7's random numbers: the Mersenne Twister MT19937 of Matsumoto and Nishimura (1998) and what Torch7 makes of its
 * 32-bit draws. A uniform is one draw times 2^-32; a normal is one of a Box-Muller pair.
 *
 * The bytes of a saved state are those of Torch7 on 64-bit machines, so that a state saved there goes on here. */
#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "core/core.h"
#include "core/state.h"

enum {
  N = 624,
  M = 397,
};

static void seed(Generator *g, uint64_t value)
{
  *g = (Generator){.initialSeed = value, .next = N};
  g->word[0] = (uint32_t)value;
  for (int i = 1; i < N; i++) g->word[i] = 1812433253u * (g->word[i - 1] ^ (g->word[i - 1] >> 30)) + (uint32_t)i;
}

/* A word from itself, the one after it, and the one M after it. */
THNN_INLINE uint32_t twisted(uint32_t word, uint32_t next, uint32_t other)
{
  const uint32_t y = (word & 0x80000000u) | (next & 0x7fffffffu);
  return other ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

/* The next N words, in loops that a compiler can make vectors of: behind the first N - M, the other word is one of the new ones. */
THNN_KERNEL void makeWords(uint32_t *w)
{
  int i = 0;
  for (; i < N - M; i++) w[i] = twisted(w[i], w[i + 1], w[i + M]);
  for (; i < N - 1; i++) w[i] = twisted(w[i], w[i + 1], w[i + M - N]);
  w[N - 1] = twisted(w[N - 1], w[0], w[M - 1]);
}

THNN_KERNEL void temper(uint32_t *draws, const uint32_t *word, int n)
{
  for (int i = 0; i < n; i++) {
    uint32_t y = word[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    draws[i] = y ^ (y >> 18);
  }
}

void THNN_drawMany(Generator *g, uint32_t *draws, int n)
{
  for (int some; n > 0; n -= some, draws += some, g->next += some) {
    if (g->next == N) makeWords(g->word), g->next = 0;
    some = n < N - g->next ? n : N - g->next;
    temper(draws, g->word + g->next, some);
  }
}

uint32_t THNN_draw(Generator *g)
{
  uint32_t draw;
  THNN_drawMany(g, &draw, 1);
  return draw;
}

double THNN_drawUniform(Generator *g) { return THNN_uniformFromDraw(THNN_draw(g)); }

double THNN_drawNormal(Generator *g)
{
  const double twoPi = 6.28318530717958647692;
  g->hasSpare = !g->hasSpare;
  if (!g->hasSpare) return g->radius * sin(twoPi * g->x);
  g->x = THNN_drawUniform(g);
  g->y = THNN_drawUniform(g);
  g->radius = sqrt(-2 * log(1 - g->y));
  return g->radius * cos(twoPi * g->x);
}

/* A program's draws come from the generator of the default state, so that they are those of the calls that it repeats. */
static THNNState *generatorState(THNNState *state)
{
  state = THNN_orDefault(state);
  return state->followsDefault ? THNN_orDefault(NULL) : state;
}

/* The owner is a process number: a child forked while its parent held the generator sees that the holder is not there. */
Generator *THNN_lockGenerator(THNNState *state)
{
  state = generatorState(state);
  int me = (int)getpid(), owner = 0;
  while (!atomic_compare_exchange_weak(&state->generatorOwner, &owner, me)) {
    if (owner == me) {
      sched_yield();
      owner = 0;
    }
  }
  if (!state->seeded) seed(&state->generator, 5489);
  state->seeded = 1;
  return &state->generator;
}

void THNN_unlockGenerator(THNNState *state) { atomic_store(&generatorState(state)->generatorOwner, 0); }

int32_t THNN_manualSeed(THNNState *state, uint64_t value)
{
  seed(THNN_lockGenerator(state), value);
  THNN_unlockGenerator(state);
  return THNN_OK;
}

int32_t THNN_random(THNNState *state, uint32_t *value)
{
  if (!value) return THNN_fail(THNN_ERR_NULL, "THNN_random", "value", "expected a place for the number, got NULL");
  *value = THNN_draw(THNN_lockGenerator(state));
  THNN_unlockGenerator(state);
  return THNN_OK;
}

int32_t THNN_initialSeed(THNNState *state, uint64_t *value)
{
  if (!value) return THNN_fail(THNN_ERR_NULL, "THNN_initialSeed", "value", "expected a place for the number, got NULL");
  *value = THNN_lockGenerator(state)->initialSeed;
  THNN_unlockGenerator(state);
  return THNN_OK;
}

int32_t THNN_randperm(THNNState *state, THLongTensor *output)
{
  THNN_TRY(THNN_checkInput(__func__, "output", view(output), 1, 1, "N"));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, output->size));
  Call call;
  THNN_enter(&call, state, __func__);
  index_t *order = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);

  int64_t n = output->size[0];
  for (int64_t i = 0; i < n; i++) order[i] = i;
  Generator *generator = THNN_lockGenerator(state);
  for (int64_t i = 0; i < n - 1; i++) {
    int64_t other = i + (int64_t)(THNN_draw(generator) % (uint64_t)(n - i));
    int64_t kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  THNN_unlockGenerator(state);
  return THNN_leave(&call);
}

/* ---- saved states */

typedef struct Saved {
  uint64_t initialSeed;
  int32_t left; /* N + 1 - next */
  int32_t seeded;
  uint64_t next;
  uint64_t word[N];
  double x, y, radius;
  int32_t hasSpare;
  int32_t unused;
} Saved;

static const int64_t savedSize[] = {sizeof(Saved)};
_Static_assert(sizeof(Saved) == 5048, "the size of Torch7's states");

int32_t THNN_getRNGState(THNNState *state, THByteTensor *output)
{
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, savedSize));
  Call call;
  THNN_enter(&call, state, __func__);
  uint8_t *bytes = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);

  const Generator *g = THNN_lockGenerator(state);
  Saved saved = {g->initialSeed, N + 1 - g->next, 1, (uint64_t)g->next, {0}, g->x, g->y, g->radius, g->hasSpare, 0};
  for (int i = 0; i < N; i++) saved.word[i] = g->word[i];
  THNN_unlockGenerator(state);
  memcpy(bytes, &saved, sizeof saved);
  return THNN_leave(&call);
}

int32_t THNN_setRNGState(THNNState *state, const THByteTensor *input)
{
  THNN_TRY(THNN_checkShape(__func__, "input", view(input), 1, savedSize));
  Call call;
  THNN_enter(&call, state, __func__);
  const uint8_t *bytes = THNN_in(&call, view(input));
  if (!THNN_ready(&call)) return THNN_leave(&call);

  Saved saved;
  memcpy(&saved, bytes, sizeof saved);
  THNN_TRY(THNN_leave(&call));
  int counts = saved.left == 1 || saved.next == (uint64_t)(N + 1 - saved.left);
  if (saved.seeded != 1 || saved.left < 1 || saved.left > N || !counts)
    return THNN_fail(THNN_ERR_VALUE, __func__, "input", "expected the bytes of a generator's state, got seeded %d, left %d, next %llu",
                     saved.seeded, saved.left, (unsigned long long)saved.next);
  Generator *g = THNN_lockGenerator(state);
  *g = (Generator){saved.initialSeed, {0}, N + 1 - saved.left, saved.x, saved.y, saved.radius, saved.hasSpare != 0};
  for (int i = 0; i < N; i++) g->word[i] = (uint32_t)saved.word[i];
  THNN_unlockGenerator(state);
  return THNN_OK;
}

/* Torch7's random numbers: the Mersenne Twister MT19937 of Matsumoto and Nishimura (1998) and what Torch7 makes of its
 * 32-bit draws. A uniform is one draw times 2^-32; a normal is one of a Box-Muller pair. */
#include <math.h>
#include <sched.h>
#include <unistd.h>
#include "core/core.h"
#include "core/state.h"

enum { N = 624, M = 397 };

static void seed(Generator *g, uint64_t value)
{
  g->word[0] = (uint32_t)value;
  for (int i = 1; i < N; i++) g->word[i] = 1812433253u * (g->word[i - 1] ^ (g->word[i - 1] >> 30)) + (uint32_t)i;
  g->next = N;
  g->hasSpare = 0;
}

static void makeWords(Generator *g)
{
  uint32_t *w = g->word;
  for (int i = 0; i < N; i++) {
    uint32_t y = (w[i] & 0x80000000u) | (w[(i + 1) % N] & 0x7fffffffu);
    w[i] = w[(i + M) % N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  g->next = 0;
}

uint32_t THNN_draw(Generator *g)
{
  if (g->next == N) makeWords(g);
  uint32_t y = g->word[g->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double THNN_drawUniform(Generator *g) { return THNN_draw(g) * (1.0 / 4294967296.0); }

double THNN_drawNormal(Generator *g)
{
  const double twoPi = 6.28318530717958647692;
  if (g->hasSpare) {
    g->hasSpare = 0;
    return g->spare;
  }
  double angle = twoPi * THNN_drawUniform(g);
  double radius = sqrt(-2 * log(1 - THNN_drawUniform(g)));
  g->spare = radius * sin(angle);
  g->hasSpare = 1;
  return radius * cos(angle);
}

/* The owner is a process number: a child forked while its parent held the generator sees that the holder is not there. */
Generator *THNN_lockGenerator(THNNState *state)
{
  state = THNN_orDefault(state);
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

void THNN_unlockGenerator(THNNState *state) { atomic_store(&THNN_orDefault(state)->generatorOwner, 0); }

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

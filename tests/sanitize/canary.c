/* Three crimes that a sanitizer must catch inside libTHNN; each is the host's fault, by breaking a rule of THNN.h. run.sh
 * demands that each run fails, so that a job which checks nothing cannot pass. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../examples/embed/view.h"

static float image[64 * 64], pooled[64 * 64];

/* A view that is longer than its memory: the library reads past the end. */
static void overflow(void)
{
  float *cut = calloc(64 * 64 - 1, sizeof *cut);
  THFloatTensor input = view(cut, 3, (int64_t[]){1, 64, 64}), output = view(pooled, 3, (int64_t[]){1, 8, 8});
  THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(NULL, &input, &output, 8, 8);
  free(cut);
}

/* A state that nobody frees. */
static void leak(void)
{
  THNNState *state;
  THNN_newState(&state);
  memset(&state, 0, sizeof state);
}

/* Two threads that write the same output. */
static void *pool(void *unused)
{
  THFloatTensor input = view(image, 3, (int64_t[]){1, 64, 64}), output = view(pooled, 3, (int64_t[]){1, 64, 64});
  for (int i = 0; i < 100; i++) THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(NULL, &input, &output, 64, 64);
  return unused;
}

static void race(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, pool, NULL);
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
  const char *crime = argc > 1 ? argv[1] : "";
  if (!strcmp(crime, "overflow")) overflow();
  else if (!strcmp(crime, "leak")) leak();
  else if (!strcmp(crime, "race")) race();
  else fprintf(stderr, "usage: canary overflow|leak|race\n");
  return EXIT_SUCCESS;
}

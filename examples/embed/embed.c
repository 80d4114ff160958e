/* Embeds libTHNN in C: pool a 4 x 4 image to 2 x 2, score it with a linear layer, send a gradient back, make a mistake.
 *
 *     cc embed.c $(pkg-config --cflags --libs THNN) -o embed && ./embed
 */
#include <stdio.h>
#include <stdlib.h>
#include "view.h"

#define SHAPE(...) \
  sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]) { __VA_ARGS__ }

/* Every function returns a status; the text of the thread's latest error waits in THNN_lastError(). */
static void check(int32_t status)
{
  if (status == THNN_OK) return;
  fprintf(stderr, "error %d: %s\n", status, THNN_lastError());
  exit(EXIT_FAILURE);
}

static void print(const char *name, const float *x, int n)
{
  printf("%-10s", name);
  for (int i = 0; i < n; i++) printf(" %g", x[i]);
  printf("\n");
}

int main(void)
{
  check(THNN_checkVersion(THNN_ABI_VERSION)); /* true if the library is the one that this program was compiled for */

  /* Memory is ours, views are plain structs on the stack. Row r of the image holds 4r, 4r+1, 4r+2, 4r+3. */
  float pixels[16], pooled[4], scores[2], weights[8] = {1, 0, 0, -1, 0, 2, -2, 0}, biases[2] = {11, 20};
  for (int i = 0; i < 16; i++) pixels[i] = (float)i;
  THFloatTensor image = view(pixels, SHAPE(1, 4, 4)), weight = view(weights, SHAPE(2, 4)), bias = view(biases, SHAPE(2));

  /* Forward. The host makes room for each output and can ask how much; one memory may have views of several shapes. */
  int64_t size[8];
  check(THNN_FloatSpatialAdaptiveAveragePooling_outputSize(&image, 2, 2, size));
  THFloatTensor planes = view(pooled, 3, size), flat = view(pooled, SHAPE(4)), output = view(scores, SHAPE(2));
  check(THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(NULL, &image, &planes, 2, 2)); /* NULL: the default state */
  check(THNN_FloatLinear_updateOutput(NULL, &flat, &output, &weight, &bias));
  print("pooled", pooled, 4);
  print("scores", scores, 2);

  /* Backward: updateGradInput overwrites, accGradParameters adds. */
  float gradScores[2] = {1, -1}, gradPooled[4], gradPixels[16], gradWeights[8] = {0}, gradBiases[2] = {0};
  THFloatTensor gradOutput = view(gradScores, SHAPE(2)), gradFlat = view(gradPooled, SHAPE(4));
  THFloatTensor gradPlanes = view(gradPooled, 3, size), gradImage = view(gradPixels, SHAPE(1, 4, 4));
  THFloatTensor gradWeight = view(gradWeights, SHAPE(2, 4)), gradBias = view(gradBiases, SHAPE(2));
  check(THNN_FloatLinear_updateGradInput(NULL, &flat, &gradOutput, &gradFlat, &weight));
  check(THNN_FloatLinear_accGradParameters(NULL, &flat, &gradOutput, &gradWeight, &gradBias, 1));
  check(THNN_FloatSpatialAdaptiveAveragePooling_updateGradInput(NULL, &image, &gradPlanes, &gradImage));
  print("gradImage", gradPixels, 16);
  print("gradWeight", gradWeights, 8);

  /* A mistake: the output has not the shape that was asked for. Nothing has been written, and the program lives on. */
  int32_t status = THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(NULL, &image, &planes, 3, 3);
  printf("error %d: %s\n", status, THNN_lastError());
  return status == THNN_ERR_SHAPE ? EXIT_SUCCESS : EXIT_FAILURE;
}

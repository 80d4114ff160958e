/* ClassNLLCriterion on the device. Story, checks and functions: THNN/criterion/ClassNLLCriterion.c. */
#include "criterion/likelihood.cuh"

__global__ static void fillLabels(real *gx, const real *w, const index_t *t, const real *total, int32_t sizeAverage, int64_t samples,
                                  int64_t classes, int64_t ignore_index)
{
  const accreal weight = (accreal)*total, divisor = sizeAverage && weight != 0 ? weight : 1;
  for (int64_t i = firstThread(); i < samples * classes; i += allThreads()) {
    const int64_t label = t[i / classes];
    const bool right = i % classes == label && label != ignore_index;
    gx[i] = right ? (real)(-(w ? (accreal)w[label] : 1) / divisor) : (real)0.f;
  }
}

static void labelGradients(Call *call, real *gx, const real *w, const index_t *t, const real *total, int32_t sizeAverage,
                           int64_t samples, int64_t classes, int64_t ignore_index)
{
  launch(call, blocksFor(samples * classes), BLOCK, fillLabels, gx, w, t, total, sizeAverage, samples, classes,
         ignore_index);
}

#include "criterion/ClassNLLCriterion.c"

/* ClassNLLCriterion on the device. Story, checks and functions: THNN/criterion/ClassNLLCriterion.c. */
#include "criterion/likelihood.cuh"

__global__ static void fillLabels(Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const accreal weight = (accreal)*total, divisor = sizeAverage && weight != 0 ? weight : 1;
  for (int64_t i = firstThread(); i < samples * l.classes; i += allThreads()) {
    const int64_t label = l.labels[i / l.classes];
    const bool right = i % l.classes == label && label != l.ignore;
    l.gx[i] = right ? (real)(-(l.w ? (accreal)l.w[label] : 1) / divisor) : (real)0.f;
  }
}

static void labelGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  launch(call, blocksFor(samples * l.classes), BLOCK, fillLabels, l, total, sizeAverage, samples);
}

#include "criterion/ClassNLLCriterion.c"

/* The loss over all places of samples x classes x area, on the device: what likelihood.h is in THNN.
 *
 * Blocks add up parts of the places, whose number follows from the shapes alone; the last kernel adds the parts in their order. */
#ifndef THCUNN_LIKELIHOOD_H
#define THCUNN_LIKELIHOOD_H

#include "criterion/loss.cuh"

/* loss[part], weight[part] = sums over every parts-th block of places. A label out of range counts nowhere. */
__global__ static void sumPlaces(accreal *loss, accreal *weight, Loss l, int64_t places)
{
  accreal sum = 0, weights = 0;
  for (int64_t i = firstThread(); i < places; i += allThreads()) {
    const int64_t label = l.labels[i];
    if (label == l.ignore || label < 0 || label >= l.classes) continue;
    const accreal w = l.w ? (accreal)l.w[label] : 1;
    sum -= w * (accreal)l.x[(i / l.area * l.classes + label) * l.area + i % l.area];
    weights += w;
  }
  sum = blockSum(sum);
  weights = blockSum(weights);
  if (threadIdx.x > 0) return;
  loss[blockIdx.x] = sum;
  weight[blockIdx.x] = weights;
}

/* One block. */
__global__ static void joinPlaces(real *output, real *total, const accreal *loss, const accreal *weight, int parts, int32_t sizeAverage)
{
  accreal sum = 0, weights = 0;
  for (int i = threadIdx.x; i < parts; i += blockDim.x) sum += loss[i], weights += weight[i];
  sum = blockSum(sum);
  weights = blockSum(weights);
  if (threadIdx.x > 0) return;
  *output = (real)(sizeAverage && weights != 0 ? sum / weights : sum);
  *total = (real)weights;
}

static inline void likelihoods(Call *call, real *output, real *total, Loss l, int64_t places, int32_t sizeAverage)
{
  const int parts = (int)THNN_min(blocksFor(places), MOST_PARTS);
  accreal *loss = THNN_scratch(call, parts, sizeof(accreal)), *weight = THNN_scratch(call, parts, sizeof(accreal));
  launch(call, parts, BLOCK, sumPlaces, loss, weight, l, places);
  launch(call, 1, BLOCK, joinPlaces, output, total, (const accreal *)loss, (const accreal *)weight, parts, sizeAverage);
}

#endif

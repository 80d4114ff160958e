/* The kernels of the negative log likelihood. Checks and functions are those of the C file, which ends this one.
 *
 * Blocks add up parts of the positions, whose number follows from the shapes alone; the last kernel adds the parts in their order. */
#include "criterion/loss.cuh"

/* loss[part], weight[part] = sums over every parts-th block of positions. A label out of range counts nowhere: badLabels() reports it. */
__global__ static void sumPositions(accreal *loss, accreal *weight, Loss l, int64_t positions)
{
  accreal sum = 0, weights = 0;
  for (int64_t i = firstThread(); i < positions; i += allThreads()) {
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

/* Adds the parts, in one block. */
__global__ static void joinPositions(real *output, real *total, const accreal *loss, const accreal *weight, int parts, int32_t sizeAverage)
{
  accreal sum = 0, weights = 0;
  for (int i = threadIdx.x; i < parts; i += blockDim.x) sum += loss[i], weights += weight[i];
  sum = blockSum(sum);
  weights = blockSum(weights);
  if (threadIdx.x > 0) return;
  *output = (real)(sizeAverage && weights != 0 ? sum / weights : sum);
  *total = (real)weights;
}

static void likelihoods(Call *call, real *output, real *total, Loss l, int64_t positions, int32_t sizeAverage)
{
  const int parts = (int)THNN_min(blocksFor(positions), MAX_PARTS);
  accreal *loss = THNN_scratch(call, parts, sizeof(accreal)), *weight = THNN_scratch(call, parts, sizeof(accreal));
  launch(call, parts, BLOCK, sumPositions, loss, weight, l, positions);
  launch(call, 1, BLOCK, joinPositions, output, total, (const accreal *)loss, (const accreal *)weight, parts, sizeAverage);
}

/* ---- The gradients. */

__global__ static void fillLabels(Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const accreal weight = (accreal)*total, divisor = sizeAverage && weight != 0 ? weight : 1;
  for (int64_t i = firstThread(); i < samples * l.classes; i += allThreads()) {
    const int64_t label = l.labels[i / l.classes];
    const bool right = i % l.classes == label && label != l.ignore;
    l.gx[i] = right ? (real)(-(l.w ? (accreal)l.w[label] : 1) / divisor) : (real)0.f;
  }
}

static void sampleGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  launch(call, blocksFor(samples * l.classes), BLOCK, fillLabels, l, total, sizeAverage, samples);
}

/* All classes of a few neighbouring positions of a sample. */
__global__ static void fillAreas(Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  enum { SIZE = Pack<real>::SIZE };
  const accreal weight = (accreal)*total, divisor = sizeAverage && weight != 0 ? weight : 1;
  const int64_t packs = THNN_ceilDiv(l.area, SIZE);
  for (int64_t i = firstThread(); i < samples * packs; i += allThreads()) {
    const int64_t sample = i / packs, first = i % packs * SIZE;
    int64_t label[SIZE];
    Pack<real> slope;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      label[k] = first + k < l.area ? l.labels[sample * l.area + first + k] : -1;
      const bool known = label[k] >= 0 && label[k] < l.classes;
      slope.value[k] = (real)(-(l.w && known ? (accreal)l.w[label[k]] : 1) / divisor);
    }
    for (int64_t c = 0; c < l.classes; c++) {
      Pack<real> to;
#pragma unroll
      for (int k = 0; k < SIZE; k++) to.value[k] = label[k] == c ? slope.value[k] : (real)0.f;
      storePack(l.gx + (sample * l.classes + c) * l.area, first, l.area, to);
    }
  }
}

static void areaGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const int64_t threads = samples * THNN_ceilDiv(l.area, Pack<real>::SIZE);
  launch(call, blocksFor(threads), BLOCK, fillAreas, l, total, sizeAverage, samples);
}

#include "criterion/ClassNLLCriterion.c"

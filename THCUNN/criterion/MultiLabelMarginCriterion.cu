/* MultiLabelMarginCriterion on the device. Story, checks and functions: THNN/criterion/MultiLabelMarginCriterion.c.
 *
 * A thread has a class and walks through the labels, up to the first that is -1; others that are no classes are passed over.
 * Backward, labels are taken for targets, as forward has marked them. */
#include "criterion/margins.cuh"

__device__ static bool more(const Loss &l, const index_t *labels, int64_t k) { return k < l.classes && labels[k] != -1; }

/* gx is isTarget. */
__global__ static void hinges(accreal *parts, Loss l, int64_t samples, bool wide)
{
  const Team team = thisTeam(wide);
  accreal sum = 0;
  for (int64_t i = team.number; i < samples; i += team.count) {
    const index_t *labels = l.labels + i * l.classes;
    const real *x = l.x + i * l.classes;
    for (int64_t c = team.rank; c < l.classes; c += team.size) {
      bool isTarget = false;
      for (int64_t k = 0; more(l, labels, k); k++) isTarget |= labels[k] == c;
      l.gx[i * l.classes + c] = (real)(accreal)isTarget;
      for (int64_t k = 0; !isTarget && more(l, labels, k); k++) {
        if (!isClass(l, labels[k])) continue;
        const accreal z = 1 - (accreal)x[labels[k]] + (accreal)x[c];
        sum += z <= 0 ? 0 : z;
      }
    }
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

/* True if the pair of a label and a class has a term. */
__device__ static bool counts(const real *x, const real *isTarget, int64_t label, int64_t c)
{
  return (accreal)isTarget[c] == 0 && !(1 - (accreal)x[label] + (accreal)x[c] <= 0);
}

__global__ static void slopes(Loss l, int64_t samples, bool wide)
{
  const Team team = thisTeam(wide);
  const accreal scale = (accreal)l.scale;
  for (int64_t i = team.number; i < samples; i += team.count) {
    const index_t *labels = l.labels + i * l.classes;
    const real *x = l.x + i * l.classes, *isTarget = l.t + i * l.classes;
    real *gx = l.gx + i * l.classes;
    for (int64_t c = team.rank; c < l.classes; c += team.size) {
      accreal pairs = 0;
      for (int64_t k = 0; more(l, labels, k); k++) pairs += isClass(l, labels[k]) && counts(x, isTarget, labels[k], c);
      gx[c] = (real)(pairs * scale);
    }
    /* A label's term is the same each time it is named. The thread that wrote its class writes it again. */
    for (int64_t k = 0; more(l, labels, k); k++) {
      const int64_t label = labels[k];
      if (!isClass(l, label)) continue;
      accreal pairs = 0, times = 0;
      for (int64_t c = team.rank; c < l.classes; c += team.size) pairs += counts(x, isTarget, label, c);
      for (int64_t other = 0; more(l, labels, other); other++) times += labels[other] == label;
      pairs = teamSum(team, pairs);
      if (label % team.size == team.rank) gx[label] = (real)(-times * pairs * scale);
    }
  }
}

#include "criterion/MultiLabelMarginCriterion.c"

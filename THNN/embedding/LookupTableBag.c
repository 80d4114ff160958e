/* LookupTableBag: the rows of each bag of indices, added up or averaged.
 *
 *   output[b]              = sum over i in bag b of weight[input[i]],                divided by the bag's size in mode 1
 *   gradWeight[input[i]]  += scale * gradOutput[offset2bag[i]],                      divided likewise, and also by the
 *                            number of times that the index comes in input if scaleGradByFreq is set
 *
 * Bag b begins at offsets[b] and ends where the next one begins, the last at the end of input. An empty bag gives 0.
 *
 *   input       count, in 0 .. nIndex-1
 *   offsets     bags, from 0, never falling
 *   output      bags x nOutput, overwritten
 *   offset2bag  count: the bag of each index, overwritten; read by backward
 *   seq_length  bags: the size of each bag, overwritten; read by backward in mode 1, where it may not be NULL
 *   gradWeight  as weight, added to; terms of one row are added in the order of input
 * mode is 0 for the sum, 1 for the mean. Torch's CUDA library had this layer, for hosts; no class of Torch7 used it. */
#include "declared/LookupTableBag.h"
#include "embedding/rows.h"

enum {
  SUM,
  MEAN,
};

#ifndef THNN_CUDA
/* True, and the call fails, if the bags do not follow each other in input. */
static int badOffsets(Call *call, const index_t *offsets, int64_t bags, int64_t count)
{
  for (int64_t b = 0; b < bags; b++) {
    const int64_t low = b ? offsets[b - 1] : 0, high = b ? count : 0;
    if (offsets[b] >= low && offsets[b] <= high) continue;
    call->status = THNN_fail(THNN_ERR_INDEX, call->function, "offsets", "expected %lld to %lld as number %lld, got %lld",
                             (long long)low, (long long)high, (long long)b, (long long)offsets[b]);
    return 1;
  }
  return 0;
}

static void addBags(Call *call, real *y, const Bags *bags, const real *w, const Picks *p, int32_t mode)
{
  const int64_t count = bags->count, width = p->width;
  const int threads = rowThreads(call, p->count + count, width);
#pragma omp parallel for num_threads(threads)
  for (int64_t b = 0; b < count; b++) {
    const int64_t begin = bags->begin[b], end = b + 1 < count ? bags->begin[b + 1] : p->count;
    real *row = y + b * width;
    for (int64_t k = 0; k < width; k++) row[k] = 0;
    for (int64_t i = begin; i < end; i++) {
      addRow(row, w + p->index[i] * width, 1, width);
      bags->bag[i] = b;
    }
    bags->length[b] = end - begin;
    if (mode == MEAN && end > begin)
      for (int64_t k = 0; k < width; k++) row[k] /= (real)(end - begin);
  }
}
#endif

int32_t THNN_(LookupTableBag_updateOutput)(THNNState *state, const THLongTensor *input, const THLongTensor *offsets,
                                           const THTensor *weight, THTensor *output, THLongTensor *offset2bag, int32_t mode,
                                           THLongTensor *seq_length)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 1, 1, "a vector"));
  THNN_TRY(THNN_checkInput(__func__, "offsets", view(offsets), 1, 1, "a vector"));
  THNN_TRY(THNN_checkInput(__func__, "weight", view(weight), 2, 2, "nIndex x nOutput"));
  Picks picks = {NULL, input->size[0], weight->size[0], weight->size[1]};
  Bags bags = {.count = offsets->size[0]};
  const int64_t size[2] = {bags.count, picks.width};
  if (bags.count == 0 && picks.count > 0)
    return THNN_fail(THNN_ERR_INDEX, __func__, "offsets", "expected a bag for %lld indices, got none", (long long)picks.count);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 2, size));
  THNN_TRY(THNN_checkOutput(__func__, "offset2bag", view(offset2bag), 1, &picks.count));
  THNN_TRY(THNN_checkOutput(__func__, "seq_length", view(seq_length), 1, &bags.count));
  THNN_TRY(THNN_checkRange(__func__, "mode", mode, SUM, MEAN));

  Call call;
  THNN_enter(&call, state, __func__);
  picks.index = THNN_in(&call, view(input));
  bags.begin = THNN_in(&call, view(offsets));
  const real *w = THNN_in(&call, view(weight));
  real *y = THNN_out(&call, view(output));
  bags.bag = THNN_out(&call, view(offset2bag));
  bags.length = THNN_out(&call, view(seq_length));
  if (THNN_ready(&call) && !badPicks(&call, "input", &picks) && !badOffsets(&call, bags.begin, bags.count, picks.count))
    addBags(&call, y, &bags, w, &picks, mode);
  return THNN_leave(&call);
}

int32_t THNN_(LookupTableBag_accGradParameters)(THNNState *state, const THLongTensor *input, const THTensor *gradOutput,
                                                THTensor *gradWeight, const THLongTensor *offset2bag, int32_t scaleGradByFreq,
                                                int32_t mode, const THLongTensor *seq_length, double scale)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 1, 1, "a vector"));
  THNN_TRY(THNN_checkInput(__func__, "gradWeight", view(gradWeight), 2, 2, "nIndex x nOutput"));
  THNN_TRY(THNN_checkInput(__func__, "gradOutput", view(gradOutput), 2, 2, "bags x nOutput"));
  Picks picks = {NULL, input->size[0], gradWeight->size[0], gradWeight->size[1]};
  const int64_t bags = gradOutput->size[0], size[2] = {bags, picks.width};
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), 2, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 2, gradWeight->size));
  THNN_TRY(THNN_checkShape(__func__, "offset2bag", view(offset2bag), 1, &picks.count));
  THNN_TRY(THNN_checkRange(__func__, "mode", mode, SUM, MEAN));
  if (seq_length || mode == MEAN) THNN_TRY(THNN_checkShape(__func__, "seq_length", view(seq_length), 1, &bags));

  Call call;
  THNN_enter(&call, state, __func__);
  picks.index = THNN_in(&call, view(input));
  const index_t *bag = THNN_in(&call, view(offset2bag));
  const index_t *length = THNN_in(&call, view(mode == MEAN ? seq_length : NULL));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight));
  const RowGradients terms = {
      .of = picks,
      .bag = bag,
      .length = length,
      .sources = bags,
      .padding = -1,
      .byFrequency = scaleGradByFreq,
      .scale = scale,
  };
  if (THNN_ready(&call) && !badPicks(&call, "input", &picks) && !badRows(&call, "offset2bag", bag, picks.count, bags))
    addTerms(&call, gw, g, &terms);
  return THNN_leave(&call);
}

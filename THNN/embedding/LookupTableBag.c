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
#include "embedding/rows.h"

enum {
  SUM,
  MEAN,
};

#ifndef THNN_CUDA
/* Do bags not lie one after the other in input? Then the call has failed. */
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

static void addBags(Call *call, real *y, index_t *bagOf, index_t *length, const real *w, const index_t *index, const index_t *begin,
                    int64_t count, int64_t bags, int64_t rows, int64_t width, int32_t mode)
{
  const int threads = THNN_threads(call, THNN_min(count + bags, 1 << 30) * THNN_min(width + 1, 1 << 30));
  (void)rows; /* indices are checked */
#pragma omp parallel for num_threads(threads)
  for (int64_t b = 0; b < bags; b++) {
    const int64_t end = b + 1 < bags ? begin[b + 1] : count;
    real *row = y + b * width;
    for (int64_t k = 0; k < width; k++) row[k] = 0;
    for (int64_t i = begin[b]; i < end; i++) {
      addRow(row, w + index[i] * width, 1, width);
      bagOf[i] = b;
    }
    length[b] = end - begin[b];
    if (mode == MEAN && length[b] > 0)
      for (int64_t k = 0; k < width; k++) row[k] /= (real)length[b];
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
  const int64_t count = input->size[0], bags = offsets->size[0], rows = weight->size[0], width = weight->size[1];
  const int64_t size[2] = {bags, width};
  if (bags == 0 && count > 0)
    return THNN_fail(THNN_ERR_INDEX, __func__, "offsets", "expected a bag for %lld indices, got none", (long long)count);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 2, size));
  THNN_TRY(THNN_checkOutput(__func__, "offset2bag", view(offset2bag), 1, &count));
  THNN_TRY(THNN_checkOutput(__func__, "seq_length", view(seq_length), 1, &bags));
  THNN_TRY(THNN_checkRange(__func__, "mode", mode, SUM, MEAN));

  Call call;
  THNN_enter(&call, state, __func__);
  const index_t *index = THNN_in(&call, view(input)), *begin = THNN_in(&call, view(offsets));
  const real *w = THNN_in(&call, view(weight));
  real *y = THNN_out(&call, view(output));
  index_t *bagOf = THNN_out(&call, view(offset2bag)), *length = THNN_out(&call, view(seq_length));
  if (THNN_ready(&call) && !badRows(&call, "input", index, count, rows) && !badOffsets(&call, begin, bags, count))
    addBags(&call, y, bagOf, length, w, index, begin, count, bags, rows, width, mode);
  return THNN_leave(&call);
}

int32_t THNN_(LookupTableBag_accGradParameters)(THNNState *state, const THLongTensor *input, const THTensor *gradOutput,
                                                THTensor *gradWeight, const THLongTensor *offset2bag, int32_t scaleGradByFreq,
                                                int32_t mode, const THLongTensor *seq_length, double scale)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 1, 1, "a vector"));
  THNN_TRY(THNN_checkInput(__func__, "gradWeight", view(gradWeight), 2, 2, "nIndex x nOutput"));
  THNN_TRY(THNN_checkInput(__func__, "gradOutput", view(gradOutput), 2, 2, "bags x nOutput"));
  const int64_t count = input->size[0], bags = gradOutput->size[0], rows = gradWeight->size[0], width = gradWeight->size[1];
  const int64_t size[2] = {bags, width};
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), 2, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 2, gradWeight->size));
  THNN_TRY(THNN_checkShape(__func__, "offset2bag", view(offset2bag), 1, &count));
  THNN_TRY(THNN_checkRange(__func__, "mode", mode, SUM, MEAN));
  if (seq_length || mode == MEAN) THNN_TRY(THNN_checkShape(__func__, "seq_length", view(seq_length), 1, &bags));

  Call call;
  THNN_enter(&call, state, __func__);
  const index_t *index = THNN_in(&call, view(input)), *bagOf = THNN_in(&call, view(offset2bag));
  const index_t *length = THNN_in(&call, view(mode == MEAN ? seq_length : NULL));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight));
  const Terms terms = {
      .index = index,
      .bagOf = bagOf,
      .length = length,
      .count = count,
      .rows = rows,
      .width = width,
      .sources = bags,
      .padding = -1,
      .byFrequency = scaleGradByFreq,
      .scale = scale,
  };
  if (THNN_ready(&call) && !badRows(&call, "input", index, count, rows) && !badRows(&call, "offset2bag", bagOf, count, bags))
    addTerms(&call, gw, g, &terms);
  return THNN_leave(&call);
}

/* The constants of a program on a big-endian processor: a copy, in which the bytes of each element are reversed. */
#include <stdlib.h>
#include "program/format.h"
#include "program/program.h"

static int isLittleEndian(void)
{
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 1;
}

static void reverse(unsigned char *element, size_t bytes)
{
  for (size_t i = 0; i < bytes / 2; i++) {
    const unsigned char byte = element[i];
    element[i] = element[bytes - 1 - i];
    element[bytes - 1 - i] = byte;
  }
}

/* Reverses each element of a constant once: `isReversed` has a mark for each byte of all constants. */
static void reverseConstant(unsigned char *constants, unsigned char *isReversed, const Operand *operand)
{
  const THNNArray *array = &operand->array;
  const size_t bytes = (size_t)THNN_typeBytes[array->type];
  int64_t index[THNN_MAX_DIMS] = {0}, n = 1;
  for (int32_t d = 0; d < array->nDimension; d++)
    if (array->stride[d] || !array->size[d]) n *= array->size[d];
  for (int64_t i = 0; i < n; i++) {
    int64_t at = operand->offsetBytes;
    for (int32_t d = 0; d < array->nDimension; d++) at += index[d] * array->stride[d] * (int64_t)bytes;
    if (!isReversed[at]) reverse(constants + at, bytes);
    isReversed[at] = 1;
    for (int32_t d = array->nDimension - 1; d >= 0; d--) {
      if (array->stride[d] && ++index[d] < array->size[d]) break;
      index[d] = 0;
    }
  }
}

int32_t THNN_readConstants(const char *function, THNNProgram *program, void **copy)
{
  *copy = NULL;
  if (isLittleEndian() || !program->constantsBytes) return THNN_OK;
  const size_t bytes = ((size_t)program->constantsBytes + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  unsigned char *constants = aligned_alloc(THNN_LINE, bytes), *isReversed = calloc(1, bytes);
  if (!constants || !isReversed) {
    free(constants);
    free(isReversed);
    return THNN_fail(THNN_ERR_MEMORY, function, "bytes", "expected memory of %zu bytes for the constants, got none", bytes);
  }
  memcpy(constants, program->constants, (size_t)program->constantsBytes);
  for (int32_t k = 0; k < program->nLists; k++)
    for (int64_t c = 0; c < program->lists[k].nCalls; c++) {
      const ProgramCall *call = program->lists[k].calls + c;
      for (int32_t i = 0; call->function->signature[i]; i++) {
        const Operand *operand = isTensorLetter(call->function->signature[i]) ? call->arguments[i].tensor : NULL;
        if (operand && operand->memory == MEMORY_CONSTANTS) reverseConstant(constants, isReversed, operand);
      }
    }
  free(isReversed);
  *copy = constants;
  return THNN_OK;
}

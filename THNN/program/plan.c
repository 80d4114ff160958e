/* Plans a list for one n: evaluates its numbers, checks that each tensor is inside its memory, and allocates the arena. A run
 * with the same sizes then finds all descriptors ready. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "program/format.h"
#include "program/program.h"

/* ---- numbers */

static int evaluate(Number number, int64_t n, int64_t *value)
{
  return !__builtin_mul_overflow(number.slope, n, value) && !__builtin_add_overflow(number.base, *value, value);
}

/* The bytes of a dense array; -1 if they are too many. Empty dimensions count as 1, as in the checks of layers. */
static int64_t denseBytes(const THNNArray *array)
{
  int64_t bytes = THNN_typeBytes[array->type];
  int isEmpty = 0;
  for (int32_t d = 0; d < array->nDimension; d++) {
    isEmpty |= array->size[d] == 0;
    if (__builtin_mul_overflow(bytes, array->size[d] ? array->size[d] : 1, &bytes)) return -1;
  }
  if ((uint64_t)bytes > SIZE_MAX / 2) return -1;
  return isEmpty ? 0 : bytes;
}

static int evaluateSizes(THNNArray *array, const Number *size, int64_t n)
{
  for (int32_t d = 0; d < array->nDimension; d++)
    if (!evaluate(size[d], n, &array->size[d]) || array->size[d] < 0) return 0;
  return denseBytes(array) >= 0;
}

static int32_t evaluatePorts(const char *function, const THNNProgram *program, const List *list, const char *what, Port *ports,
                             int32_t count, int64_t n)
{
  for (int32_t i = 0; i < count; i++) {
    THNNArray *array = &ports[i].array;
    if (!evaluateSizes(array, ports[i].size, n))
      return THNN_failAt(THNN_ERR_SHAPE, function, program, list, -1, -1,
                         "expected sizes of 0 and more for %s[%d] that fit into memory, got others for n = %" PRId64, what, i, n);
    int64_t stride = 1;
    for (int32_t d = array->nDimension - 1; d >= 0; d--) {
      array->stride[d] = stride;
      stride *= array->size[d] ? array->size[d] : 1;
    }
    ports[i].bytes = denseBytes(array);
  }
  return THNN_OK;
}

/* ---- tensors */

static int64_t memoryBytes(const THNNProgram *program, const List *list, const Operand *operand)
{
  switch (operand->memory) {
  case MEMORY_CONSTANTS: return program->constantsBytes;
  case MEMORY_ARENA: return list->arenaBytes;
  case MEMORY_INPUT: return list->inputs[operand->index].bytes;
  default: return list->outputs[operand->index].bytes;
  }
}

/* The bytes before and behind the first element that a tensor reaches; 0 if they are too many. An empty tensor reaches none. */
static int reach(const THNNArray *array, int64_t *before, int64_t *behind)
{
  const int64_t itemBytes = THNN_typeBytes[array->type];
  int64_t low = 0, high = 0;
  *before = *behind = 0;
  if (denseBytes(array) == 0) return 1;
  for (int32_t d = 0; d < array->nDimension; d++) {
    int64_t distance;
    if (__builtin_mul_overflow(array->size[d] - 1, array->stride[d], &distance)) return 0;
    if (distance < 0 ? __builtin_add_overflow(low, distance, &low) : __builtin_add_overflow(high, distance, &high)) return 0;
  }
  if (low == INT64_MIN || high == INT64_MAX) return 0;
  return !__builtin_mul_overflow(-low, itemBytes, before) && !__builtin_mul_overflow(high + 1, itemBytes, behind);
}

static int32_t evaluateOperand(const char *function, const THNNProgram *program, const List *list, int64_t call,
                               int32_t position, Operand *operand, int64_t n)
{
  static const char *const names[] = {"constants'", "arena's", "input's", "output's"};
  THNNArray *array = &operand->array;
  if (!evaluateSizes(array, operand->size, n))
    return THNN_failAt(THNN_ERR_SHAPE, function, program, list, call, position,
                       "expected sizes of 0 and more that fit into memory, got others for n = %" PRId64, n);
  for (int32_t d = 0; d < array->nDimension; d++)
    if (!evaluate(operand->stride[d], n, &array->stride[d]))
      return THNN_failAt(THNN_ERR_SHAPE, function, program, list, call, position,
                         "expected strides of 64 bits, got larger ones for n = %" PRId64, n);
  const int64_t bytes = memoryBytes(program, list, operand);
  int64_t before, behind;
  if (!evaluate(operand->offset, n, &operand->offsetBytes) || !reach(array, &before, &behind) || operand->offsetBytes < before ||
      operand->offsetBytes > bytes || behind > bytes - operand->offsetBytes)
    return THNN_failAt(THNN_ERR_VALUE, function, program, list, call, position,
                       "expected a tensor inside of the %s %" PRId64
                       " bytes, got %s with its first element at byte %" PRId64 " (n = %" PRId64 ")",
                       names[operand->memory], bytes, THNN_shapeText(array->nDimension, array->size).text, operand->offsetBytes,
                       n);
  return THNN_OK;
}

static int32_t evaluateCalls(const char *function, const THNNProgram *program, const List *list, int64_t n)
{
  for (int64_t k = 0; k < list->nCalls; k++) {
    const ProgramCall *call = list->calls + k;
    const char *signature = call->function->signature;
    for (int32_t i = 0; signature[i]; i++)
      if (isTensorLetter(signature[i]) && call->arguments[i].tensor)
        THNN_TRY(evaluateOperand(function, program, list, k, i, call->arguments[i].tensor, n));
  }
  for (int64_t i = 0; i < list->nVariables; i++) {
    const Variable *v = list->variables + i;
    int64_t value;
    if (!evaluate(v->number, n, &value) || (v->isShort && (value < INT32_MIN || value > INT32_MAX)))
      return THNN_failAt(THNN_ERR_VALUE, function, program, list, v->call, v->position,
                         "expected a number of %d bits, got a larger one for n = %" PRId64, v->isShort ? 32 : 64, n);
    v->argument->integer = value;
  }
  return THNN_OK;
}

int32_t THNN_evaluateList(const char *function, THNNProgram *program, List *list, int64_t n)
{
  list->isPlanned = 0;
  list->n = n;
  if (!evaluate(list->arena, n, &list->arenaBytes) || list->arenaBytes < 0 || (uint64_t)list->arenaBytes > SIZE_MAX / 2)
    return THNN_failAt(THNN_ERR_VALUE, function, program, list, -1, -1,
                       "expected an arena of 0 bytes and more that fits into memory, got another for n = %" PRId64, n);
  THNN_TRY(evaluatePorts(function, program, list, "inputs", list->inputs, inputCount(program, list), n));
  THNN_TRY(evaluatePorts(function, program, list, "outputs", list->outputs, program->nOutputs + program->nStates, n));
  return evaluateCalls(function, program, list, n);
}

/* ---- the list for some inputs */

int THNN_fitsPorts(const Port *ports, const THNNArray *arrays, int32_t n)
{
  for (int32_t i = 0; i < n; i++) {
    const THNNArray *port = &ports[i].array, *array = arrays + i;
    if (array->type != port->type || array->nDimension != port->nDimension) return 0;
    for (int32_t d = 0; d < port->nDimension; d++)
      if (array->size[d] != port->size[d]) return 0;
  }
  return 1;
}

typedef struct Match {
  int32_t inputs; /* so many fit, from the first on */
  int hasN;       /* from a size of these inputs */
  int64_t n;
} Match;

static int fitsInput(const List *list, const Port *port, const THNNArray *array, Match *match)
{
  if (array->type != port->array.type || array->nDimension != port->array.nDimension) return 0;
  for (int32_t d = 0; d < port->array.nDimension; d++) {
    const Number size = port->size[d];
    int64_t value = size.base;
    if (size.slope && !match->hasN) {
      int64_t rest;
      if (array->size[d] < 0 || __builtin_sub_overflow(array->size[d], size.base, &rest) || rest % size.slope ||
          rest / size.slope < list->least) return 0;
      match->n = rest / size.slope;
      match->hasN = 1;
    }
    if (size.slope && !evaluate(size, match->n, &value)) return 0;
    if (array->size[d] != value) return 0;
  }
  return 1;
}

static Match matchInputs(const THNNProgram *program, const List *list, const THNNArray *inputs)
{
  Match match = {0, 0, 0};
  const int32_t count = inputCount(program, list);
  for (Match next = match; match.inputs < count; next.inputs++, match = next)
    if (!fitsInput(list, list->inputs + match.inputs, inputs + match.inputs, &next)) break;
  return match;
}

/* ---- the inputs of a program, for messages */

enum { ENOUGH_TEXT = 700 }; /* bytes of a message, behind which a further list is counted */

typedef struct Text {
  char text[860];
  size_t length;
} Text;

static void add(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const size_t left = sizeof t->text - t->length;
  const int length = vsnprintf(t->text + t->length, left, format, arguments);
  va_end(arguments);
  if (length > 0) t->length += (size_t)length < left ? (size_t)length : left - 1;
}

static void addNumber(Text *t, Number number)
{
  if (!number.slope) {
    add(t, "%" PRId64, number.base);
    return;
  }
  if (number.slope != 1) add(t, "%" PRId64 " * ", number.slope);
  add(t, "n");
  if (number.base)
    add(t, " %c %" PRIu64, number.base < 0 ? '-' : '+', number.base < 0 ? -(uint64_t)number.base : (uint64_t)number.base);
}

static void addPort(Text *t, const Port *port)
{
  add(t, "%ss", THNN_typeNames[port->array.type]);
  for (int32_t d = 0; d < port->array.nDimension; d++) {
    const int isSum = port->size[d].slope && port->size[d].base;
    add(t, d ? " x %s" : " %s", isSum ? "(" : "");
    addNumber(t, port->size[d]);
    if (isSum) add(t, ")");
  }
}

/* True if a list that serves every n from 2 on has, for n = 1, the inputs of another list. Then both are told as one. */
static int continues(const THNNProgram *program, const List *list, const List *one)
{
  if (list->least != 2 || list->isLater || one->least || one->isLater) return 0;
  for (int32_t i = 0; i < program->nInputs; i++) {
    const Port *port = list->inputs + i, *other = one->inputs + i;
    if (port->array.type != other->array.type || port->array.nDimension != other->array.nDimension) return 0;
    for (int32_t d = 0; d < port->array.nDimension; d++)
      if (port->size[d].base + port->size[d].slope != other->size[d].base) return 0;
  }
  return 1;
}

/* The list for n = 1 that this one continues, or the list that continues this one; NULL if there is none. */
static const List *relative(const THNNProgram *program, const List *list)
{
  for (int32_t k = 0; k < program->nLists; k++) {
    const List *other = program->lists + k;
    if (continues(program, list, other) || continues(program, other, list)) return other;
  }
  return NULL;
}

static int32_t refuseInputs(const char *function, const THNNProgram *program, const THNNArray *inputs, int32_t wrong)
{
  if (program->hasStates)
    return THNN_fail(THNN_ERR_SHAPE, function, "inputs",
                     "expected the sizes of the run before, for the states that it left, got others; THNN_forgetProgram begins anew");
  Text taken = {"", 0};
  int more = 0;
  for (int32_t k = 0; k < program->nLists; k++) {
    const List *list = program->lists + k, *other = relative(program, list);
    if (list->isLater || (!list->least && other)) continue;
    const Match match = matchInputs(program, list, inputs);
    if (match.inputs < wrong) continue;
    if (taken.length > ENOUGH_TEXT) {
      more++;
      continue;
    }
    add(&taken, taken.length ? ", or " : "");
    addPort(&taken, list->inputs + wrong);
    if (match.hasN) add(&taken, " with n = %" PRId64 " as before", match.n);
    else if (list->least && !other) add(&taken, " with n from %" PRId64 " on", list->least);
  }
  if (more) add(&taken, ", or one of %d others", more);
  char name[40];
  snprintf(name, sizeof name, "inputs[%d]", wrong);
  const THNNArray *array = inputs + wrong;
  if (array->type < 0 || array->type > THNN_BYTE)
    return THNN_fail(THNN_ERR_VALUE, function, name,
                     "expected %s, got an array of no THNNType, %d", taken.text,
                     array->type);
  if (array->nDimension < 0 || array->nDimension > THNN_MAX_DIMS)
    return THNN_fail(THNN_ERR_SHAPE, function, name, "expected %s, got %d dimensions", taken.text, array->nDimension);
  return THNN_fail(THNN_ERR_SHAPE, function, name, "expected %s, got %ss %s", taken.text, THNN_typeNames[array->type],
                   THNN_shapeText(array->nDimension, array->size).text);
}

/* ---- memory */

int THNN_growBuffer(Buffer *buffer, size_t bytes)
{
  bytes = (bytes + !bytes + THNN_LINE - 1) / THNN_LINE * THNN_LINE;
  if (buffer->bytes >= bytes) return 1;
  if (buffer->memory) THNN_endMemory(buffer->memory, buffer->bytes);
  buffer->memory = THNN_newMemory(bytes);
  buffer->bytes = buffer->memory ? bytes : 0;
  return buffer->memory != NULL;
}

/* Lets the arena be large enough for the list, and fills it with NaN, so that a call that reads what no call has written gives
 * NaN. */
static int32_t bindMemory(const char *function, THNNProgram *program, List *list)
{
  const size_t bytes = (size_t)list->arenaBytes;
  if (!THNN_growBuffer(&program->arena, bytes))
    return THNN_fail(THNN_ERR_MEMORY, function, "arena", "expected memory of %zu bytes, got none", bytes);
  memset(program->arena.memory, 0xff, bytes);
  for (int64_t k = 0; k < list->nCalls; k++) {
    const ProgramCall *call = list->calls + k;
    const char *signature = call->function->signature;
    for (int32_t i = 0; signature[i]; i++) {
      Operand *operand = isTensorLetter(signature[i]) ? call->arguments[i].tensor : NULL;
      if (!operand || operand->memory == MEMORY_INPUT || operand->memory == MEMORY_OUTPUT) continue;
      char *memory = operand->memory == MEMORY_ARENA ? program->arena.memory : (char *)program->constants;
      operand->array.data = memory + operand->offsetBytes;
    }
  }
  list->plannedArena = program->arena.memory;
  list->isPlanned = 1;
  return THNN_OK;
}

/* After memory was refused, a smaller arena may have the address of the one that the list was planned for. */
static int isPlannedFor(const THNNProgram *program, const List *list, int64_t n)
{
  return list->isPlanned && list->n == n && list->plannedArena == program->arena.memory &&
         (size_t)list->arenaBytes <= program->arena.bytes;
}

int32_t THNN_planInputs(const char *function, THNNProgram *program, const THNNArray *inputs, List **list)
{
  int32_t wrong = 0;
  for (int32_t k = 0; k < program->nLists; k++) {
    List *found = program->lists + k;
    if (found->isLater != program->hasStates) continue;
    const Match match = matchInputs(program, found, inputs);
    if (match.inputs < inputCount(program, found)) {
      wrong = match.inputs > wrong ? match.inputs : wrong;
      continue;
    }
    program->latest = NULL;
    if (!isPlannedFor(program, found, match.n)) {
      THNN_TRY(THNN_evaluateList(function, program, found, match.n));
      THNN_TRY(bindMemory(function, program, found));
    }
    *list = program->latest = found;
    return THNN_OK;
  }
  return refuseInputs(function, program, inputs, wrong);
}

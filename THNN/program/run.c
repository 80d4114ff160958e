/* Opens, plans, runs and closes programs. A run checks the arrays, sets the addresses of inputs and outputs, and makes the
 * calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/team.h"
#include "program/format.h"
#include "program/program.h"

static int32_t checkProgram(const char *function, const THNNProgram *program)
{
  return program ? THNN_OK : THNN_fail(THNN_ERR_NULL, function, "program", "expected a program, got NULL");
}

static int32_t checkPlace(const char *function, const char *name, const void *place)
{
  return place ? THNN_OK : THNN_fail(THNN_ERR_NULL, function, name, "expected a place for the result, got NULL");
}

/* ---- opening and closing */

static int32_t makeState(const char *function, THNNProgram *program, Shared *shared)
{
  THNN_TRY(THNN_readConstants(function, program, &shared->constants));
  if (shared->constants) program->constants = shared->constants;
  const int32_t status = THNN_newProgramState(program->constants, (size_t)program->constantsBytes, &shared->state);
  if (status != THNN_OK) free(shared->constants);
  return status;
}

static int32_t shareState(const char *function, THNNProgram *program, FileBytes file)
{
  Shared *shared = malloc(sizeof *shared);
  if (!shared) return THNN_fail(THNN_ERR_MEMORY, function, "program", "expected %zu bytes, got none", sizeof *shared);
  const int32_t status = makeState(function, program, shared);
  if (status != THNN_OK) {
    free(shared);
    return status;
  }
  atomic_init(&shared->programs, 1);
  atomic_init(&shared->isReleased, 0);
  shared->file = file;
  program->shared = shared;
  return THNN_OK;
}

/* A list serves its least n, so it is evaluated for that before it is needed. */
static int32_t checkLists(const char *function, THNNProgram *program)
{
  for (int32_t k = 0; k < program->nLists; k++)
    THNN_TRY(THNN_evaluateList(function, program, program->lists + k, program->lists[k].least));
  return THNN_OK;
}

/* The new program shares `shared`; NULL makes its own, which owns the file. */
static int32_t openProgram(const char *function, const void *bytes, uint64_t size, FileBytes file, Shared *shared,
                           THNNProgram **program)
{
  THNNProgram *fresh = NULL;
  THNN_TRY(THNN_readProgram(function, bytes, size, shared != NULL, &fresh));
  int32_t status = checkLists(function, fresh);
  if (status == THNN_OK && shared) {
    fresh->shared = shared;
    if (shared->constants) fresh->constants = shared->constants;
    atomic_fetch_add(&shared->programs, 1);
  } else if (status == THNN_OK) status = shareState(function, fresh, file);
  if (status == THNN_OK) *program = fresh;
  else THNN_closeProgram(fresh);
  return status;
}

int32_t THNN_openProgram(const void *bytes, uint64_t size, THNNProgram **program)
{
  if (!bytes) return THNN_fail(THNN_ERR_NULL, __func__, "bytes", "expected a program's bytes, got NULL");
  THNN_TRY(checkPlace(__func__, "program", program));
  THNN_IN_DEFAULT_ENVIRONMENT;
  return openProgram(__func__, bytes, size, (FileBytes){NULL, 0}, NULL, program);
}

int32_t THNN_openProgramFile(const char *path, THNNProgram **program)
{
  THNN_TRY(checkPlace(__func__, "program", program));
  THNN_IN_DEFAULT_ENVIRONMENT;
  FileBytes file;
  THNN_TRY(THNN_mapPath(__func__, path, &file));
  const int32_t status = openProgram(__func__, file.bytes, file.size, file, NULL, program);
  if (status == THNN_OK) THNN_releasePages(file.bytes, file.size); /* the checksum has read all of them */
  else THNN_unmapFile(file.bytes, file.size);
  return status;
}

int32_t THNN_cloneProgram(const THNNProgram *program, THNNProgram **clone)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(checkPlace(__func__, "clone", clone));
  THNN_IN_DEFAULT_ENVIRONMENT;
  return openProgram(__func__, program->bytes, program->size, (FileBytes){NULL, 0}, program->shared, clone);
}

static void freeBuffer(Buffer buffer)
{
  if (buffer.memory) THNN_endMemory(buffer.memory, buffer.bytes);
}

int32_t THNN_closeProgram(THNNProgram *program)
{
  if (!program) return THNN_OK;
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (program->shared && atomic_fetch_sub(&program->shared->programs, 1) == 1) {
    THNN_freeState(program->shared->state);
    THNN_unmapFile(program->shared->file.bytes, program->shared->file.size);
    free(program->shared->constants);
    free(program->shared);
  }
  for (int32_t i = 0; i < program->nInputs + program->nStates; i++) freeBuffer(program->copies[i]);
  for (int32_t i = 0; i < program->nStates; i++) {
    freeBuffer(program->states[i].present);
    freeBuffer(program->states[i].next);
  }
  freeBuffer(program->arena);
  free(program);
  return THNN_OK;
}

/* ---- one thread at a time */

/* A child that is forked while a thread of its parent runs the program has no such thread: there the mark is another one. */
static int32_t begin(const char *function, THNNProgram *program)
{
  const int isForked = THNN_isForked(), mark = 1 + isForked;
  int free = 0, parents = 1;
  if (atomic_compare_exchange_strong(&program->running, &free, mark)) return THNN_OK;
  if (isForked && atomic_compare_exchange_strong(&program->running, &parents, mark)) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, function, "program",
                   "expected one that is not running, got one that runs in another thread; THNN_cloneProgram makes one for each "
                   "thread");
}

static void end(THNNProgram *program) { atomic_store(&program->running, 0); }

/* ---- arrays */

static int32_t checkArrays(const char *function, const char *name, const char *countName, const THNNArray *arrays, int32_t n)
{
  if (n < 0) return THNN_fail(THNN_ERR_VALUE, function, countName, "expected 0 and more, got %d", n);
  return arrays || n == 0 ? THNN_OK : THNN_fail(THNN_ERR_NULL, function, name, "expected %d arrays, got NULL", n);
}

static int32_t checkArguments(const char *function, const THNNProgram *program, const THNNArray *inputs, int32_t nInputs,
                              const THNNArray *outputs, int32_t nOutputs)
{
  THNN_TRY(checkProgram(function, program));
  THNN_TRY(checkArrays(function, "inputs", "nInputs", inputs, nInputs));
  THNN_TRY(checkArrays(function, "outputs", "nOutputs", outputs, nOutputs));
  if (nInputs != program->nInputs)
    return THNN_fail(THNN_ERR_VALUE, function, "inputs", "expected %d arrays, got %d", program->nInputs, nInputs);
  if (nOutputs != program->nOutputs)
    return THNN_fail(THNN_ERR_VALUE, function, "outputs", "expected %d arrays, got %d", program->nOutputs, nOutputs);
  return THNN_OK;
}

static int isDense(const THNNArray *array)
{
  int64_t expected = 1;
  for (int32_t d = array->nDimension - 1; d >= 0; d--) {
    if (array->size[d] != 1 && array->stride[d] != expected) return 0;
    expected *= array->size[d];
  }
  return 1;
}

static int overlap(const void *one, int64_t oneBytes, const void *other, int64_t otherBytes)
{
  const uintptr_t a = (uintptr_t)one, b = (uintptr_t)other;
  return oneBytes > 0 && otherBytes > 0 && a < b + (uint64_t)otherBytes && b < a + (uint64_t)oneBytes;
}

static int32_t refuseArray(int32_t code, const char *function, const char *what, int32_t index, const char *expected,
                           const char *got)
{
  char name[40];
  snprintf(name, sizeof name, "%s[%d]", what, index);
  return THNN_fail(code, function, name, "expected %s, got %s", expected, got);
}

static int32_t checkOutput(const char *function, const Port *ports, const THNNArray *outputs, int32_t i)
{
  const THNNArray *output = outputs + i;
  const Port *port = ports + i;
  if (!THNN_fitsPorts(port, output, 1)) {
    char expected[240], got[240];
    const int isArray = output->type >= 0 && output->type <= THNN_BYTE && output->nDimension >= 0 &&
                        output->nDimension <= THNN_MAX_DIMS;
    snprintf(expected, sizeof expected, "%ss %s", THNN_typeNames[port->array.type],
             THNN_shapeText(port->array.nDimension, port->array.size).text);
    if (isArray)
      snprintf(got, sizeof got, "%ss %s", THNN_typeNames[output->type], THNN_shapeText(output->nDimension, output->size).text);
    else snprintf(got, sizeof got, "an array of type %d with %d dimensions", output->type, output->nDimension);
    return refuseArray(THNN_ERR_SHAPE, function, "outputs", i, expected, got);
  }
  if (port->bytes == 0) return THNN_OK;
  if (!output->data) return refuseArray(THNN_ERR_NULL, function, "outputs", i, "memory for its elements", "a NULL data pointer");
  if (output->flags & THNN_READONLY)
    return refuseArray(THNN_ERR_VALUE, function, "outputs", i, "memory that can be written", "a read-only array");
  if (!isDense(output)) return refuseArray(THNN_ERR_VALUE, function, "outputs", i, "a dense array", "other strides");
  for (int32_t k = 0; k < i; k++)
    if (overlap(output->data, port->bytes, outputs[k].data, ports[k].bytes))
      return refuseArray(THNN_ERR_VALUE, function, "outputs", i, "memory of its own", "memory that overlaps another output");
  return THNN_OK;
}

static int isInPlace(const THNNProgram *program, const List *list, const THNNArray *input, int64_t bytes,
                     const THNNArray *outputs)
{
  if (!isDense(input)) return 0;
  for (int32_t k = 0; k < program->nOutputs + program->nStates; k++)
    if (overlap(input->data, bytes, outputs[k].data, list->outputs[k].bytes)) return 0;
  return 1;
}

static int32_t copyInput(const char *function, THNNProgram *program, const Port *port, const THNNArray *input, int32_t i)
{
  Buffer *copy = program->copies + i;
  if (!THNN_growBuffer(copy, (size_t)port->bytes))
    return refuseArray(THNN_ERR_MEMORY, function, "inputs", i, "memory for a copy", "none");
  THNNArray dense = port->array;
  dense.data = copy->memory;
  program->bases[i] = copy->memory;
  return THNN_arrayCopy(program->shared->state, input, &dense);
}

/* ---- planning and running */

static int32_t planList(const char *function, THNNProgram *program, const THNNArray *inputs, List **list)
{
  *list = program->latest;
  if (*list && (*list)->isLater == program->hasStates &&
      THNN_fitsPorts((*list)->inputs, inputs, inputCount(program, *list))) return THNN_OK;
  return THNN_planInputs(function, program, inputs, list);
}

/* A run's inputs, and behind them the states that the run before left. */
static const THNNArray *withStates(THNNProgram *program, const THNNArray *inputs)
{
  if (!program->hasStates) return inputs;
  memcpy(program->arrays, inputs, (size_t)program->nInputs * sizeof *inputs); /* the states are there since that run */
  return program->arrays;
}

static int32_t plan(const char *function, THNNProgram *program, const THNNArray *inputs, THNNArray *outputs)
{
  List *list;
  THNN_TRY(planList(function, program, withStates(program, inputs), &list));
  for (int32_t i = 0; i < program->nOutputs; i++) {
    void *data = outputs[i].data;
    outputs[i] = list->outputs[i].array;
    outputs[i].data = data;
  }
  return THNN_OK;
}

int32_t THNN_planProgram(THNNProgram *program, const THNNArray *inputs, int32_t nInputs, THNNArray *outputs, int32_t nOutputs)
{
  const char *f = __func__;
  THNN_TRY(checkArguments(f, program, inputs, nInputs, outputs, nOutputs));
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_TRY(begin(f, program));
  const int32_t status = plan(f, program, inputs, outputs);
  end(program);
  return status;
}

static int32_t bindArrays(const char *function, THNNProgram *program, const List *list, const THNNArray *inputs,
                          const THNNArray *outputs)
{
  const int32_t nInputs = inputCount(program, list), nOutputs = program->nOutputs + program->nStates;
  for (int32_t i = 0; i < nOutputs; i++) {
    THNN_TRY(checkOutput(function, list->outputs, outputs, i));
    program->bases[nInputs + i] = outputs[i].data;
  }
  for (int32_t i = 0; i < nInputs; i++) {
    const Port *port = list->inputs + i;
    program->bases[i] = inputs[i].data;
    if (port->bytes == 0) continue;
    if (!inputs[i].data)
      return refuseArray(THNN_ERR_NULL, function, "inputs", i, "memory for its elements", "a NULL data pointer");
    if (!isInPlace(program, list, inputs + i, port->bytes, outputs)) THNN_TRY(copyInput(function, program, port, inputs + i, i));
  }
  for (int64_t i = 0; i < list->nMoving; i++) {
    Operand *operand = list->moving[i];
    const size_t base = (size_t)(operand->memory == MEMORY_INPUT ? 0 : nInputs) + operand->index;
    operand->array.data = (void *)((uintptr_t)program->bases[base] + (uintptr_t)operand->offsetBytes);
  }
  return THNN_OK;
}

/* A run's outputs, and behind them the memory of its states. */
static int32_t addStates(const char *function, THNNProgram *program, const List *list, const THNNArray **outputs)
{
  if (!program->nStates) return THNN_OK;
  THNNArray *all = program->arrays + program->nInputs + program->nStates;
  memcpy(all, *outputs, (size_t)program->nOutputs * sizeof **outputs);
  for (int32_t i = 0; i < program->nStates; i++) {
    const Port *port = list->outputs + program->nOutputs + i;
    const size_t before = program->states[i].next.bytes;
    Buffer *next = &program->states[i].next;
    if (!THNN_growBuffer(next, (size_t)port->bytes))
      return THNN_fail(THNN_ERR_MEMORY, function, "states", "expected memory of %" PRId64 " bytes, got none", port->bytes);
    if (next->bytes != before) memset(next->memory, 0xff, next->bytes); /* a state that no call writes is NaN, as in the arena */
    all[program->nOutputs + i] = port->array;
    all[program->nOutputs + i].data = next->memory;
  }
  *outputs = all;
  return THNN_OK;
}

/* Lets the states that a run has left be inputs of the next one. */
static void keepStates(THNNProgram *program)
{
  if (!program->nStates) return;
  THNNArray *all = program->arrays;
  memcpy(all + program->nInputs, all + program->nInputs + program->nStates + program->nOutputs,
         (size_t)program->nStates * sizeof *all);
  for (int32_t i = 0; i < program->nStates; i++) {
    const Buffer left = program->states[i].next;
    program->states[i].next = program->states[i].present;
    program->states[i].present = left;
  }
  program->hasStates = 1;
}

static int32_t run(const char *function, THNNProgram *program, const THNNArray *inputs, const THNNArray *outputs)
{
  List *list;
  atomic_store_explicit(&program->failure, -1, memory_order_relaxed);
  atomic_store_explicit(&program->failedList, -1, memory_order_relaxed);
  inputs = withStates(program, inputs);
  THNN_TRY(planList(function, program, inputs, &list));
  THNN_TRY(addStates(function, program, list, &outputs));
  THNN_TRY(bindArrays(function, program, list, inputs, outputs));
  THNNState *state = program->shared->state;
  const ProgramCall *calls = list->calls;
  /* The first run packs the weights of a file, one layer after the other, and needs most of them no longer. */
  Shared *shared = program->shared;
  const int isFirst = shared->file.bytes && !atomic_exchange_explicit(&shared->isReleased, 1, memory_order_relaxed);
  for (int64_t k = 0; k < list->nCalls; k++) {
    const int32_t status = calls[k].call(state, calls[k].arguments);
    if (isFirst) THNN_releasePages(shared->file.bytes, shared->file.size);
    if (status == THNN_OK) continue;
    atomic_store_explicit(&program->failure, k, memory_order_relaxed);
    atomic_store_explicit(&program->failedList, list - program->lists, memory_order_relaxed);
    return status;
  }
  keepStates(program);
  return THNN_OK;
}

int32_t THNN_runProgram(THNNProgram *program, const THNNArray *inputs, int32_t nInputs, THNNArray *outputs, int32_t nOutputs)
{
  const char *f = __func__;
  THNN_TRY(checkArguments(f, program, inputs, nInputs, outputs, nOutputs));
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_TRY(begin(f, program));
  const int32_t status = run(f, program, inputs, outputs);
  end(program);
  return status;
}

/* ---- questions */

int32_t THNN_programCounts(const THNNProgram *program, int32_t *inputs, int32_t *outputs)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(checkPlace(__func__, "inputs", inputs));
  THNN_TRY(checkPlace(__func__, "outputs", outputs));
  *inputs = program->nInputs;
  *outputs = program->nOutputs;
  return THNN_OK;
}

int32_t THNN_programInputs(const THNNProgram *program, int32_t list, THNNArray *inputs, int32_t nInputs)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(checkArrays(__func__, "inputs", "nInputs", inputs, nInputs));
  if (nInputs != program->nInputs)
    return THNN_fail(THNN_ERR_VALUE, __func__, "inputs", "expected %d arrays, got %d", program->nInputs, nInputs);
  if (list < 0 || list >= program->nLists)
    return THNN_fail(THNN_ERR_VALUE, __func__, "list", "expected a number below %d, got %d", program->nLists, list);
  const List *from = program->lists + list;
  for (int32_t i = 0; i < nInputs; i++) {
    inputs[i] = (THNNArray){.type = from->inputs[i].array.type, .nDimension = from->inputs[i].array.nDimension};
    for (int32_t d = 0; d < inputs[i].nDimension; d++) {
      const Number size = from->inputs[i].size[d];
      inputs[i].size[d] = size.base + size.slope * from->least; /* opening the program has checked it */
    }
  }
  return THNN_OK;
}

int32_t THNN_programNotes(const THNNProgram *program, const char **text, uint64_t *size)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(checkPlace(__func__, "text", text));
  THNN_TRY(checkPlace(__func__, "size", size));
  *text = program->notes;
  *size = program->notesBytes;
  return THNN_OK;
}

int32_t THNN_forgetProgram(THNNProgram *program)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(begin(__func__, program));
  program->hasStates = 0;
  end(program);
  return THNN_OK;
}

int32_t THNN_programFailure(const THNNProgram *program, int32_t *list, int64_t *call)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(checkPlace(__func__, "list", list));
  THNN_TRY(checkPlace(__func__, "call", call));
  *list = (int32_t)atomic_load_explicit(&program->failedList, memory_order_relaxed);
  *call = atomic_load_explicit(&program->failure, memory_order_relaxed);
  return THNN_OK;
}

int32_t THNN_programState(const THNNProgram *program, THNNState **state)
{
  THNN_TRY(checkProgram(__func__, program));
  if (!state) return THNN_fail(THNN_ERR_NULL, __func__, "state", "expected a place for the pointer, got NULL");
  *state = program->shared->state;
  return THNN_OK;
}

int32_t THNN_programBytes(THNNProgram *program, uint64_t *arena)
{
  THNN_TRY(checkProgram(__func__, program));
  THNN_TRY(checkPlace(__func__, "arena", arena));
  THNN_TRY(begin(__func__, program));
  *arena = program->arena.bytes;
  for (int32_t i = 0; i < program->nInputs + program->nStates; i++) *arena += program->copies[i].bytes;
  for (int32_t i = 0; i < program->nStates; i++) *arena += program->states[i].present.bytes + program->states[i].next.bytes;
  end(program);
  return THNN_OK;
}

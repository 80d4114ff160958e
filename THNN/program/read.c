/* Reads a program's bytes (format.h) into structs. The bytes are read twice: first they are checked and items are counted,
 * then one block of memory is filled. All that does not depend on n is checked here; sizes are plan.c's. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "program/format.h"
#include "program/program.h"

/* ---- the reader */

/* Items of each kind. */
typedef struct Counts {
  size_t lists, ports, calls, arguments, operands, numbers, variables, text;
} Counts;

typedef struct Reader {
  const char *function;
  const unsigned char *at, *end;
  int isFilling; /* else items are counted */
  Counts count, capacity;
  List *lists;
  Port *ports;
  ProgramCall *calls;
  THNNArgument *arguments;
  Operand *operands;
  Operand **moving; /* as many as operands */
  Number *numbers;
  Variable *variables;
  char *text;
  uint64_t nInputs, nOutputs; /* numbers of list 0 */
  uint32_t states;
  uint64_t listInputs;        /* number of inputs and states of the list that is read */
  /* the position of the reader, for messages */
  int64_t list, call;
  const Function *called;
  int32_t position;
  int hasFree; /* may numbers depend on n? */
} Reader;

static int32_t wrong(const Reader *r, int32_t code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int32_t wrong(const Reader *r, int32_t code, const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return THNN_fail(code, r->function, THNN_placeText(r->list, r->call, r->called, r->position).text, "%s", text);
}

/* The next item of a kind: its place in the block, or, while items are counted, a place that is used again and again. If the
 * bytes change between the two passes, the block may be full: NULL. */
#define NEXT(r, kind, spare) \
  ((r)->isFilling ? ((r)->count.kind < (r)->capacity.kind ? &(r)->kind[(r)->count.kind++] : NULL) : ((r)->count.kind++, (spare)))

static int32_t changed(const Reader *r)
{
  return wrong(r, THNN_ERR_VALUE, "expected bytes that do not change while they are read, got others");
}

static int32_t take(Reader *r, void *to, size_t bytes)
{
  const size_t left = (size_t)(r->end - r->at);
  if (left < bytes) return wrong(r, THNN_ERR_VALUE, "expected %zu bytes before the constants, got %zu", bytes, left);
  memcpy(to, r->at, bytes);
  r->at += bytes;
  return THNN_OK;
}

static int32_t takeUnsigned(Reader *r, size_t size, uint64_t *value)
{
  unsigned char bytes[8] = {0};
  THNN_TRY(take(r, bytes, size));
  *value = THNN_littleEndian(bytes, size);
  return THNN_OK;
}

static int32_t takeSigned(Reader *r, int64_t *value)
{
  uint64_t bits = 0;
  THNN_TRY(takeUnsigned(r, 8, &bits));
  *value = (int64_t)bits;
  return THNN_OK;
}

static int32_t takeDouble(Reader *r, double *value)
{
  uint64_t bits = 0;
  THNN_TRY(takeUnsigned(r, 8, &bits));
  memcpy(value, &bits, sizeof *value);
  return THNN_OK;
}

static int32_t takeByte(Reader *r, int32_t *value)
{
  uint64_t byte = 0;
  THNN_TRY(takeUnsigned(r, 1, &byte));
  *value = (int32_t)byte;
  return THNN_OK;
}

/* A count of items that take so many bytes at least. */
static int32_t takeCount(Reader *r, const char *what, size_t leastBytes, uint32_t *count)
{
  uint64_t found = 0;
  THNN_TRY(takeUnsigned(r, sizeof *count, &found));
  *count = (uint32_t)found;
  const size_t most = (size_t)(r->end - r->at) / leastBytes;
  if (*count > most)
    return wrong(r, THNN_ERR_VALUE, "expected at most %zu %s in the bytes that are left, got %" PRIu32, most, what, *count);
  return THNN_OK;
}

static int32_t takeNumber(Reader *r, Number *number)
{
  int32_t kind = 0;
  *number = (Number){0, 0};
  THNN_TRY(takeByte(r, &kind));
  if (kind > 1) return wrong(r, THNN_ERR_VALUE, "expected a number of kind 0 or 1, got %d", kind);
  THNN_TRY(takeSigned(r, &number->base));
  if (kind == 0) return THNN_OK;
  THNN_TRY(takeSigned(r, &number->slope));
  if (!r->hasFree) return wrong(r, THNN_ERR_VALUE, "expected plain numbers in a list that serves one size, got one with n");
  return THNN_OK;
}

static int32_t takeNumbers(Reader *r, int32_t n, const Number **numbers)
{
  Number spare;
  for (int32_t i = 0; i < n; i++) {
    Number *number = NEXT(r, numbers, &spare);
    if (!number) return changed(r);
    if (i == 0) *numbers = number;
    THNN_TRY(takeNumber(r, number));
  }
  return THNN_OK;
}

static int32_t takeType(Reader *r, int32_t *type)
{
  THNN_TRY(takeByte(r, type));
  if (*type > THNN_BYTE) return wrong(r, THNN_ERR_VALUE, "expected a type from 0 to %d, got %d", THNN_BYTE, *type);
  return THNN_OK;
}

static int32_t takeRank(Reader *r, int32_t *nDimension)
{
  THNN_TRY(takeByte(r, nDimension));
  if (*nDimension < 1 || *nDimension > THNN_MAX_DIMS)
    return wrong(r, THNN_ERR_SHAPE, "expected 1 to %d dimensions, got %d", THNN_MAX_DIMS, *nDimension);
  return THNN_OK;
}

/* ---- inputs and outputs */

/* The inputs or outputs of a list. There are as many as in list 0, and so many further ones. */
static int32_t readPorts(Reader *r, const char *what, uint64_t *expected, uint32_t further, Port **ports)
{
  uint32_t count = 0;
  THNN_TRY(takeCount(r, what, MIN_ARRAY_BYTES, &count));
  if (r->list == 0) *expected = count;
  if (count != *expected + further)
    return wrong(r, THNN_ERR_VALUE, "expected %" PRIu64 " %s, as list 0 has%s, got %" PRIu32, *expected + further, what,
                 further ? " without the states" : "", count);
  Port spare;
  for (uint32_t i = 0; i < count; i++) {
    Port *port = NEXT(r, ports, &spare);
    if (!port) return changed(r);
    if (i == 0) *ports = port;
    *port = (Port){0};
    THNN_TRY(takeType(r, &port->array.type));
    THNN_TRY(takeRank(r, &port->array.nDimension));
    THNN_TRY(takeNumbers(r, port->array.nDimension, &port->size));
  }
  return THNN_OK;
}

/* The first size with an n must grow with n, because n is computed from it. */
static int32_t checkFreeSize(const Reader *r, const List *list)
{
  for (uint64_t i = 0; i < r->nInputs; i++) /* states follow from them */
    for (int32_t d = 0; d < list->inputs[i].array.nDimension; d++) {
      const int64_t slope = list->inputs[i].size[d].slope;
      if (slope > 0) return THNN_OK;
      if (slope < 0)
        return wrong(r, THNN_ERR_VALUE, "expected a first free size that grows with n, got a factor of %" PRId64, slope);
    }
  return wrong(r, THNN_ERR_VALUE,
               "expected an input with a free size, because the list serves every n from %" PRId64 " on, got none", list->least);
}

/* ---- calls */

static int32_t readTensor(Reader *r, char letter, THNNArgument *argument)
{
  Operand spare, *operand = NEXT(r, operands, &spare);
  if (!operand) return changed(r);
  *operand = (Operand){0};
  argument->tensor = operand;
  THNN_TRY(takeType(r, &operand->array.type));
  static const struct {
    char letters[3];
    int32_t type;
  } fixed[] = {{"lL", THNN_LONG}, {"bB", THNN_BYTE}};
  const int32_t real = r->called->name[0] == 'D' ? THNN_DOUBLE : THNN_FLOAT;
  int32_t type = strchr("fF", letter) ? real : operand->array.type;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (strchr(fixed[i].letters, letter)) type = fixed[i].type;
  if (operand->array.type != type)
    return wrong(r, THNN_ERR_VALUE, "expected a tensor of %ss, got one of %ss", THNN_typeNames[type],
                 THNN_typeNames[operand->array.type]);

  THNN_TRY(takeByte(r, &operand->memory));
  uint64_t index = 0;
  THNN_TRY(takeUnsigned(r, sizeof operand->index, &index));
  operand->index = (uint32_t)index;
  if (operand->memory > MEMORY_OUTPUT)
    return wrong(r, THNN_ERR_VALUE, "expected a memory from 0 to %d, got %d", MEMORY_OUTPUT, operand->memory);
  const int isMoving = operand->memory == MEMORY_INPUT || operand->memory == MEMORY_OUTPUT;
  const uint64_t count = operand->memory == MEMORY_INPUT ? r->listInputs : (operand->memory == MEMORY_OUTPUT ? r->nOutputs : 1);
  if (operand->index >= count)
    return wrong(r, THNN_ERR_VALUE, "expected an index below %" PRIu64 ", the number of %s, got %" PRIu32, count,
                 operand->memory == MEMORY_INPUT ? "inputs" : (isMoving ? "outputs" : "arenas and constants"), operand->index);
  if (isWrittenLetter(letter) && (operand->memory == MEMORY_CONSTANTS || operand->memory == MEMORY_INPUT))
    return wrong(r, THNN_ERR_VALUE, "expected memory that calls may write, the arena or an output, got %s",
                 operand->memory == MEMORY_INPUT ? "an input" : "constants");
  if (!isWrittenLetter(letter)) operand->array.flags = THNN_READONLY;

  THNN_TRY(takeNumber(r, &operand->offset));
  THNN_TRY(takeRank(r, &operand->array.nDimension));
  THNN_TRY(takeNumbers(r, operand->array.nDimension, &operand->size));
  return takeNumbers(r, operand->array.nDimension, &operand->stride);
}

static int32_t readInteger(Reader *r, char letter, THNNArgument *argument)
{
  Number number;
  THNN_TRY(takeNumber(r, &number));
  const int isShort = letter == 'j';
  argument->integer = number.base;
  if (number.slope) {
    Variable spare, *variable = NEXT(r, variables, &spare);
    if (!variable) return changed(r);
    *variable = (Variable){argument, number, r->call, r->position, isShort};
  } else if (isShort && (number.base < INT32_MIN || number.base > INT32_MAX))
    return wrong(r, THNN_ERR_VALUE, "expected a number of 32 bits, got %" PRId64, number.base);
  return THNN_OK;
}

static int32_t readText(Reader *r, THNNArgument *argument)
{
  uint64_t found = 0;
  THNN_TRY(takeUnsigned(r, 2, &found));
  const size_t length = (size_t)found, left = (size_t)(r->end - r->at);
  if (left < length) return wrong(r, THNN_ERR_VALUE, "expected %zu bytes of text before the constants, got %zu", length, left);
  if (memchr(r->at, 0, length)) return wrong(r, THNN_ERR_VALUE, "expected a text without NUL, got one");
  argument->tensor = NULL;
  if (r->isFilling) {
    if (r->capacity.text - r->count.text < length + 1) return changed(r);
    char *text = r->text + r->count.text;
    memcpy(text, r->at, length);
    text[length] = 0;
    argument->tensor = text;
  }
  r->at += length;
  r->count.text += length + 1;
  return THNN_OK;
}

static int32_t argumentKind(char letter)
{
  if (isTensorLetter(letter)) return KIND_TENSOR;
  return letter == 'd' ? KIND_DOUBLE : (letter == 't' ? KIND_TEXT : KIND_INTEGER);
}

static int32_t readArgument(Reader *r, char letter, THNNArgument *argument)
{
  static const char *const kinds[] = {"NULL", "a tensor", "an integer", "a double", "a text"};
  int32_t kind = 0;
  THNN_TRY(takeByte(r, &kind));
  if (kind > KIND_TEXT) return wrong(r, THNN_ERR_VALUE, "expected a kind of argument from 0 to %d, got %d", KIND_TEXT, kind);
  const int32_t fits = argumentKind(letter);
  if (kind != fits && !(kind == KIND_NULL && fits == KIND_TENSOR))
    return wrong(r, THNN_ERR_VALUE, "expected %s, got %s", kinds[fits], kinds[kind]);
  *argument = (THNNArgument){.integer = 0};
  if (kind == KIND_TENSOR) return readTensor(r, letter, argument);
  if (kind == KIND_INTEGER) return readInteger(r, letter, argument);
  if (kind == KIND_DOUBLE) return takeDouble(r, &argument->number);
  if (kind == KIND_TEXT) return readText(r, argument);
  argument->tensor = NULL;
  return THNN_OK;
}

static int32_t readName(Reader *r)
{
  int32_t length = 0;
  THNN_TRY(takeByte(r, &length));
  char name[256];
  THNN_TRY(take(r, name, (size_t)length));
  r->called = memchr(name, 0, (size_t)length) ? NULL : THNN_findFunction(name, (size_t)length);
  if (r->called) return THNN_OK;
  name[length] = 0;
  for (int32_t i = 0; i < length; i++)
    if (name[i] < ' ' || name[i] > '~') name[i] = '?';
  return wrong(r, THNN_ERR_UNSUPPORTED,
               "expected a function of this library or one that is registered, got %s; a newer library may have it, or "
               "THNN_registerLayer adds it",
               name);
}

static int32_t readCall(Reader *r)
{
  ProgramCall spareCall, *call = NEXT(r, calls, &spareCall);
  if (!call) return changed(r);
  THNN_TRY(readName(r));
  *call = (ProgramCall){r->called->call, NULL, r->called};
  int32_t count = 0;
  const char *signature = r->called->signature;
  const size_t expected = strlen(signature);
  THNN_TRY(takeByte(r, &count));
  if ((size_t)count != expected) return wrong(r, THNN_ERR_VALUE, "expected %zu arguments, got %d", expected, count);
  THNNArgument spare;
  for (r->position = 0; r->position < count; r->position++) {
    THNNArgument *argument = NEXT(r, arguments, &spare);
    if (!argument) return changed(r);
    if (r->position == 0) call->arguments = argument;
    THNN_TRY(readArgument(r, signature[r->position], argument));
  }
  r->position = -1;
  r->called = NULL;
  return THNN_OK;
}

/* ---- lists */

static void collectMoving(Reader *r, List *list, size_t first)
{
  list->moving = r->moving + first;
  for (size_t i = first; i < r->count.operands; i++) {
    Operand *operand = r->operands + i;
    if (operand->memory == MEMORY_INPUT || operand->memory == MEMORY_OUTPUT) list->moving[list->nMoving++] = operand;
  }
}

static int32_t readList(Reader *r)
{
  List spare, *list = NEXT(r, lists, &spare);
  if (!list) return changed(r);
  *list = (List){0};
  THNN_TRY(takeSigned(r, &list->least));
  if (list->least < 0) return wrong(r, THNN_ERR_VALUE, "expected a least n of 0 and more, got %" PRId64, list->least);
  r->hasFree = list->least > 0;
  THNN_TRY(takeByte(r, &list->isLater));
  if (list->isLater > 1) return wrong(r, THNN_ERR_VALUE, "expected later 0 or 1, got %d", list->isLater);
  if (list->isLater > (r->states && r->list))
    return wrong(r, THNN_ERR_VALUE, "expected a list for any run, because %s, got later %d",
                 r->states ? "the first list is one" : "there are no states", list->isLater);
  THNN_TRY(takeNumber(r, &list->arena));
  const uint32_t further = list->isLater ? r->states : 0;
  THNN_TRY(readPorts(r, "inputs", &r->nInputs, further, &list->inputs));
  THNN_TRY(readPorts(r, "outputs", &r->nOutputs, 0, &list->outputs));
  r->listInputs = r->nInputs + further;
  if (r->nOutputs < r->states)
    return wrong(r, THNN_ERR_VALUE, "expected an output for each of %" PRIu32 " states, got %" PRIu64, r->states, r->nOutputs);

  uint32_t count = 0;
  THNN_TRY(takeCount(r, "calls", MIN_CALL_BYTES, &count));
  const size_t firstCall = r->count.calls, firstOperand = r->count.operands, firstVariable = r->count.variables;
  for (r->call = 0; r->call < count; r->call++) THNN_TRY(readCall(r));
  r->call = -1;
  if (!r->isFilling) return THNN_OK;
  list->calls = r->calls + firstCall;
  list->nCalls = count;
  list->variables = r->variables + firstVariable;
  list->nVariables = (int64_t)(r->count.variables - firstVariable);
  collectMoving(r, list, firstOperand);
  return r->hasFree ? checkFreeSize(r, list) : THNN_OK;
}

static int32_t readLists(Reader *r, const unsigned char *first, const unsigned char *end, uint32_t count)
{
  r->at = first;
  r->end = end;
  r->count = (Counts){0};
  r->position = -1;
  r->called = NULL;
  for (r->list = 0; r->list < count; r->list++) THNN_TRY(readList(r));
  r->list = -1;
  for (; r->at < r->end; r->at++)
    if (*r->at) return wrong(r, THNN_ERR_VALUE, "expected zeros between the lists and the constants, got a byte of %d", *r->at);
  return THNN_OK;
}

/* ---- the whole */

/* A place for n items in the block: its offset. All items have the alignment of 8 bytes or less. */
static size_t reserve(size_t *bytes, size_t n, size_t itemSize)
{
  const size_t offset = *bytes;
  *bytes += (n * itemSize + 7) / 8 * 8;
  return offset;
}

/* Sums cannot overflow: an item takes some hundred bytes of memory and at least one byte of those that were read. */
static THNNProgram *allocate(Reader *r)
{
  const Counts *c = &r->count;
  size_t bytes = sizeof(THNNProgram);
  const size_t states = r->states, allInputs = r->nInputs + states, outputs = r->nOutputs;
  const size_t lists = reserve(&bytes, c->lists, sizeof *r->lists);
  const size_t portsAt = reserve(&bytes, c->ports, sizeof *r->ports);
  const size_t calls = reserve(&bytes, c->calls, sizeof *r->calls);
  const size_t arguments = reserve(&bytes, c->arguments, sizeof *r->arguments);
  const size_t operands = reserve(&bytes, c->operands, sizeof *r->operands);
  const size_t moving = reserve(&bytes, c->operands, sizeof *r->moving);
  const size_t numbers = reserve(&bytes, c->numbers, sizeof *r->numbers);
  const size_t variables = reserve(&bytes, c->variables, sizeof *r->variables);
  const size_t copies = reserve(&bytes, allInputs, sizeof(Buffer));
  const size_t bases = reserve(&bytes, allInputs + outputs, sizeof(void *));
  const size_t memories = reserve(&bytes, states, sizeof(StateMemory));
  const size_t arrays = reserve(&bytes, states ? allInputs + outputs : 0, sizeof(THNNArray));
  const size_t text = reserve(&bytes, c->text, 1);
  char *block = calloc(1, bytes);
  if (!block) {
    wrong(r, THNN_ERR_MEMORY, "expected memory of %zu bytes, got none", bytes);
    return NULL;
  }
  THNNProgram *p = (THNNProgram *)block;
  r->lists = p->lists = (List *)(block + lists);
  r->ports = (Port *)(block + portsAt);
  r->calls = (ProgramCall *)(block + calls);
  r->arguments = (THNNArgument *)(block + arguments);
  r->operands = (Operand *)(block + operands);
  r->moving = (Operand **)(block + moving);
  r->numbers = (Number *)(block + numbers);
  r->variables = (Variable *)(block + variables);
  r->text = block + text;
  p->copies = (Buffer *)(block + copies);
  p->bases = (void **)(block + bases);
  p->states = (StateMemory *)(block + memories);
  p->arrays = (THNNArray *)(block + arrays);
  p->nInputs = (int32_t)r->nInputs;
  p->nOutputs = (int32_t)(outputs - states);
  p->nStates = (int32_t)states;
  p->nLists = (int32_t)c->lists;
  return p;
}

/* ---- states */

/* A later list has, as its last inputs, arrays of the types and ranks of the states that any list leaves. */
static int32_t checkStates(Reader *r, const THNNProgram *p)
{
  int hasLater = !p->nStates;
  for (r->list = 0; r->list < p->nLists; r->list++) {
    const List *list = p->lists + r->list;
    hasLater |= list->isLater;
    for (int32_t i = 0; i < p->nStates; i++) {
      const THNNArray *state = &p->lists->outputs[p->nOutputs + i].array, *left = &list->outputs[p->nOutputs + i].array;
      const THNNArray *read = list->isLater ? &list->inputs[p->nInputs + i].array : state;
      if (left->type != state->type || left->nDimension != state->nDimension || read->type != state->type ||
          read->nDimension != state->nDimension)
        return wrong(r, THNN_ERR_VALUE, "expected %ss of %d dimensions as state %d, as in list 0, got others",
                     THNN_typeNames[state->type], state->nDimension, i);
    }
  }
  r->list = -1;
  return hasLater ? THNN_OK : wrong(r, THNN_ERR_VALUE, "expected a later list, because there are states, got none");
}

/* ---- a program */

int32_t THNN_readProgram(const char *function, const void *bytes, uint64_t size, int isChecked, THNNProgram **program)
{
  const unsigned char *first = bytes;
  Reader r = {.function = function, .list = -1, .call = -1, .position = -1};
  Header h = {0};
  THNN_TRY(THNN_readHeader(function, first, size, &h));
  if (!isChecked) THNN_TRY(THNN_compareChecksum(function, first, size, h.checksum));
  r.states = h.states;
  const unsigned char *notes = first + FORMAT_HEADER_BYTES, *lists = notes + h.notes;
  THNN_TRY(readLists(&r, lists, first + h.constants, h.lists));
  if (r.nInputs + r.nOutputs + r.states > INT32_MAX || r.count.lists > INT32_MAX)
    return wrong(&r, THNN_ERR_VALUE, "expected at most %d lists, inputs and outputs, got more", INT32_MAX);

  THNNProgram *p = allocate(&r);
  if (!p) return THNN_ERR_MEMORY;
  p->bytes = first;
  p->size = size;
  p->notes = (const char *)notes;
  p->notesBytes = h.notes;
  p->constants = first + h.constants;
  p->constantsBytes = (int64_t)h.constantsBytes;
  atomic_init(&p->failure, -1);
  atomic_init(&p->failedList, -1);
  const uint64_t nInputs = r.nInputs, nOutputs = r.nOutputs;
  r.capacity = r.count;
  r.isFilling = 1;
  int32_t status = readLists(&r, lists, first + h.constants, h.lists);
  if (status == THNN_OK && (r.nInputs != nInputs || r.nOutputs != nOutputs)) status = changed(&r);
  if (status == THNN_OK) status = checkStates(&r, p);
  if (status != THNN_OK) {
    free(p);
    return status;
  }
  *program = p;
  return THNN_OK;
}

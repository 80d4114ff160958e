/* A program in memory: read.c makes it of the bytes, plan.c fills it for sizes, and run.c calls its functions. header.c and
 * constants.c read the rest of the bytes, file.c maps them, functions.c finds functions by their names, and messages.c names places.
 *
 *   list       calls for one set of input sizes, or for all sizes that differ in n
 *   port       an input or an output of the program
 *   operand    a tensor argument of a call, with the descriptor that the function gets
 *   variable   an integer argument that depends on n
 *   moving     an operand in an input or an output, whose address each run sets
 *   state      an output of a run that is an input of the next one, in memory of the program; the network is a recurrent one */
#ifndef THNN_PROGRAM_INTERNAL_H
#define THNN_PROGRAM_INTERNAL_H

#include <stdatomic.h>
#include <string.h>
#include "THNN_program.h"
#include "core/core.h"

/* base + slope * n */
typedef struct Number {
  int64_t base, slope;
} Number;

/* A function that programs can call. The state is no part of its signature. */
typedef struct Function {
  const char *name, *signature;
  const char *arguments; /* their names, separated by spaces; "" if they are not known */
  THNNLayerCall *call;
} Function;

/* All functions of THNN.h and all array functions, sorted by name: made by table.cmake. */
extern const Function THNN_functionTable[];
extern const size_t THNN_functionCount;

/* The function of this name, also one that was registered; NULL if there is none. The name need not end in NUL. */
const Function *THNN_findFunction(const char *name, size_t length);

/* True for the letters of tensors, and of tensors that are written, in a signature. */
THNN_INLINE int isTensorLetter(char letter) { return letter != 0 && strchr("fFlLbBaA", letter) != NULL; }
THNN_INLINE int isWrittenLetter(char letter) { return letter >= 'A' && letter <= 'Z'; }

typedef struct Port {
  const Number *size;
  THNNArray array; /* type and nDimension hold from the beginning; sizes and dense strides once the list is planned */
  int64_t bytes;
} Port;

typedef struct Operand {
  THNNArray array; /* first: its address is what the function gets, as TH*Tensor where it takes one */
  const Number *size, *stride;
  Number offset;
  int64_t offsetBytes;
  uint32_t index; /* number of the input or output */
  int32_t memory;
} Operand;

typedef struct Variable {
  THNNArgument *argument;
  Number number;
  int64_t call;
  int32_t position;
  int32_t isShort; /* int32_t */
} Variable;

typedef struct ProgramCall {
  THNNLayerCall *call;
  THNNArgument *arguments;
  const Function *function;
} ProgramCall;

typedef struct List {
  int64_t least;
  int32_t isLater; /* its last inputs are the states */
  Number arena;
  Port *inputs, *outputs;
  ProgramCall *calls;
  Variable *variables;
  Operand **moving;
  int64_t nCalls, nVariables, nMoving;
  /* the plan for the last sizes */
  int isPlanned;
  int64_t n, arenaBytes;
  const void *plannedArena; /* the memory that the operands' addresses are for */
} List;

/* A little-endian number, on any processor. */
THNN_INLINE uint64_t THNN_littleEndian(const unsigned char *bytes, size_t size)
{
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

/* header.c */

typedef struct Header {
  uint32_t version, mark;
  uint64_t size, constants, constantsBytes;
  uint32_t lists, states, notes, checksum;
} Header;

int32_t THNN_readHeader(const char *function, const unsigned char *bytes, uint64_t size, Header *header);
/* Compares the CRC-32 of all bytes but those of itself; 0 is none. */
int32_t THNN_compareChecksum(const char *function, const unsigned char *bytes, uint64_t size, uint32_t expected);

/* The bytes of a file. */
typedef struct FileBytes {
  const void *bytes;
  uint64_t size;
} FileBytes;

/* The memory that a program and its clones share. */
typedef struct Shared {
  atomic_int programs;
  THNNState *state;
  FileBytes file; /* NULL: the bytes are the host's */
  void *constants; /* a copy, where the bytes have another order than the processor; else NULL */
  atomic_int isReleased; /* true from the first run on */
} Shared;

/* Memory that only grows. */
typedef struct Buffer {
  char *memory;
  size_t bytes; /* as allocated */
} Buffer;

typedef struct StateMemory {
  Buffer present, next; /* left by the latest run; to be written by the next one */
} StateMemory;

struct THNNProgram {
  const unsigned char *bytes;
  uint64_t size;
  const unsigned char *constants;
  int64_t constantsBytes;
  Shared *shared;
  const char *notes;
  uint32_t notesBytes;
  int32_t nInputs, nOutputs, nStates, nLists; /* inputs and outputs are those that a host sees */
  List *lists, *latest;                       /* latest: of the run or plan before, or NULL */
  Buffer arena;
  Buffer *copies;      /* for each input, memory for one that cannot be used in place */
  void **bases;        /* for each input, state, output and state again, its address in this run */
  StateMemory *states; /* one for each */
  THNNArray *arrays;   /* if there are states: a run's inputs with the states, then its outputs with the states */
  int32_t hasStates;   /* an earlier run has left them */
  atomic_int running;
  _Atomic int64_t failure, failedList;
};

/* The inputs of a list, with states. */
THNN_INLINE int32_t inputCount(const THNNProgram *program, const List *list)
{
  return program->nInputs + (list->isLater ? program->nStates : 0);
}

/* file.c */

/* THNN_mapFile for the function that errors name. */
int32_t THNN_mapPath(const char *function, const char *path, FileBytes *file);
/* The CRC-32 of bytes behind others whose CRC-32 is `before`, 0 at first. */
uint32_t THNN_checksum(uint32_t before, const unsigned char *bytes, size_t size);

/* read.c: all of the bytes in structs, in one block of memory; the program has neither state nor arena yet. Of bytes that were
 * checked before, the checksum is not compared again. */
int32_t THNN_readProgram(const char *function, const void *bytes, uint64_t size, int isChecked, THNNProgram **program);

/* A copy of the constants as the processor has numbers, for a program whose lists are evaluated; NULL if the bytes are as it has them,
 * little-endian. */
int32_t THNN_readConstants(const char *function, THNNProgram *program, void **copy);

/* Fail with "function: list 0, call 3 (name), argument 2 (weight): text". A call or a position below 0 is left out. */
int32_t THNN_failAt(int32_t code, const char *function, const THNNProgram *program, const List *list, int64_t call,
                    int32_t position, const char *format, ...) __attribute__((format(printf, 7, 8)));
/* "call 3 (name), argument 2 (weight)" for messages. */
typedef struct PlaceText {
  char text[320];
} PlaceText;
PlaceText THNN_placeText(int64_t list, int64_t call, const Function *function, int32_t position);

/* plan.c */

/* Sizes, strides and offsets of a list for this n; each tensor is inside its memory, or the list is not planned. */
int32_t THNN_evaluateList(const char *function, THNNProgram *program, List *list, int64_t n);
/* Makes the buffer as large as this, 1 byte at least. False if there is no memory; the buffer is empty then. */
int THNN_growBuffer(Buffer *buffer, size_t bytes);
/* The list that takes these inputs, behind which are the states if there are some, evaluated, with an arena. */
int32_t THNN_planInputs(const char *function, THNNProgram *program, const THNNArray *inputs, List **list);
/* True if the arrays have the type, rank and sizes of the ports as planned. */
int THNN_fitsPorts(const Port *ports, const THNNArray *arrays, int32_t n);

extern const char *const THNN_typeNames[4];
extern const int64_t THNN_typeBytes[4];

#endif

/* Element-wise passes over arrays of any strides.
 *
 * A walk is planned once for a call: dimensions of size 1 are dropped, and neighbours are merged if their strides allow it in all
 * operands. Then ranges of its elements are visited, piece by piece. A kernel always reads and writes dense memory. An operand
 * that is dense within a piece is used directly; another one is gathered into a block on the stack before, or scattered from it
 * after. So there is one loop for each operation and type.
 *
 * The order of the elements is that of memory (WALK_ANY_ORDER: dimensions sorted by the output's strides), or row-major. */
#ifndef THNN_WALK_H
#define THNN_WALK_H

#include "THNN_array.h"
#include "core/core.h"
#include "core/geometry.h"

/* Elements at any byte. */
typedef float FloatCell __attribute__((aligned(1), may_alias));
typedef double DoubleCell __attribute__((aligned(1), may_alias));
typedef int64_t LongCell __attribute__((aligned(1), may_alias));
typedef uint8_t ByteCell __attribute__((may_alias));

THNN_INLINE int isNaNFloat(float x) { return x != x; }
THNN_INLINE int isNaNDouble(double x) { return x != x; }
THNN_INLINE int isNaNLong(int64_t x) { return (void)x, 0; }
THNN_INLINE int isNaNByte(int64_t x) { return (void)x, 0; }
THNN_INLINE int isNegativeLong(int64_t x) { return x < 0; }
THNN_INLINE int isNegativeByte(int64_t x) { return (void)x, 0; }

enum {
  WALK_OPERANDS = 4,
  WALK_BLOCK = 256,     /* elements of a block on the stack: four of them fill half of a first cache */
  WALK_CHUNK = 1 << 14, /* elements that a thread takes at a time */
};

typedef enum WalkOrder {
  WALK_ANY_ORDER,
  WALK_ROW_MAJOR,
} WalkOrder;

typedef struct Operand {
  char *data;
  int64_t itemSize;
  int64_t step[THNN_MAX_DIMS]; /* in bytes */
  int isDense;                 /* the walk's elements stand one behind the other */
} Operand;

/* The first operand is the output, if something is written. */
typedef struct Walk {
  int32_t nDimension, nOperand;
  int64_t count; /* elements */
  int64_t size[THNN_MAX_DIMS];
  Operand operand[WALK_OPERANDS];
} Walk;

/* Memory of a block, of elements of any type. */
typedef struct Block {
  char memory[WALK_BLOCK * 8] __attribute__((aligned(64)));
} Block;

/* n dense elements: y of x[0], x[1] and x[2]. y may be any of them. */
typedef void Kernel(void *y, const void *const *x, int64_t n);

/* ------------------------------------------------------------------------------------------------ checks */

THNN_INLINE int64_t itemSizeOf(int32_t type) { return type == THNN_BYTE ? 1 : (type == THNN_FLOAT ? 4 : 8); }
THNN_INLINE View arrayView(const char *name, const THNNArray *a)
{
  return a ? (View){name, a->data, a->size, a->stride, itemSizeOf(a->type), a->nDimension, a->flags} : (View){0};
}
#define array(name) arrayView(#name, name)

/* Types as sets. */
enum {
  OF_FLOAT = 1 << THNN_FLOAT,
  OF_DOUBLE = 1 << THNN_DOUBLE,
  OF_LONG = 1 << THNN_LONG,
  OF_BYTE = 1 << THNN_BYTE,
  OF_REALS = OF_FLOAT | OF_DOUBLE,
  OF_INTEGERS = OF_LONG | OF_BYTE,
  OF_ANY = OF_REALS | OF_INTEGERS,
};

typedef struct Given {
  const char *name;
  const THNNArray *array;
} Given;

/* Each function fails unless what its comment says is true. */

/* None of n arrays is NULL. */
int32_t checkGiven(const char *f, int n, const Given *given);
/* The array has one of these types, and memory that can be read. */
int32_t checkArray(const char *f, const char *name, const THNNArray *a, int types);
/* It has this shape, too. */
int32_t checkArrayShape(const char *f, const char *name, const THNNArray *a, int types, int32_t nDimension, const int64_t *size);
/* It has this shape, too, and its memory can be written. */
int32_t checkArrayOutput(const char *f, const char *name, const THNNArray *a, int types, int32_t nDimension, const int64_t *size);
/* Fails: elements of this type have no operation of this number. */
int32_t failOperation(const char *f, int32_t operation, int32_t type);
/* The output shares no byte with the input; of an element-wise pass it may be the same view, if its elements are as wide. */
int32_t checkApart(const char *f, View output, View input, int isElementwise);

/* ------------------------------------------------------------------------------------------------ walks */

/* Returns dimensions [first, end) of a view, or its first element as one dimension if there are none. */
View viewOfDimensions(View v, int32_t first, int32_t end);
/* Views of one shape, which have been checked. */
void planWalk(Walk *w, WalkOrder order, int32_t nOperand, const View *views);
/* Elements [at, end) of the walk, each operand `offset` bytes further on (NULL: 0). */
void walk(const Walk *w, Kernel *kernel, const int64_t *offset, int64_t at, int64_t end);
/* As walk with a kernel that copies the second operand to the first one, which has the same type. */
void walkCopy(const Walk *w, const int64_t *offset, int64_t at, int64_t end);
/* All elements, split among threads if there are many. `kernel` NULL copies. `cost` is that of an element, in additions. */
void walkAll(Call *call, const Walk *w, Kernel *kernel, int64_t cost);

/* Returns the bytes from an operand's first element to element `at`. */
int64_t elementOffset(const Walk *w, int32_t operand, int64_t at);
/* n elements from `at` on of an operand, as dense memory: its own, or `block`, which then holds up to WALK_BLOCK of them. */
const void *denseCells(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, Block *block);
/* The same for a pass that writes them; storeCells puts back what is in the block. */
void *denseOutput(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, Block *block);
void storeCells(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, const void *memory);
/* True if n elements from `at` on are dense memory. */
int isDirect(const Walk *w, int32_t operand, int64_t at, int64_t n);

/* n elements of a row to another one; steps in bytes. */
void copyCells(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t n, int64_t itemSize);

/* y[i] = (to) x[i], as arrayCopy converts. NULL if the types are the same. */
Kernel *converter(int32_t from, int32_t to);

#endif

/* Element-wise passes over arrays of any strides.
 *
 * A walk is planned once for a call (plan.h). Then ranges of its elements are visited, piece by piece. A kernel always reads and writes
 * dense memory. An operand that is dense within a piece is used directly; another one is gathered into a block on the stack before, or
 * scattered from it after. So there is one loop for each operation and type. */
#ifndef THNN_WALK_H
#define THNN_WALK_H

#include "array/checks.h"
#include "array/numbers.h"
#include "array/plan.h"

/* Elements at any byte. */
typedef float FloatCell __attribute__((aligned(1), may_alias));
typedef double DoubleCell __attribute__((aligned(1), may_alias));
typedef int64_t LongCell __attribute__((aligned(1), may_alias));
typedef uint8_t ByteCell __attribute__((may_alias));

enum {
  WALK_BLOCK = 256,     /* elements of a block on the stack: four of them fill half of a first cache */
  WALK_CHUNK = 1 << 14, /* elements that a thread takes at a time */
};

/* Memory of a block, of elements of any type. */
typedef struct Block {
  char memory[WALK_BLOCK * 8] __attribute__((aligned(64)));
} Block;

/* n dense elements: y of x[0], x[1] and x[2]. y may be any of them. */
typedef void Kernel(void *y, const void *const *x, int64_t n);

/* ------------------------------------------------------------------------------------------------ walks */

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

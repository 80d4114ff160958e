/* The bytes of a program, version 1. All numbers and constants are little-endian, and no number is aligned.
 *
 *     number := u8 0, i64 value
 *             | u8 1, i64 a, i64 b                a + b * n, where n is the list's free size
 *
 *     offset 0   "THNNprog"
 *            8   u32 version = 1
 *           12   u32 mark = 0x01020304
 *           16   u64 size of all bytes
 *           24   u64 offset of the constants, a multiple of 64
 *           32   u64 bytes of the constants
 *           40   u32 number of lists, u32 number of states
 *           48   u32 bytes of the notes, u32 CRC-32 of all bytes but these four; 0: nothing is compared
 *           56   the notes, the lists, then zero bytes up to the constants
 *
 *     notes := lines of UTF-8, "key value". This library does not read them: they are labels, names of modules, shapes
 *
 *     list := i64 least                           0: no number has an n; else the list serves every n >= least
 *             u8 later                            1: it serves runs that have the states of the run before
 *             number of bytes of the arena
 *             u32 number of inputs, each: u8 type (THNNType), u8 dimensions (1 to 8), a number for each size
 *             u32 number of outputs, each: the same
 *             u32 number of calls, each:
 *                 u8 length, name: the exported symbol without "THNN_", as in "FloatLinear_updateOutput"
 *                 u8 number of arguments without the state, each:
 *                     u8 0            NULL, in the place of a tensor
 *                     u8 1 tensor:    u8 type, u8 memory, u32 index (of the input or output, else 0), number of the offset in
 *                                     bytes, u8 dimensions (1 to 8), a number for each size, a number for each stride in
 *                                     elements
 *                     u8 2 integer:   number
 *                     u8 3 double:    8 bytes
 *                     u8 4 text:      u16 length, bytes without a NUL
 *
 * All lists have equal counts of inputs and outputs, but a later list has the states as further inputs. The last outputs of every
 * list are the states, which the next run reads; a host does not see them. List 0 is not a later one. A run takes the first list
 * whose inputs have the types, ranks and sizes of the arrays. n follows from the first size of an input that depends on it; that
 * size grows with n. A tensor that a call writes is in the arena or in an output. An empty tensor has its offset inside of its
 * memory, too. Inputs and outputs are dense. */
#ifndef THNN_FORMAT_H
#define THNN_FORMAT_H

#include <stdint.h>

#define THNN_PROGRAM_MAGIC "THNNprog"

enum {
  FORMAT_VERSION = 1,
  FORMAT_MARK = 0x01020304,
  FORMAT_HEADER_BYTES = 56,
  FORMAT_CHECKSUM = 52, /* offset of the CRC-32 */
  FORMAT_ALIGNMENT = 64, /* alignment of the bytes in memory, and of the constants in them */
};

enum ArgumentKind {
  KIND_NULL = 0,
  KIND_TENSOR = 1,
  KIND_INTEGER = 2,
  KIND_DOUBLE = 3,
  KIND_TEXT = 4,
};

enum Memory {
  MEMORY_CONSTANTS = 0,
  MEMORY_ARENA = 1,
  MEMORY_INPUT = 2,
  MEMORY_OUTPUT = 3,
};

/* The least bytes that an item of a list needs. A count that exceeds the bytes that are left is refused before memory is
 * allocated. */
enum {
  MIN_LIST_BYTES = 8 + 1 + 9 + 4 + 4 + 4,
  MIN_ARRAY_BYTES = 2 + 9,
  MIN_CALL_BYTES = 2,
};

#endif

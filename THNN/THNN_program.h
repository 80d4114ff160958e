/* THNN_program.h: programs. A program is a network as a list of calls of this library's functions; pytorch-legacy makes its
 * bytes, and THNN/program/format.h in its sources describes them. THNN.h includes this file; its rules hold here.
 *
 * The bytes are untrusted: opening checks all of them, so that a program reads and writes no memory but its own, its bytes, and
 * the arrays of a run. */
#ifndef THNN_PROGRAM_H
#define THNN_PROGRAM_H

#include "THNN_array.h"

#if defined(__cplusplus) && !defined(THNN_FFI)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ programs */

typedef struct THNNProgram THNNProgram;

/* The bytes belong to the host. They must be aligned to 64, and must not change until the program and all of its clones are
 * closed. */
THNN_API int32_t THNN_openProgram(const void *bytes, uint64_t size, THNNProgram **program);
/* Opens a program in a file, which pytorch-legacy convert NET.t7 net.thnn makes. The file is mapped: until the program and its clones are closed, it must not be written to or shortened. It may be deleted or replaced. */
THNN_API int32_t THNN_openProgramFile(const char *path, THNNProgram **program);
/* Maps a file into memory, read-only, at a multiple of 64. Until it is unmapped, the file must not be written to or shortened; it
 * may be deleted or replaced. Hosts whose weights are a file use this, as the C of pl.to_c does. */
THNN_API int32_t THNN_mapFile(const char *path, const void **bytes, uint64_t *size);
THNN_API int32_t THNN_unmapFile(const void *bytes, uint64_t size); /* NULL is allowed */
/* Gives memory back that came from a file, such as weights that are packed: what is read of it later comes from the file again. `bytes`
 * is the memory of THNN_mapFile or a constant array of the host. Other memory would lose its contents. */
THNN_API int32_t THNN_releasePages(const void *bytes, uint64_t size);
/* Makes a program for another thread. A clone has memory of its own, and shares the bytes and the THNNState, so that weights
 * are packed once. */
THNN_API int32_t THNN_cloneProgram(const THNNProgram *program, THNNProgram **clone);
THNN_API int32_t THNN_closeProgram(THNNProgram *program); /* NULL is allowed; no call may be running on it */
THNN_API int32_t THNN_programCounts(const THNNProgram *program, int32_t *inputs, int32_t *outputs);
/* Sets type, dimensions and sizes of the inputs that a list takes, and the rest of them to 0. Lists are counted from 0, and a number
 * beyond the last one is THNN_ERR_VALUE. A list that serves several batches tells the smallest one. Lists for later runs of a
 * recurrent network are the last ones, and take the inputs of others. */
THNN_API int32_t THNN_programInputs(const THNNProgram *program, int32_t list, THNNArray *inputs, int32_t nInputs);
/* The notes of whoever made the program: lines of UTF-8, "key value". They are not terminated by NUL, and stay as long as the
 * bytes. The package writes labels and the preparation of pictures (pytorch_legacy/program/notes.py). */
THNN_API int32_t THNN_programNotes(const THNNProgram *program, const char **text, uint64_t *size);

/* Sets type, dimensions, sizes and dense strides of the outputs for inputs of these sizes; `data` of both stays as it is. */
THNN_API int32_t THNN_planProgram(
    THNNProgram *program,
    const THNNArray *inputs, int32_t nInputs,
    THNNArray *outputs, int32_t nOutputs);

/* Inputs have any strides and are not written. Outputs are dense; they may overlap inputs, not each other. A program serves one
 * thread at a time: while it runs in another one, this returns THNN_ERR_VALUE. Memory is kept for the next run. A run with the
 * sizes of the run before needs no planning.
 *
 * A program of a recurrent network remembers arrays from run to run: those of the latest run that did not fail. They belong to the
 * program; a clone begins without any. As long as there are some, inputs have the sizes of the run before. */
THNN_API int32_t THNN_runProgram(
    THNNProgram *program,
    const THNNArray *inputs, int32_t nInputs,
    THNNArray *outputs, int32_t nOutputs);

/* Deletes what runs have left: the next one is as the first. */
THNN_API int32_t THNN_forgetProgram(THNNProgram *program);

/* The numbers, from 0, of the list and of the call in which the latest run failed; -1 if it failed before the first call, or did
 * not fail. */
THNN_API int32_t THNN_programFailure(const THNNProgram *program, int32_t *list, int64_t *call);
/* The state that a program and its clones share; the last of them frees it. It begins with the settings of the default state, but
 * with THNN_FIXED in place of THNN_FAST. Its number of threads is that of the default state until it gets another one; 0 takes that
 * of the default state again. Random numbers are drawn from the generator of the default state. */
THNN_API int32_t THNN_programState(const THNNProgram *program, THNNState **state);
THNN_API int32_t THNN_programBytes(THNNProgram *program, uint64_t *arena); /* allocated: for the largest sizes of its runs */

/* Lets programs call a function from outside of the library by its name, until the process ends. `signature` has a letter for
 * each argument:
 *     s     the state, which may stand first
 *     f F   a tensor that is read, and one that is written: of floats if the name begins with Float, of doubles if with Double
 *     l L   the same of longs
 *     b B   the same of bytes
 *     a A   the same of any type (THNNArray)
 *     i     int64_t
 *     j     int32_t
 *     d     double
 *     t     a text
 * The function gets the arguments behind the state as THNNArgument. Tensors may be NULL and have the shapes that the program
 * gives them, so the function must check them. It returns a THNNStatus, and runs in several threads at once. To register a name
 * again is an error, unless function and signature are the same. */
typedef union THNNArgument {
  void *tensor; /* TH*Tensor, THNNArray or const char */
  int64_t integer;
  double number;
} THNNArgument;
typedef int32_t THNNLayerCall(THNNState *state, const THNNArgument *arguments);
THNN_API int32_t THNN_registerLayer(const char *name, THNNLayerCall *function, const char *signature);

#if defined(__cplusplus) && !defined(THNN_FFI)
}
#endif

#endif

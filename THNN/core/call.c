/* One call: its environment, contiguous memory for views that are not, scratch memory, threads. */
#include <string.h>
#include "core/core.h"
#include "core/prefetch.h"
#include "core/geometry.h"
#include "core/team.h"

/* Element operations. */
enum {
  MIN_THREAD_WORK = 1 << 15,  /* for less, a thread costs more time than it saves */
  MIN_WORK_TO_WAKE = 1 << 19, /* for less, a sleeping thread is not woken, because that takes some fifty microseconds */
};
enum { /* values of Call.team, which is 0 until the first loop of the call */
       TEAM_AWAKE = 1,
       TEAM_ASLEEP,
};

void THNN_enter(Call *call, THNNState *state, const char *function)
{
  THNN_enterEnvironment(&call->environment);
  call->state = THNN_orDefault(state);
  call->function = function;
  call->arena = NULL;
  call->gemmBytes = 0;
  call->status = THNN_OK;
  call->inplace = call->nWritten = call->isNeeded = call->nSpans = call->nCopy = call->gemmThreads = call->team = 0;
}

int THNN_ready(const Call *call) { return call->status == THNN_OK && (call->nWritten == 0 || call->isNeeded); }

void *THNN_scratch(Call *call, int64_t count, size_t itemSize)
{
  if (!call->arena) call->arena = THNN_borrowArena(call->state);
  size_t bytes;
  void *memory = NULL;
  if (call->arena && !__builtin_mul_overflow((size_t)count, itemSize, &bytes))
    memory = THNN_arenaAllocate(call->arena, bytes);
  if (!memory)
    call->status = THNN_fail(THNN_ERR_MEMORY, call->function, "scratch memory", "expected %lld elements of %zu bytes, got none",
                             (long long)count, itemSize);
  return memory;
}

/* ---- copies between a view and contiguous memory */

static void copyRow(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t n, int64_t itemSize)
{
  if (toStep == itemSize && fromStep == itemSize) {
    memcpy(to, from, (size_t)(n * itemSize));
    return;
  }
  /* A size that the compiler knows makes each copy one instruction. */
  if (itemSize == 4)
    for (int64_t i = 0; i < n; i++) memcpy(to + i * toStep, from + i * fromStep, 4);
  else if (itemSize == 8)
    for (int64_t i = 0; i < n; i++) memcpy(to + i * toStep, from + i * fromStep, 8);
  else
    for (int64_t i = 0; i < n; i++) memcpy(to + i * toStep, from + i * fromStep, (size_t)itemSize);
}

/* A transposed matrix of 4-byte or 8-byte elements to row-major memory, in tiles that stay in the first cache. */
static int copyTransposed(View v, char *memory)
{
  enum { TILE = 32 };
  if (v.nDimension != 2 || v.stride[0] != 1 || v.stride[1] < v.size[0] || (v.itemSize != 4 && v.itemSize != 8)) return 0;
  const int64_t rows = v.size[0], columns = v.size[1], size = v.itemSize;
  const char *from = v.data;
  for (int64_t r = 0; r < rows; r += TILE)
    for (int64_t c = 0; c < columns; c += TILE)
      for (int64_t i = r; i < THNN_min(r + TILE, rows); i++)
        copyRow(memory + (i * columns + c) * size, size, from + (c * v.stride[1] + i) * size, v.stride[1] * size,
                THNN_min(TILE, columns - c), size);
  return 1;
}

/* Walk over the view row by row; its elements go to memory in row-major order, or come from it. */
static void copyView(View v, char *memory, int intoView)
{
  int64_t n = THNN_nElement(v);
  if (n == 0 || (!intoView && copyTransposed(v, memory))) return;
  int32_t last = v.nDimension - 1;
  int64_t row = v.size[last], index[THNN_MAX_DIMS] = {0};
  /* Unsigned: the stride of a size of 1 may be any number, and where nobody goes on to there may be no memory. */
  const uint64_t itemSize = (uint64_t)v.itemSize;
  const int64_t step = row > 1 ? v.stride[last] * v.itemSize : 0;
  uintptr_t at = (uintptr_t)v.data;
  for (int64_t done = 0; done < n; done += row, memory += row * v.itemSize) {
    if (intoView) copyRow((char *)at, step, memory, v.itemSize, row, v.itemSize);
    else copyRow(memory, v.itemSize, (const char *)at, step, row, v.itemSize);
    for (int32_t d = last - 1; d >= 0; d--) {
      at += (uint64_t)v.stride[d] * itemSize;
      if (++index[d] < v.size[d]) break;
      at -= (uint64_t)v.size[d] * (uint64_t)v.stride[d] * itemSize;
      index[d] = 0;
    }
  }
}

const void *THNN_in(Call *call, View v)
{
  THNN_registerArgument(call, v, 0);
  if (!v.size || THNN_isContiguous(v)) return v.data;
  void *memory = THNN_scratch(call, THNN_nElement(v), (size_t)v.itemSize);
  if (memory) copyView(v, memory, 0);
  return memory;
}

/* A function that asks for more outputs than a call has places for is its author's mistake. It fails before it writes. */
static void *tooMany(Call *call, View v)
{
  call->status = THNN_fail(THNN_ERR_UNSUPPORTED, call->function, v.name, "expected at most %d outputs that are not contiguous",
                           THNN_MAX_COPIES);
  return NULL;
}

void *THNN_out(Call *call, View v)
{
  THNN_registerArgument(call, v, 1);
  if (!v.size || THNN_isContiguous(v)) return v.data;
  void *memory = call->nCopy < THNN_MAX_COPIES ? THNN_scratch(call, THNN_nElement(v), (size_t)v.itemSize) : tooMany(call, v);
  if (memory) {
    call->copy[call->nCopy].view = v;
    call->copy[call->nCopy++].memory = memory;
  }
  return memory;
}

void *THNN_acc(Call *call, View v)
{
  void *memory = THNN_out(call, v);
  if (memory && memory != v.data) copyView(v, memory, 0);
  return memory;
}

int32_t THNN_leave(Call *call)
{
  if (call->status == THNN_OK)
    for (int32_t i = 0; i < call->nCopy; i++) copyView(call->copy[i].view, (char *)call->copy[i].memory, 1);
  if (call->arena) THNN_returnArena(call->state, call->arena);
  THNN_leaveEnvironment(&call->environment);
  return call->status;
}

/* ---- threads */

int THNN_threads(const Call *call, int64_t work)
{
  if (work < 2 * MIN_THREAD_WORK) return 1;
  const int64_t most = THNN_stateThreads(call->state);
  if (most > 1 && work < MIN_WORK_TO_WAKE) {
    int32_t *team = &((Call *)call)->team;
    if (!*team) *team = THNN_isTeamAwake() ? TEAM_AWAKE : TEAM_ASLEEP;
    if (*team == TEAM_ASLEEP) return 1;
  }
  return THNN_startable((int)(work / MIN_THREAD_WORK < most ? work / MIN_THREAD_WORK : most));
}

int THNN_threadId(void) { return THNN_teamNumber(); }

/* ---- indices */

/* True if an index is neither in [0, limit) nor `except`. */
THNN_KERNEL int anyBad(const index_t *indices, int64_t n, int64_t limit, int64_t except)
{
  enum { INDICES_AT_ONCE = 64 };
  int64_t bad = 0;
  for (int64_t first = 0; first < n; first += INDICES_AT_ONCE) {
    const int64_t end = n - first < INDICES_AT_ONCE ? n : first + INDICES_AT_ONCE;
    THNN_prefetch(indices + first, THNN_AHEAD, INDICES_AT_ONCE * sizeof *indices);
    for (int64_t i = first; i < end; i++)
      bad |= ((uint64_t)indices[i] >= (uint64_t)limit) & ((indices[i] != except) | (except == 0));
  }
  return bad != 0;
}

/* The message names the smallest of those below 0, else the largest. */
static int64_t worstIndex(const index_t *indices, int64_t n, int64_t except)
{
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int64_t i = 0; i < n; i++) {
    if (except != 0 && indices[i] == except) continue;
    low = indices[i] < low ? indices[i] : low;
    high = indices[i] > high ? indices[i] : high;
  }
  return low < 0 ? low : high;
}

int THNN_badIndices(Call *call, const char *name, const index_t *indices, int64_t n, int64_t limit, int64_t except)
{
  enum { CHUNK = 1 << 14 };
  int threads = THNN_threads(call, n), bad = 0;
#pragma omp parallel for num_threads(threads) reduction(| : bad)
  for (int64_t at = 0; at < n; at += CHUNK) bad |= anyBad(indices + at, n - at < CHUNK ? n - at : CHUNK, limit, except);
  if (!bad) return 0;
  call->status = THNN_fail(THNN_ERR_INDEX, call->function, name, "expected 0 to %lld, got %lld", (long long)limit - 1,
                           (long long)worstIndex(indices, n, except));
  return 1;
}

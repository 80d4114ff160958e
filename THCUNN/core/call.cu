/* One call on the device: contiguous memory for views that are not, scratch memory, the check of indices. As THNN/core/call.c. */
#include "core/device.h"

/* ---- the kernels: copies between a view and contiguous memory, and the check of indices */

struct Strided {
  char *data;
  int32_t nDimension;
  int64_t size[THNN_MAX_DIMS], stride[THNN_MAX_DIMS]; /* in bytes */
};

template <class T> __global__ static void copyStrided(Strided v, char *memory, int64_t n, int64_t items, bool intoView)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    int64_t rest = i;
    char *at = v.data;
    for (int32_t d = v.nDimension - 1; d >= 0; d--) {
      at += rest % v.size[d] * v.stride[d];
      rest /= v.size[d];
    }
    T *inView = (T *)at, *inMemory = (T *)memory + i * items;
    for (int64_t k = 0; k < items; k++) {
      if (intoView) inView[k] = inMemory[k];
      else inMemory[k] = inView[k];
    }
  }
}

__global__ static void reportBadIndex(const index_t *indices, int64_t n, int64_t limit, int64_t except, int64_t *report)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    const int64_t index = indices[i];
    if ((index >= 0 && index < limit) || (except != 0 && index == except)) continue;
    storeForHost(report + 1, index); /* one of the bad ones */
    storeForHost(report, BAD_INDEX);
  }
}

/* ---- the host's part */
#ifndef __CUDACC_RTC__

enum { ALIGNMENT = 256 };

/* A report that is set fails the call, and is taken back. */
static void readReport(Call *call, const char *name, int64_t limit)
{
  volatile int64_t *report = call->state->report;
  if (!report || !report[0]) return;
  const long long index = (long long)report[1];
  const bool isNumber = report[0] == BAD_NUMBER;
  report[0] = 0;
  if (isNumber)
    call->status = THNN_fail(THNN_ERR_INDEX, call->function, name,
                             "an earlier call met the number %.9g, which is out of range or not whole", doubleFromBits(index));
  else
    call->status = limit < 0 ? THNN_fail(THNN_ERR_INDEX, call->function, name, "an earlier call met the index %lld, which is out of range", index)
                             : THNN_fail(THNN_ERR_INDEX, call->function, name, "expected 0 to %lld, got %lld", (long long)limit - 1, index);
}

void THNN_enter(Call *call, THNNState *state, const char *function)
{
  *call = Call{THNN_orDefault(state), function};
  THNN_enterEnvironment(&call->environment);
  const char *problem = deviceProblem(call);
  if (problem) call->status = THNN_fail(THNN_ERR_DEVICE, function, "device", "expected a CUDA device and its driver, got: %s", problem);
  call->state->scratchUsed = 0;
  if (THNN_ready(call)) readReport(call, "state", -1);
}

int THNN_ready(const Call *call) { return call->status == THNN_OK && (call->nWritten == 0 || call->isNeeded); }
int THNN_plain(const Call *) { return 0; }
int THNN_poolingBackward(const Call *call) { return call->state->poolingBackward; }

Memory THNN_scratch(Call *call, int64_t count, size_t itemSize)
{
  THNNState *state = call->state;
  int64_t bytes;
  if (__builtin_mul_overflow(count, (int64_t)itemSize, &bytes) || bytes > INT64_MAX / 16) {
    call->status = THNN_fail(THNN_ERR_MEMORY, call->function, "scratch memory", "expected %lld elements of %zu bytes, got none",
                             (long long)count, itemSize);
    return Memory{NULL};
  }
  char *memory = state->scratch + state->scratchUsed;
  state->scratchUsed += THNN_ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  if (state->scratchUsed <= state->scratchBytes) return Memory{memory};
  state->scratchWanted = state->scratchUsed;
  if (THNN_ready(call) || call->status == THNN_ERR_MEMORY)
    call->status = THNN_fail(THNN_ERR_MEMORY, call->function, "scratch memory", "expected %lld bytes (THNN_CudaState_setScratch), got %lld",
                             (long long)state->scratchUsed, (long long)state->scratchBytes);
  return Memory{NULL};
}

/* ---- contiguous memory for views */

static bool isAligned(View v) { return (uintptr_t)v.data % (uintptr_t)v.itemSize == 0; }

static void copyView(Call *call, View v, void *memory, bool intoView)
{
  Strided s = {(char *)v.data, v.nDimension};
  for (int32_t d = 0; d < v.nDimension; d++) s.size[d] = v.size[d], s.stride[d] = v.stride[d] * v.itemSize;
  const int64_t n = THNN_nElement(v), blocks = blocksFor(n);
  if (!isAligned(v)) launch(call, blocks, BLOCK, copyStrided<char>, s, (char *)memory, n, v.itemSize, intoView);
  else if (v.itemSize == 8) launch(call, blocks, BLOCK, copyStrided<int64_t>, s, (char *)memory, n, 1, intoView);
  else if (v.itemSize == 4) launch(call, blocks, BLOCK, copyStrided<int32_t>, s, (char *)memory, n, 1, intoView);
  else if (v.itemSize == 2) launch(call, blocks, BLOCK, copyStrided<int16_t>, s, (char *)memory, n, 1, intoView);
  else launch(call, blocks, BLOCK, copyStrided<char>, s, (char *)memory, n, 1, intoView);
}

static Memory contiguous(Call *call, View v, bool reads, bool writes)
{
  THNN_registerArgument(call, v, writes);
  if (!v.size || (THNN_isContiguous(v) && isAligned(v))) return Memory{v.data};
  if (writes && call->nCopy == THNN_MAX_COPIES) { /* its author's mistake */
    call->status = THNN_fail(THNN_ERR_UNSUPPORTED, call->function, v.name, "expected at most %d outputs that are not contiguous",
                             THNN_MAX_COPIES);
    return Memory{NULL};
  }
  Memory memory = THNN_scratch(call, THNN_nElement(v), (size_t)v.itemSize);
  if (reads) copyView(call, v, memory, false);
  if (writes) {
    call->copy[call->nCopy].view = v;
    call->copy[call->nCopy++].memory = memory;
  }
  return memory;
}

ConstMemory THNN_in(Call *call, View v) { return contiguous(call, v, true, false); }
Memory THNN_out(Call *call, View v) { return contiguous(call, v, false, true); }
Memory THNN_acc(Call *call, View v) { return contiguous(call, v, true, true); }

int32_t THNN_leave(Call *call)
{
  for (int32_t i = 0; i < call->nCopy && THNN_ready(call); i++) copyView(call, call->copy[i].view, (void *)call->copy[i].memory, true);
  THNN_leaveEnvironment(&call->environment);
  return call->status;
}

/* ---- indices */

int THNN_badIndices(Call *call, const char *name, const index_t *indices, int64_t n, int64_t limit, int64_t except)
{
  int64_t *report = call->state->report;
  if (!report || !THNN_ready(call)) return !THNN_ready(call);
  launch(call, blocksFor(n), BLOCK, reportBadIndex, indices, n, limit, except, report);
  if (!call->state->wait) return !THNN_ready(call);
  waitForStream(call);
  if (THNN_ready(call)) readReport(call, name, limit);
  return !THNN_ready(call);
}

#endif

/* The state, its settings, and the error text. */
#include <stdlib.h>
#include "core/cublas.h"
#include "core/device.h"

/* The host lays these out, too. */
static_assert(sizeof(THCudaHalfTensor) == sizeof(THFloatTensor), "tensors of all types have one layout");

#if defined(THCUNN_HOST) && !defined(THCUNN_DRIVER) /* everything has happened when a launch returns: waiting costs nothing */
static int64_t defaultReport[2];
static THNNCudaState defaultState = {.report = defaultReport, .wait = 1};
#else
static THNNCudaState defaultState;
#endif

THNNState *THNN_orDefault(THNNState *state) { return state ? state : &defaultState; }

const char *THNN_CudaLastError(void) { return THNN_lastError(); }
int32_t THNN_CudaAbiVersion(void) { return THNN_ABI_VERSION; }

int32_t THNN_CudaState_new(THNNCudaState **state)
{
  if (!state) return THNN_fail(THNN_ERR_NULL, __func__, "state", "expected a place for the pointer, got NULL");
  THNNCudaState *fresh = (THNNCudaState *)calloc(1, sizeof *fresh);
  if (!fresh) return THNN_fail(THNN_ERR_MEMORY, __func__, "state", "expected %zu bytes, got none", sizeof *fresh);
  *state = fresh;
  return THNN_OK;
}

int32_t THNN_CudaState_free(THNNCudaState *state)
{
  free(state);
  return THNN_OK;
}

int32_t THNN_CudaState_setStream(THNNCudaState *state, void *stream)
{
  THNN_orDefault(state)->stream = stream;
  return THNN_OK;
}

int32_t THNN_CudaState_setScratch(THNNCudaState *state, void *memory, int64_t bytes)
{
  if (!memory && bytes > 0) return THNN_fail(THNN_ERR_NULL, __func__, "memory", "expected %lld bytes, got NULL", (long long)bytes);
  THNN_TRY(THNN_checkRange(__func__, "bytes", bytes, 0, INT64_MAX));
  state = THNN_orDefault(state);
  state->scratch = (char *)memory;
  state->scratchBytes = bytes;
  return THNN_OK;
}

int32_t THNN_CudaState_scratchWanted(THNNCudaState *state, int64_t *bytes)
{
  if (!bytes) return THNN_fail(THNN_ERR_NULL, __func__, "bytes", "expected a place for the number, got NULL");
  *bytes = THNN_orDefault(state)->scratchWanted;
  return THNN_OK;
}

int32_t THNN_CudaState_setIndexReport(THNNCudaState *state, int64_t *report, int32_t wait)
{
  state = THNN_orDefault(state);
  state->report = report;
  state->wait = wait;
  if (report) report[0] = 0;
  return THNN_OK;
}

int32_t THNN_CudaState_setPoolingBackward(THNNCudaState *state, int32_t how)
{
  THNN_TRY(THNN_checkRange(__func__, "how", how, THNN_DEFAULT, THNN_SCATTER));
  THNN_orDefault(state)->poolingBackward = how;
  return THNN_OK;
}

int32_t THNN_CudaState_setCublas(THNNCudaState *state, const char *path, void *handle)
{
  if (!path || !handle) return THNN_fail(THNN_ERR_NULL, __func__, path ? "handle" : "path", "expected both, got NULL");
  const Cublas *cublas;
  THNN_TRY(THNN_openCublas(__func__, path, &cublas));
  state = THNN_orDefault(state);
  state->cublas = cublas;
  state->cublasHandle = handle;
  return THNN_OK;
}

#ifdef THCUNN_DRIVER
int32_t THNN_CudaState_setDriver(THNNCudaState *state, const Driver *driver)
{
  THNN_orDefault(state)->driver = driver;
  return THNN_OK;
}
#endif

/* The host's part if nvcc compiles: calls of the CUDA runtime. Part of core/device.h. */

/* Once kernels could run, that is not asked again. */
static inline const char *deviceProblem(const Call *)
{
  static bool found;
  if (__atomic_load_n(&found, __ATOMIC_RELAXED)) return NULL;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return cudaGetErrorString(error);
  if (count == 0) return "none";
  __atomic_store_n(&found, true, __ATOMIC_RELAXED);
  return NULL;
}

/* The call fails with an error of the vendor's, if there is one. */
static inline void take(Call *call, cudaError_t error, const char *argument, const char *expected)
{
  if (error != cudaSuccess && THNN_ready(call))
    call->status = THNN_fail(THNN_ERR_DEVICE, call->function, argument, "expected %s, got: %s", expected, cudaGetErrorString(error));
}

/* Queue a kernel on the call's stream. Nothing happens when there is nothing to compute (THNN_ready), or without blocks. */
template <class... Parameters, class... Arguments>
static void launch(Call *call, int64_t blocks, int threads, void (*kernel)(Parameters...), Arguments... arguments)
{
  if (!THNN_ready(call) || blocks <= 0) return;
  kernel<<<(unsigned)blocks, (unsigned)threads, 0, (cudaStream_t)call->state->stream>>>(arguments...);
  take(call, cudaGetLastError(), "launch", "a kernel to start");
}

/* Queue the clearing of memory. */
static inline void clear(Call *call, void *memory, int64_t bytes)
{
  if (!THNN_ready(call) || bytes == 0) return;
  take(call, cudaMemsetAsync(memory, 0, (size_t)bytes, (cudaStream_t)call->state->stream), "clear", "memory to be cleared");
}

/* Wait for all that is queued on the call's stream. */
static inline void waitForStream(Call *call)
{
  take(call, cudaStreamSynchronize((cudaStream_t)call->state->stream), "stream", "its kernels to succeed");
}

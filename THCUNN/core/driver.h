/* The host's part if g++ compiles a .cu file and NVRTC, at run time, the kernels: calls of the CUDA driver, whose library is not
 * linked. Part of core/device.h.
 *
 * Here a kernel is a C++ function that never runs. Its address stands for the kernel, and its type says what arguments the kernel takes. */

/* The functions of a .cu file's kernels, by the address that each has here. The file's own table ends with {NULL}. */
typedef struct Kernel {
  const char *name; /* as NVRTC is asked for it */
  const void *address;
  void *function; /* the driver's CUfunction */
} Kernel;

typedef struct Driver {
  /* cuLaunchKernel, cuMemsetD8Async, cuStreamSynchronize, cuGetErrorString */
  int (*launch)(void *function, unsigned blocks, unsigned blocksY, unsigned blocksZ, unsigned threads, unsigned threadsY,
                unsigned threadsZ, unsigned sharedBytes, void *stream, void **arguments, void **extra);
  int (*clear)(uint64_t memory, unsigned char value, size_t bytes, void *stream);
  int (*wait)(void *stream);
  int (*errorText)(int error, const char **text);
  int64_t count;
  const Kernel *kernels; /* kernels of one device; all are loaded */
} Driver;

extern "C" THNN_API int32_t THNN_CudaState_setDriver(THNNCudaState *state, const Driver *driver);

static inline const char *deviceProblem(const Call *call) { return call->state->driver ? NULL : "none"; }

static inline void take(Call *call, int error, const char *argument, const char *expected)
{
  if (error == 0 || !THNN_ready(call)) return;
  const char *text = NULL;
  call->state->driver->errorText(error, &text);
  call->status = THNN_fail(THNN_ERR_DEVICE, call->function, argument, "expected %s, got: %s", expected, text ? text : "an unknown error");
}

static inline void start(Call *call, int64_t blocks, int threads, const void *kernel, void **arguments)
{
  const Driver *driver = call->state->driver;
  for (int64_t i = 0; i < driver->count; i++)
    if (driver->kernels[i].address == kernel) {
      const int error = driver->launch(driver->kernels[i].function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, 0,
                                       call->state->stream, arguments, NULL);
      take(call, error, "launch", "a kernel to start");
      return;
    }
  call->status = THNN_fail(THNN_ERR_DEVICE, call->function, "launch", "expected a kernel that was compiled, got one that was not");
}

/* Queue a kernel on the call's stream. Nothing happens when there is nothing to compute (THNN_ready), or without blocks. */
template <class... Parameters, class... Arguments>
static void launch(Call *call, int64_t blocks, int threads, void (*kernel)(Parameters...), Arguments... arguments)
{
  if (!THNN_ready(call) || blocks <= 0) return;
  const auto asDeclared = [&](Parameters... values) {
    void *addresses[] = {(void *)&values..., NULL};
    start(call, blocks, threads, (const void *)kernel, addresses);
  };
  asDeclared(arguments...);
}

/* Queue the clearing of memory. */
static inline void clear(Call *call, void *memory, int64_t bytes)
{
  if (!THNN_ready(call) || bytes == 0) return;
  take(call, call->state->driver->clear((uint64_t)memory, 0, (size_t)bytes, call->state->stream), "clear", "memory to be cleared");
}

/* Wait for all that is queued on the call's stream. */
static inline void waitForStream(Call *call)
{
  take(call, call->state->driver->wait(call->state->stream), "stream", "its kernels to succeed");
}

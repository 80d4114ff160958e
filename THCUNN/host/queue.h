/* The host's part if kernels are emulated: a launch runs the kernel, and returns when the kernel has ended. Part of core/device.h. */

static inline const char *deviceProblem(const Call *) { return NULL; }

template <class... Parameters, class... Arguments>
static void launch(Call *call, int64_t blocks, int threads, void (*kernel)(Parameters...), Arguments... arguments)
{
  if (!THNN_ready(call) || blocks <= 0) return;
  emulation::run((unsigned)blocks, (unsigned)threads, [&] { kernel(arguments...); });
}

static inline void clear(Call *call, void *memory, int64_t bytes)
{
  if (THNN_ready(call) && bytes > 0) memset(memory, 0, (size_t)bytes);
}

static inline void waitForStream(Call *) {}

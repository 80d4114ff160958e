/* A CUDA driver of pretence. It runs a kernel on the CPU, from nothing but what cuLaunchKernel was given, and keeps what that was. The test
 * compiles this with tables of kernels (driver.h). */
#include "driver.h"
#include <vector>

static std::vector<Launch> launches;
static int failure;

extern "C" {
int cuModuleLoadData(void **module, const void *image) { return *module = (void *)image, failure; }
int cuModuleGetFunction(void **function, void *, const char *) { return *function = NULL, failure; }
int cuGetErrorString(int, const char **text) { return *text = "a pretended error", 0; }
int cuStreamSynchronize(void *) { return failure; }
int cuMemsetD8Async(uint64_t memory, unsigned char value, size_t bytes, void *) { return memset((void *)memory, value, bytes), failure; }

int cuLaunchKernel(void *function, unsigned blocks, unsigned blocksY, unsigned blocksZ, unsigned threads, unsigned threadsY, unsigned threadsZ,
                   unsigned sharedBytes, void *stream, void **arguments, void **extra)
{
  const Entry *entry = (const Entry *)function;
  if (failure || blocksY != 1 || blocksZ != 1 || threadsY != 1 || threadsZ != 1 || sharedBytes || extra) return 1;
  launches.push_back({entry->name, blocks, threads, stream, 0, {}});
  entry->describe(arguments, &launches.back());
  entry->run(blocks, threads, arguments);
  return 0;
}

int pretended_launches(void) { return (int)launches.size(); }
const Launch *pretended_launch(int i) { return &launches[(size_t)i]; }
void pretended_forget(void) { launches.clear(); }
void pretended_fail(int error) { failure = error; }
}

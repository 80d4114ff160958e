/* The table of kernels: their names, how each is run from the addresses of its arguments, and the sizes of these. */
#include "core/device.h"
#include <utility>

struct Launch {
  const char *name;
  unsigned blocks, threads;
  void *stream;
  int bytes;
  unsigned char arguments[512];
};

struct Entry {
  const char *name;
  void (*run)(unsigned blocks, unsigned threads, void **arguments);
  void (*describe)(void **arguments, Launch *launch);
};

template <class... P> struct Signature {
  template <size_t... i> static void call(void (*kernel)(P...), void **arguments, std::index_sequence<i...>)
  {
    kernel(*(P *)arguments[i]...);
  }
  static void put(const void *at, size_t size, Launch *launch)
  {
    memcpy(launch->arguments + launch->bytes, at, size);
    launch->bytes += (int)size;
  }
  template <size_t... i> static void put(void **arguments, Launch *launch, std::index_sequence<i...>)
  {
    (put(arguments[i], sizeof(P), launch), ...);
  }
};

template <auto kernel> struct Of;
template <class... P, void (*kernel)(P...)> struct Of<kernel> {
  static void run(unsigned blocks, unsigned threads, void **arguments)
  {
    emulation::run(blocks, threads, [&] { Signature<P...>::call(kernel, arguments, std::index_sequence_for<P...>()); });
  }
  static void describe(void **arguments, Launch *launch) { Signature<P...>::put(arguments, launch, std::index_sequence_for<P...>()); }
};

#define ENTRY(...) {#__VA_ARGS__, Of<(__VA_ARGS__)>::run, Of<(__VA_ARGS__)>::describe}

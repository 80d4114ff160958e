/* The scheduler of emulation.h. Never compiled with a sanitizer: it tells them itself which fiber runs.
 *
 * ThreadSanitizer takes each fiber for a thread. Fibers are switched without ordering memory, so that only what orders it on a device does
 * so here: the beginning and the end of a launch, barriers, and operations of a warp. */
#include "host/emulation.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <algorithm>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#define WEAK __attribute__((weak))
extern "C" {
WEAK void *__tsan_get_current_fiber();
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_destroy_fiber(void *fiber);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
WEAK void __tsan_acquire(void *address);
WEAK void __tsan_release(void *address);
WEAK void __sanitizer_start_switch_fiber(void **save, const void *stack, size_t bytes);
WEAK void __sanitizer_finish_switch_fiber(void *save, const void **stack, size_t *bytes);
}

/* Keep the registers that a call must keep on this stack, and go on with another. (swapcontext asks the kernel for its signals, each time.) */
extern "C" __attribute__((visibility("hidden"))) void emulationSwitch(void **from, void *to);
#if defined(__x86_64__)
enum { SAVED = 7, RETURN = 6 }; /* words on a stack that waits; the one with the address to return to */
asm(".text\n.globl emulationSwitch\n.hidden emulationSwitch\n.type emulationSwitch, @function\nemulationSwitch:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n  ret\n");
#elif defined(__aarch64__)
enum { SAVED = 20, RETURN = 11 };
asm(".text\n.globl emulationSwitch\n.hidden emulationSwitch\n.type emulationSwitch, %function\nemulationSwitch:\n"
    "  sub sp, sp, #160\n  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n  add sp, sp, #160\n  ret\n");
#else
#error "emulation.cpp: no way to switch stacks on this processor"
#endif

emulation::Index threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {

enum { WARP_LANES = 32, MAX_THREADS = 1024, STACK = 64 << 10, GUARD = 4 << 10, NO_SYNC = 1 };

static bool races() { return __tsan_create_fiber != nullptr; } /* true if races are looked for */
static void acquire(void *address) { if (races()) __tsan_acquire(address); }
static void release(void *address) { if (races()) __tsan_release(address); }

enum State { NEW, READY, AT_BARRIER, IN_WARP, ENDED };
static const char *const stateNames[] = {"new", "ready", "at a barrier", "in a warp operation", "ended"};

/* A stack, and the thread that runs on it. */
struct Fiber {
  void *top = nullptr; /* top of the stack, while the fiber waits */
  char *stack = nullptr;
  void *tsan = nullptr, *fakeStack = nullptr;
  bool begun = false;
  int thread = 0;
};

struct Thread {
  State state;
  Fiber *fiber;
  int predicate, source;
  unsigned mask;
  uint64_t value, result;
};

/* Memory that the threads of a block share. Its addresses stand for the order of accesses; it lives until the launch ends while races
 * are looked for, so that no later block is taken to be ordered after this one. */
struct Block {
  enum { MAX_SHARED = 16 };
  struct {
    const void *key;
    void *memory;
  } shared[MAX_SHARED];
  int nShared = 0;
  char barrierOrder, sharedOrder, warpOrder[WARP_LANES];
  unsigned running[WARP_LANES] = {}, came[WARP_LANES] = {}; /* lanes of each warp that have not ended, that wait in an operation */
  ~Block()
  {
    for (int i = 0; i < nShared; i++) free(shared[i].memory);
  }
};

static std::mutex oneLaunch;
static Thread thread[MAX_THREADS];
static std::vector<Fiber *> idle;
static std::vector<int> order;
static std::vector<std::unique_ptr<Block>> blocksMade;
static Block *block;
static Fiber scheduler; /* its stack is the caller's */
static const void *callerStack;
static size_t callerBytes;
static Fiber *current;
static int count, next, live, waiting, predicates;
static void (*body)(void *);
static void *bodyClosure;
static char launchBegins, launchEnds;

int lane() { return (int)threadIdx.x % WARP_LANES; }

[[noreturn]] static void stuck(const char *why)
{
  fprintf(stderr, "emulation: %s, in block %u\n", why, blockIdx.x);
  for (int t = 0; t < count; t++) fprintf(stderr, "  thread %d: %s\n", t, stateNames[thread[t].state]);
  abort();
}

/* ---- fibers */

static void switchTo(Fiber *from, Fiber *to, bool ends)
{
  const bool back = to == &scheduler;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(ends ? nullptr : &from->fakeStack, back ? callerStack : to->stack + GUARD, back ? callerBytes : STACK);
  if (races()) __tsan_switch_to_fiber(to->tsan, NO_SYNC);
  emulationSwitch(&from->top, to->top);
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(from->fakeStack, from == &scheduler ? nullptr : &callerStack, from == &scheduler ? nullptr : &callerBytes);
}

static void completeWarp(int warp);

/* Runs one thread after another until one waits: kernels without barriers need one fiber and no switch. */
static void fiberMain()
{
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(nullptr, &callerStack, &callerBytes);
  for (;;) {
    Fiber *fiber = current;
    const int t = fiber->thread = order[(size_t)next++];
    thread[t].fiber = fiber;
    thread[t].state = READY;
    threadIdx = {(unsigned)t, 0, 0};
    acquire(&launchBegins);
    body(bodyClosure);
    release(&launchEnds);
    thread[t].state = ENDED;
    block->running[t / WARP_LANES] &= ~(1u << t % WARP_LANES);
    live--;
    completeWarp(t / WARP_LANES);
    if (next == count || races()) {
      idle.push_back(fiber);
      switchTo(fiber, &scheduler, false);
    }
  }
}

static void makeReady(Fiber *fiber)
{
  if (races()) { /* a thread of its own, on a stack that nobody has used */
    if (fiber->tsan) __tsan_destroy_fiber(fiber->tsan);
    if (fiber->stack) munmap(fiber->stack, GUARD + STACK);
    fiber->tsan = __tsan_create_fiber(0);
    fiber->stack = nullptr;
    fiber->begun = false;
  }
  if (fiber->begun) return;
  if (!fiber->stack) {
    void *stack = mmap(nullptr, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE)) stuck("no memory for stacks");
    fiber->stack = static_cast<char *>(stack);
  }
  void **top = reinterpret_cast<void **>(fiber->stack + GUARD + STACK) - SAVED - 1; /* as if fiberMain had been called */
  memset(top, 0, (SAVED + 1) * sizeof *top);
  top[RETURN] = reinterpret_cast<void *>(fiberMain);
  fiber->top = top;
  fiber->begun = true;
}

static void resume(Fiber *fiber)
{
  current = fiber;
  switchTo(&scheduler, fiber, false);
}

/* Let others run until the state of this thread is READY again. */
static Thread &wait(Thread &t, State state)
{
  t.state = state;
  const int number = (int)(&t - thread);
  completeWarp(number / WARP_LANES);
  switchTo(t.fiber, &scheduler, false);
  threadIdx = {(unsigned)number, 0, 0};
  return t;
}

/* ---- barriers, warps, shared memory */

int barrier(int predicate)
{
  Thread &t = thread[threadIdx.x];
  t.predicate = predicate;
  waiting++;
  release(&block->barrierOrder);
  wait(t, AT_BARRIER);
  acquire(&block->barrierOrder);
  return predicates;
}

static void openBarrier()
{
  predicates = waiting = 0;
  for (int i = 0; i < count; i++)
    if (thread[i].state == AT_BARRIER) {
      predicates += thread[i].predicate;
      thread[i].state = READY;
    }
}

/* A warp's operation is complete when all lanes of its mask that still run have come. */
static void completeWarp(int warp)
{
  Thread *lanes = thread + warp * WARP_LANES;
  unsigned &came = block->came[warp];
  for (unsigned waiting = came; waiting; waiting &= waiting - 1) {
    const unsigned mask = lanes[__builtin_ctz(waiting)].mask, all = mask & block->running[warp];
    if ((came & all) != all) {
      if (mask == ~0u) return;
      continue;
    }
    unsigned ballots = 0;
    for (int k = 0; k < WARP_LANES; k++) {
      if (!(all >> k & 1)) continue;
      if (lanes[k].mask != mask) stuck("lanes of one operation with different masks");
      ballots |= (unsigned)lanes[k].predicate << k;
    }
    for (int k = 0; k < WARP_LANES; k++) {
      if (!(all >> k & 1)) continue;
      const int source = lanes[k].source; /* a lane that is not there has nothing to give: all bits set, a NaN */
      lanes[k].result = source < 0 ? ballots : all >> source & 1 ? lanes[source].value : ~UINT64_C(0);
      lanes[k].state = READY;
    }
    came &= ~all;
    waiting &= came | (waiting & -waiting); /* its lowest lane is dropped by the loop */
  }
}

static uint64_t inWarp(unsigned mask, uint64_t value, int source, int predicate)
{
  Thread &t = thread[threadIdx.x];
  if (!(mask >> lane() & 1)) stuck("a lane that its own mask leaves out");
  t.mask = mask;
  t.value = value;
  t.source = source;
  t.predicate = predicate;
  char *const memoryOrder = &block->warpOrder[threadIdx.x / WARP_LANES];
  release(memoryOrder);
  block->came[threadIdx.x / WARP_LANES] |= 1u << lane();
  wait(t, IN_WARP);
  acquire(memoryOrder);
  return t.result;
}

uint64_t exchange(unsigned mask, uint64_t value, int source) { return inWarp(mask, value, source, 0); }
unsigned ballot(unsigned mask, int predicate) { return (unsigned)inWarp(mask, 0, -1, predicate); }

void *sharedMemory(const void *key, size_t bytes)
{
  for (int i = 0; i < block->nShared; i++)
    if (block->shared[i].key == key) {
      acquire(&block->sharedOrder);
      return block->shared[i].memory;
    }
  if (block->nShared == Block::MAX_SHARED) stuck("a block with too many kinds of shared memory");
  void *memory = malloc(bytes); /* exactly that size, so that AddressSanitizer finds accesses beyond */
  memset(memory, 0xff, bytes);
  release(&block->sharedOrder);
  block->shared[block->nShared].key = key;
  block->shared[block->nShared++].memory = memory;
  return memory;
}

/* ---- launches */

static void shuffle(std::vector<int> &numbers)
{
  static const char *const how = getenv("THCUNN_ORDER");
  static std::mt19937 generator(how && !strncmp(how, "random:", 7) ? (unsigned)atoi(how + 7) : 0);
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (int)i;
  if (how && !strcmp(how, "reverse")) std::reverse(numbers.begin(), numbers.end());
  if (how && !strncmp(how, "random", 6)) std::shuffle(numbers.begin(), numbers.end(), generator);
}

static void runBlock()
{
  blocksMade.push_back(std::make_unique<Block>());
  block = blocksMade.back().get();
  shuffle(order);
  for (int t = 0; t < count; t++) {
    thread[t] = {};
    block->running[t / WARP_LANES] |= 1u << t % WARP_LANES;
  }
  next = waiting = 0;
  live = count;
  while (live) {
    bool moved = false;
    while (next < count) {
      if (idle.empty()) idle.push_back(new Fiber);
      Fiber *fiber = idle.back();
      idle.pop_back();
      makeReady(fiber);
      resume(fiber);
      moved = true;
    }
    for (int t : order)
      if (thread[t].state == READY) {
        current = thread[t].fiber;
        resume(thread[t].fiber);
        moved = true;
      }
    if (live && waiting == live) {
      if (live < count) stuck("a barrier that threads which have ended did not come to");
      openBarrier();
      moved = true;
    }
    if (live && !moved) stuck("threads wait for one another");
  }
  if (!races()) blocksMade.clear();
}

void start(unsigned blocks, unsigned threads, void (*kernel)(void *), void *closure)
{
  const std::lock_guard<std::mutex> lock(oneLaunch);
  count = (int)threads;
  if (threads < 1 || threads > MAX_THREADS) stuck("a block of too many threads");
  body = kernel;
  bodyClosure = closure;
  gridDim = {blocks, 1, 1};
  blockDim = {threads, 1, 1};
  order.resize(threads);
  idle.reserve(MAX_THREADS);
  if (races()) scheduler.tsan = __tsan_get_current_fiber();
  release(&launchBegins);
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx = {b, 0, 0};
    runBlock();
  }
  acquire(&launchEnds);
  blocksMade.clear();
}

} // namespace emulation

/* Opens, plans and runs programs whose bytes are changed at random:
 *
 *     fuzz_program SECONDS SEED FILE...     for so long; each FILE is a valid program (python -m tests.program.seeds FOLDER)
 *     fuzz_program MUTANT                   one mutant that an earlier run has left
 *
 * Mutants are made in child processes, BATCH in each; a child ends at a mutant that computes for long. The run fails if a child
 * crashes, leaks, hangs, or breaks a promise of THNN_program.h. It writes the mutant into the present folder, as mutant-NUMBER.
 * fuzz_program 0 NUMBER FILE... makes its batch again. Memory of programs and arrays has no spare byte, so that AddressSanitizer
 * reports each access beyond it. */
#define _GNU_SOURCE
#include <THNN.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  BATCH = 400,               /* mutants of a child */
  MOST_BYTES = 1 << 16,      /* size of a mutant */
  HEADER_BYTES = 56,
  MOST_ELEMENTS = 1 << 16,   /* elements of an input or output: larger ones are planned, not run */
  MOST_ARRAYS = 8,
  MOST_SECONDS = 4,          /* processor time for a mutant: longer ones are slow, which is no fault */
  SECONDS_OF_A_HANG = 120,   /* elapsed time */
};
#define MOST_MAPPED ((size_t)64 << 20) /* no mutant gets more memory */

const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=64:detect_leaks=1"; }

/* In place of the C library's, for libTHNN. */
void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
  if (length > MOST_MAPPED) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

typedef struct Bytes {
  unsigned char data[MOST_BYTES];
  size_t size;
} Bytes;

typedef struct Counts {
  long tried, opened, planned, ran, succeeded;
} Counts;

/* The memory that parent and children share. */
typedef struct Shared {
  Counts counts;
  Bytes mutant; /* the mutant that the child tries, or tried last */
  int isAtEnd;  /* the child has tried all: what ends it now is a leak */
} Shared;

static Shared *shared;

int __lsan_do_recoverable_leak_check(void) __attribute__((weak)); /* none without LeakSanitizer */

/* A promise is broken: the child ends as if it had crashed. */
static void fail(const char *what)
{
  fprintf(stderr, "fuzz_program: %s; the latest error: %s\n", what, THNN_lastError());
  abort();
}

static uint64_t state;
static uint64_t draw(uint64_t limit)
{
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (z ^ (z >> 31)) % limit;
}

/* ---- mutants */

static int64_t number(void)
{
  static const int64_t edges[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, INT32_MAX, INT32_MIN, (int64_t)1 << 31,
                                  (int64_t)1 << 32, (int64_t)1 << 40, (int64_t)1 << 60, (int64_t)1 << 62, -((int64_t)1 << 62),
                                  255, 256, 65535};
  const uint64_t kind = draw(16);
  if (kind < 11) return (int64_t)draw(10) - 1;
  if (kind < 13) return (int64_t)draw(200) - 40;
  if (kind < 14) return -(int64_t)draw(10);
  return edges[draw(sizeof edges / sizeof *edges)];
}

static void insert(Bytes *b, size_t at, const void *bytes, size_t n)
{
  if (b->size + n > MOST_BYTES) return;
  memmove(b->data + at + n, b->data + at, b->size - at);
  memcpy(b->data + at, bytes, n);
  b->size += n;
}

static void erase(Bytes *b, size_t at, size_t n)
{
  if (at + n > b->size) n = b->size - at;
  memmove(b->data + at, b->data + at + n, b->size - at - n);
  b->size -= n;
}

/* A place where a plain number may begin: a zero before 8 bytes that are small. */
static size_t findNumber(const Bytes *b)
{
  for (int tries = 0; tries < 200; tries++) {
    const size_t at = draw(b->size);
    int64_t value;
    if (at + 9 > b->size || b->data[at]) continue;
    memcpy(&value, b->data + at + 1, 8);
    if (value >= -1 && value < 1 << 20) return at;
  }
  return 0;
}

static void changeNumber(Bytes *b)
{
  const int64_t value = number();
  const size_t from = findNumber(b);
  if (from) memcpy(b->data + from + 1, &value, 8);
}

static void mutate(Bytes *b)
{
  if (b->size < 16) return;
  const size_t at = draw(b->size);
  int64_t value = number();
  switch (draw(12)) {
  case 0: b->data[at] ^= (unsigned char)(1 << draw(8)); break;
  case 1: b->data[at] = (unsigned char)draw(256); break;
  case 2: b->data[at] = (unsigned char)draw(5); break;
  case 3:
    if (at + 8 <= b->size) memcpy(b->data + at, &value, 8);
    break;
  case 4: erase(b, at, 1 + draw(40)); break;
  case 5: {
    unsigned char copy[64];
    const size_t n = 1 + draw(63), from = draw(b->size);
    if (from + n > b->size) break;
    memcpy(copy, b->data + from, n);
    insert(b, at, copy, n);
    break;
  }
  case 6: {
    const size_t from = findNumber(b); /* it gets an n */
    if (!from) break;
    value = (int64_t)draw(4);
    b->data[from] = 1;
    insert(b, from + 9, &value, 8);
    break;
  }
  case 7:
    value = (int64_t)draw(4);
    memcpy(b->data, &value, 8);
    break; /* the first list's least, if there are no notes */
  default: changeNumber(b);
  }
}

/* The lists are changed, and put before the constants again; sometimes the header is, too. */
static void makeMutant(Bytes *out, const Bytes *seed)
{
  uint64_t constants, constantsBytes;
  memcpy(&constants, seed->data + 24, 8);
  memcpy(&constantsBytes, seed->data + 32, 8);
  static Bytes body;
  body.size = constants - HEADER_BYTES;
  memcpy(body.data, seed->data + HEADER_BYTES, body.size);
  while (body.size && body.data[body.size - 1] == 0) body.size--;
  if (draw(3)) changeNumber(&body); /* most of what is changed at random is no program */
  else
    for (uint64_t n = 1 + draw(3); n > 0; n--) mutate(&body);
  if (draw(3) == 0) changeNumber(&body);
  body.size += 16; /* some of the zeros may have been part of the lists */
  memset(body.data + body.size - 16, 0, 16);
  const size_t offset = (HEADER_BYTES + body.size + 63) / 64 * 64;
  if (offset + constantsBytes > MOST_BYTES) {
    *out = *seed;
    return;
  }
  out->size = offset + constantsBytes;
  memset(out->data, 0, out->size);
  memcpy(out->data, seed->data, HEADER_BYTES);
  memcpy(out->data + 16, &out->size, 8);
  memcpy(out->data + 24, &offset, 8);
  memcpy(out->data + HEADER_BYTES, body.data, body.size);
  memcpy(out->data + offset, seed->data + constants, constantsBytes);
  if (draw(30) == 0) {
    const int64_t value = number();
    memcpy(out->data + draw(HEADER_BYTES - 7), &value, 8);
  }
  if (draw(30) == 0) out->size = draw(out->size);
}

/* ---- arrays for a program: its bytes have been checked, so that its inputs can be read from them */

static const unsigned char *at;
static int64_t readNumber(int64_t n)
{
  int64_t a, b = 0;
  const int kind = *at++;
  memcpy(&a, at, 8);
  at += 8;
  if (kind) {
    memcpy(&b, at, 8);
    at += 8;
  }
  int64_t product, sum;
  return __builtin_mul_overflow(b, n, &product) || __builtin_add_overflow(a, product, &sum) ? -1 : sum;
}

static const int itemBytes[] = {4, 8, 8, 1};

/* Dense strides; the bytes, or -1 if they are many. */
static int64_t planLayout(THNNArray *array)
{
  int64_t elements = 1;
  for (int d = array->nDimension - 1; d >= 0; d--) {
    array->stride[d] = elements;
    if (array->size[d] < 0 || array->size[d] > MOST_ELEMENTS || (elements *= array->size[d]) > MOST_ELEMENTS) return -1;
  }
  return elements * itemBytes[array->type];
}

static void fill(char *memory, int64_t bytes, int type)
{
  for (int64_t i = 0; i + itemBytes[type] <= bytes; i += itemBytes[type]) {
    const double value = draw(3) ? (double)(int64_t)draw(9) - 3 : (draw(4) ? 1e30 * (double)(int64_t)(draw(9) - 4) : 0.0 / 0.0);
    const float narrow = (float)value;
    const int64_t whole = draw(20) ? (int64_t)draw(5) : number();
    if (type == THNN_FLOAT) memcpy(memory + i, &narrow, 4);
    else if (type == THNN_DOUBLE) memcpy(memory + i, &value, 8);
    else memcpy(memory + i, &whole, (size_t)itemBytes[type]);
  }
}

/* The first list's inputs for a random n, and the bytes of each; 0 if they are too large. A rank of 1 may get another stride. */
static int makeInputs(const Bytes *program, THNNArray *inputs, int64_t *sizes, void **memory, int32_t count)
{
  int64_t least;
  uint32_t notes;
  memcpy(&notes, program->data + 48, 4);
  at = program->data + HEADER_BYTES + notes;
  memcpy(&least, at, 8);
  at += 9;
  const int64_t n = least + (int64_t)draw(3);
  if (readNumber(n) > (int64_t)MOST_MAPPED) return 0;
  at += 4;
  for (int32_t i = 0; i < count; i++) {
    THNNArray *array = inputs + i;
    *array = (THNNArray){.type = at[0], .nDimension = at[1]};
    at += 2;
    for (int d = 0; d < array->nDimension; d++) array->size[d] = readNumber(n);
    int64_t bytes = planLayout(array);
    if (bytes < 0) return 0;
    const int isStrided = array->nDimension == 1 && draw(4) == 0;
    if (isStrided) {
      array->stride[0] = 3;
      bytes = array->size[0] ? (array->size[0] - 1) * 3 * itemBytes[array->type] + itemBytes[array->type] : 0;
    }
    memory[i] = malloc((size_t)bytes + !bytes);
    if (!memory[i]) return 0;
    fill(memory[i], bytes, array->type);
    array->data = memory[i];
    sizes[i] = bytes;
  }
  return 1;
}

/* A number that tells the bytes of arrays apart from changed ones. */
static uint64_t hash(uint64_t value, const void *memory, int64_t size)
{
  const unsigned char *bytes = memory;
  for (int64_t i = 0; i < size; i++) value = (value ^ bytes[i]) * 0x100000001B3u;
  return value;
}

static uint64_t hashInputs(const int64_t *sizes, void *const *memory, int32_t count)
{
  uint64_t value = 0xCBF29CE484222325u;
  for (int32_t i = 0; i < count; i++) value = hash(value, memory[i], sizes[i]);
  return value;
}

static void run(THNNProgram *program, const Bytes *bytes)
{
  Counts *counts = &shared->counts;
  int32_t nInputs, nOutputs;
  THNN_programCounts(program, &nInputs, &nOutputs);
  if (nInputs > MOST_ARRAYS || nOutputs > MOST_ARRAYS) return;
  THNNArray inputs[MOST_ARRAYS], outputs[MOST_ARRAYS] = {{0}};
  void *memory[2 * MOST_ARRAYS] = {NULL};
  int64_t sizes[MOST_ARRAYS];
  if (makeInputs(bytes, inputs, sizes, memory, nInputs) &&
      THNN_planProgram(program, inputs, nInputs, outputs, nOutputs) == THNN_OK) {
    counts->planned++;
    int fits = 1;
    for (int32_t i = 0; i < nOutputs; i++) {
      const int64_t size = planLayout(outputs + i);
      if ((fits &= size >= 0)) outputs[i].data = memory[MOST_ARRAYS + i] = malloc((size_t)size + !size);
    }
    const uint64_t before = hashInputs(sizes, memory, nInputs);
    for (int times = 0; fits && times < 3; times++) { /* convolutions pack their weights in the second run; the third has a state */
      if (draw(8) == 0) THNN_forgetProgram(program);
      const int32_t status = THNN_runProgram(program, inputs, nInputs, outputs, nOutputs);
      counts->ran++;
      counts->succeeded += status == THNN_OK;
      if (status != THNN_OK && !strchr(THNN_lastError(), ':')) fail("an error without a function's name");
    }
    if (hashInputs(sizes, memory, nInputs) != before) fail("a run wrote its inputs");
  }
  for (int i = 0; i < 2 * MOST_ARRAYS; i++) free(memory[i]);
}

/* The mutant determines the random numbers, so that it alone repeats them. */
static void runMutant(const Bytes *mutant)
{
  void *exact = NULL;
  if (posix_memalign(&exact, 64, mutant->size + !mutant->size)) return;
  memcpy(exact, mutant->data, mutant->size);
  state = hash(0, mutant->data, (int64_t)mutant->size);
  shared->counts.tried++;
  THNNProgram *program = NULL, *clone = NULL;
  const int32_t status = THNN_openProgram(exact, mutant->size, &program);
  if (status == THNN_OK) {
    shared->counts.opened++;
    if (draw(8) == 0 && THNN_cloneProgram(program, &clone) != THNN_OK) fail("a program that was opened is not cloned");
    for (uint64_t sizes = 1 + draw(3); sizes > 0; sizes--) run(clone ? clone : program, mutant);
    THNN_closeProgram(program);
    THNN_closeProgram(clone);
  } else if (program || strchr(THNN_lastError(), '\n')) fail("a program that was not opened is set, or its error has two lines");
  if (memcmp(exact, mutant->data, mutant->size)) fail("the bytes of the program were written");
  free(exact);
}

/* ---- the run */

static Bytes *seeds;
static int nSeeds;

/* Tries a batch. `findsLeaks`: each mutant that leaks ends it. */
static void tryBatch(uint64_t number, int findsLeaks)
{
  state = number * 0xD1342543DE82EF95u;
  shared->isAtEnd = 0;
  THNN_setNumThreads(NULL, 1);
  for (int i = 0; i < BATCH; i++) {
    makeMutant(&shared->mutant, seeds + draw((uint64_t)nSeeds));
    const uint64_t next = state;
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = MOST_SECONDS}}, NULL);
    alarm(SECONDS_OF_A_HANG);
    runMutant(&shared->mutant);
    if (findsLeaks && __lsan_do_recoverable_leak_check()) _exit(1);
    state = next;
  }
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = 0}}, NULL);
  shared->isAtEnd = 1;
}

/* In a child. Returns how it ended, as waitpid does. */
static int forkBatch(uint64_t number, int findsLeaks)
{
  fflush(stdout); /* a child would print it again */
  const pid_t pid = fork();
  if (pid == 0) {
    tryBatch(number, findsLeaks);
    exit(0); /* after which leaks are looked for */
  }
  int status;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) exit(2);
  return status;
}

/* Writes the mutant that ended a batch. */
static void leaveMutant(uint64_t number, int status)
{
  char name[64];
  snprintf(name, sizeof name, "mutant-%llu", (unsigned long long)number);
  if (shared->isAtEnd && __lsan_do_recoverable_leak_check) forkBatch(number, 1);
  fprintf(stderr, "fuzz_program: batch %llu: %s %d", (unsigned long long)number, WIFSIGNALED(status) ? "signal" : "exit status",
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  FILE *file = shared->isAtEnd ? NULL : fopen(name, "wb");
  const int isWritten = file && fwrite(shared->mutant.data, 1, shared->mutant.size, file) == shared->mutant.size;
  if (file && fclose(file) == 0 && isWritten) fprintf(stderr, "; the mutant is in %s\n", name);
  else fprintf(stderr, "; %s\n", shared->isAtEnd ? "no mutant of it alone" : "the mutant cannot be written");
}

static void readBytes(const char *path, Bytes *bytes)
{
  FILE *file = fopen(path, "rb");
  if (!file) exit((fprintf(stderr, "%s: expected a file\n", path), 2));
  bytes->size = fread(bytes->data, 1, MOST_BYTES, file);
  fclose(file);
}

static void readSeed(const char *path)
{
  Bytes *seed = seeds + nSeeds;
  readBytes(path, seed);
  THNNProgram *program;
  void *exact = NULL;
  if (posix_memalign(&exact, 64, seed->size)) exit(2);
  memcpy(exact, seed->data, seed->size);
  if (THNN_openProgram(exact, seed->size, &program) != THNN_OK) exit((fprintf(stderr, "%s: %s\n", path, THNN_lastError()), 2));
  THNN_closeProgram(program);
  free(exact);
  nSeeds++;
}

/* Returns the exit status. */
static int fuzz(double seconds, uint64_t number)
{
  const time_t end = time(NULL) + (time_t)seconds;
  long batches = 0, slow = 0;
  do {
    const int status = forkBatch(number, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) slow++;
    else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
      leaveMutant(number, status);
      return 1;
    }
    batches++;
    number++;
  } while (time(NULL) < end);
  const Counts *counts = &shared->counts;
  printf("%ld mutants of %d programs: %ld opened, %ld planned; of %ld runs %ld succeeded; "
         "%ld of %ld batches ended at a slow one\n",
         counts->tried, nSeeds, counts->opened, counts->planned, counts->ran, counts->succeeded, slow, batches);
  return counts->succeeded == 0 || slow * 20 > batches + 60;
}

int main(int argc, char **argv)
{
  if (argc != 2 && argc < 4) exit((fprintf(stderr, "usage: fuzz_program SECONDS SEED FILE... | fuzz_program MUTANT\n"), 2));
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) exit(2);
  if (argc == 2) {
    readBytes(argv[1], &shared->mutant);
    THNN_setNumThreads(NULL, 1);
    runMutant(&shared->mutant);
    return 0;
  }
  seeds = calloc((size_t)argc, sizeof *seeds);
  for (int i = 3; i < argc; i++) readSeed(argv[i]);
  const int status = fuzz(atof(argv[1]), strtoull(argv[2], NULL, 10));
  free(seeds);
  return status;
}

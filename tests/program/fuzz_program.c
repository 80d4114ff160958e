/* Opens, plans and runs programs whose bytes are changed at random:
 *
 *     fuzz_program SECONDS SEED [COUNT] FILE...       COUNT: stop after so many mutants, too (0: no limit)
 *
 * Each FILE is a valid program (python -m tests.program.seeds FOLDER). Mutants are made in child processes, some hundred in
 * each, so that one that computes for long can be ended. A child that crashes, or that a sanitizer ends, fails the run. Its
 * number makes the same mutants again: fuzz_program 0 NUMBER 1 FILE... Memory is exact, so that AddressSanitizer notices
 * each byte beyond. */
#define _GNU_SOURCE
#include <THNN.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  BATCH = 400,               /* mutants of a child */
  MOST_BYTES = 1 << 16,      /* of a mutant */
  MOST_ELEMENTS = 1 << 16,   /* of an input or output: larger ones are planned, not run */
  MOST_ARRAYS = 8,
  SECONDS_OF_A_MUTANT = 4,
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
  long opened, planned, ran, succeeded;
} Counts;

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
    break; /* least */
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
  body.size = constants - 48;
  memcpy(body.data, seed->data + 48, body.size);
  while (body.size && body.data[body.size - 1] == 0) body.size--;
  if (draw(3)) changeNumber(&body); /* most of what is changed at random is no program */
  else
    for (uint64_t n = 1 + draw(3); n > 0; n--) mutate(&body);
  if (draw(3) == 0) changeNumber(&body);
  body.size += 16; /* some of the zeros may have been part of the lists */
  memset(body.data + body.size - 16, 0, 16);
  const size_t offset = (48 + body.size + 63) / 64 * 64;
  if (offset + constantsBytes > MOST_BYTES) {
    *out = *seed;
    return;
  }
  out->size = offset + constantsBytes;
  memset(out->data, 0, out->size);
  memcpy(out->data, seed->data, 48);
  memcpy(out->data + 16, &out->size, 8);
  memcpy(out->data + 24, &offset, 8);
  memcpy(out->data + 48, body.data, body.size);
  memcpy(out->data + offset, seed->data + constants, constantsBytes);
  if (draw(30) == 0) {
    const int64_t value = number();
    memcpy(out->data + draw(41), &value, 8);
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
static int64_t layOut(THNNArray *array)
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

/* The first list's inputs; 0 if they are too large. A rank of 1 may get another stride. */
static int makeInputs(const Bytes *program, THNNArray *inputs, void **memory, int32_t count)
{
  int64_t least;
  at = program->data + 48;
  memcpy(&least, at, 8);
  at += 8;
  const int64_t n = least + (int64_t)draw(3);
  if (readNumber(n) > (int64_t)MOST_MAPPED) return 0;
  at += 4;
  for (int32_t i = 0; i < count; i++) {
    THNNArray *array = inputs + i;
    *array = (THNNArray){.type = at[0], .nDimension = at[1]};
    at += 2;
    for (int d = 0; d < array->nDimension; d++) array->size[d] = readNumber(n);
    int64_t bytes = layOut(array);
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
  }
  return 1;
}

static void run(THNNProgram *program, const Bytes *bytes, Counts *counts)
{
  int32_t nInputs, nOutputs;
  THNN_programCounts(program, &nInputs, &nOutputs);
  if (nInputs > MOST_ARRAYS || nOutputs > MOST_ARRAYS) return;
  THNNArray inputs[MOST_ARRAYS], outputs[MOST_ARRAYS] = {{0}};
  void *memory[2 * MOST_ARRAYS] = {NULL};
  if (makeInputs(bytes, inputs, memory, nInputs) && THNN_planProgram(program, inputs, nInputs, outputs, nOutputs) == THNN_OK) {
    counts->planned++;
    int fits = 1;
    for (int32_t i = 0; i < nOutputs; i++) {
      const int64_t size = layOut(outputs + i);
      if ((fits &= size >= 0)) outputs[i].data = memory[MOST_ARRAYS + i] = malloc((size_t)size + !size);
    }
    for (int times = 0; fits && times < 2; times++) { /* convolutions pack their weights in the second run */
      const int32_t status = THNN_runProgram(program, inputs, nInputs, outputs, nOutputs);
      counts->ran++;
      counts->succeeded += status == THNN_OK;
      if (status != THNN_OK && !strchr(THNN_lastError(), ':')) abort();
    }
  }
  for (int i = 0; i < 2 * MOST_ARRAYS; i++) free(memory[i]);
}

static void runMutant(const Bytes *mutant, Counts *counts)
{
  void *exact = NULL;
  if (posix_memalign(&exact, 64, mutant->size + !mutant->size)) return;
  memcpy(exact, mutant->data, mutant->size);
  THNNProgram *program = NULL, *clone = NULL;
  const int32_t status = THNN_openProgram(exact, mutant->size, &program);
  if (status == THNN_OK) {
    counts->opened++;
    if (draw(8) == 0 && THNN_cloneProgram(program, &clone) != THNN_OK) abort();
    run(clone ? clone : program, mutant, counts);
    THNN_closeProgram(program);
    THNN_closeProgram(clone);
  } else if (program || strchr(THNN_lastError(), '\n')) abort();
  free(exact);
}

/* ---- the run */

static Bytes *seeds;
static int nSeeds;

static void child(uint64_t number, Counts *counts)
{
  static Bytes mutant;
  state = number * 0xD1342543DE82EF95u;
  THNN_setNumThreads(NULL, 1);
  for (int i = 0; i < BATCH; i++) {
    makeMutant(&mutant, seeds + draw((uint64_t)nSeeds));
    alarm(SECONDS_OF_A_MUTANT);
    runMutant(&mutant, counts);
  }
  alarm(0);
}

static void readSeed(const char *path)
{
  FILE *file = fopen(path, "rb");
  Bytes *seed = seeds + nSeeds;
  if (!file) exit((fprintf(stderr, "%s: expected a file\n", path), 2));
  seed->size = fread(seed->data, 1, MOST_BYTES, file);
  fclose(file);
  THNNProgram *program;
  void *exact = NULL;
  if (posix_memalign(&exact, 64, seed->size)) exit(2);
  memcpy(exact, seed->data, seed->size);
  if (THNN_openProgram(exact, seed->size, &program) != THNN_OK) exit((fprintf(stderr, "%s: %s\n", path, THNN_lastError()), 2));
  THNN_closeProgram(program);
  free(exact);
  nSeeds++;
}

int main(int argc, char **argv)
{
  if (argc < 5) exit((fprintf(stderr, "usage: fuzz_program SECONDS SEED COUNT FILE...\n"), 2));
  const double seconds = atof(argv[1]);
  uint64_t number = strtoull(argv[2], NULL, 10);
  const long most = atol(argv[3]);
  seeds = calloc((size_t)argc, sizeof *seeds);
  for (int i = 4; i < argc; i++) readSeed(argv[i]);
  Counts *counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const time_t end = time(NULL) + (time_t)seconds;
  long mutants = 0, slow = 0;
  while (seconds > 0 ? time(NULL) < end && (!most || mutants < most) : mutants < (most ? most : 1)) {
    fflush(stdout); /* a child would print it again */
    const pid_t pid = fork();
    if (pid == 0) {
      child(number, counts);
      exit(0); /* after which leaks are looked for */
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) exit(2);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      slow++;
      printf("slow: %llu\n", (unsigned long long)number);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
      fprintf(stderr, "fuzz_program: the child with seed %llu ended with status %d: fuzz_program 0 %llu 1 FILE...\n",
              (unsigned long long)number, status, (unsigned long long)number);
      return 1;
    }
    mutants += BATCH;
    number++;
  }
  printf("%ld mutants of %d programs: %ld opened, %ld planned; of %ld runs %ld succeeded; %ld batches had a slow one\n",
         mutants, nSeeds, counts->opened,
         counts->planned, counts->ran, counts->succeeded, slow);
  free(seeds);
  return counts->succeeded == 0 || slow * 20 * BATCH > mutants + 60 * BATCH;
}

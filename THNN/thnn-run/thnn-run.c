/* thnn-run: runs a program, a network in a file that pytorch-legacy convert NET.t7 net.thnn has made.
 *
 *   thnn-run net.thnn digit.pgm              prints the best classes of a picture
 *   thnn-run net.thnn input.npy -o out.npy   writes the output
 *
 * It is an example, too: it uses nothing but THNN.h and the C library. main opens the program, reads the inputs, lets the library
 * say what the outputs are, runs, and prints. Other files have what is no call of the library: notes, pictures, .npy, classes. */
#include <stdarg.h>
#include <time.h>
#include "thnn-run.h"

static const char HELP[] =
    "usage: thnn-run NET.thnn INPUT... [-o OUTPUT.npy] [--top N] [--time N]\n"
    "                [--threads N]\n"
    "\n"
    "Runs a network that pytorch-legacy convert NET.t7 NET.thnn has written.\n"
    "\n"
    "  INPUT      a picture (.pgm or .ppm, binary, 8 bits) or an array (.npy);\n"
    "             one for each input of the network\n"
    "  -o         write the output as .npy\n"
    "  --top      classes to print (default: 5)\n"
    "  --time     print the median time of N more runs\n"
    "  --threads  default: one for each processor\n"
    "\n"
    "A picture is resized and cropped, and becomes (byte * scale - mean) / std,\n"
    "as NET.thnn says.\n";

enum { MAX_ARRAYS = 64 };

void fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("thnn-run: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void check(int32_t status)
{
  if (status != THNN_OK) fail("%s", THNN_lastError());
}

void *allocate(size_t bytes)
{
  void *memory = malloc(bytes + !bytes);
  if (!memory) fail("expected %zu bytes of memory, got none", bytes);
  return memory;
}

static void setStrides(THNNArray *array)
{
  int64_t stride = 1;
  for (int32_t d = array->nDimension - 1; d >= 0; d--) {
    array->stride[d] = stride;
    stride *= array->size[d] ? array->size[d] : 1;
  }
}

static void printShape(const THNNArray *array)
{
  for (int32_t d = 0; d < array->nDimension; d++) printf("%s%" PRId64, d ? "x" : "", array->size[d]);
}

static void readInput(THNNArray *array, const char *path, Notes notes)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail("%s: there is no such file, or it cannot be read", path);
  unsigned char start[6] = {0};
  if (fread(start, 1, 2, file) != 2) fail("%s: expected a .pgm, .ppm or .npy file, got an empty one", path);
  if (start[0] == 'P' && (start[1] == '5' || start[1] == '6'))
    readPicture(array, file, path, start[1] == '5' ? 1 : 3, notes);
  else if (start[0] == 0x93 && fread(start + 2, 1, 4, file) == 4 && memcmp(start + 1, "NUMPY", 5) == 0) readNpy(array, file, path);
  else fail("%s: expected a .pgm (P5), .ppm (P6) or .npy file, got another one", path);
  fclose(file);
  array->flags = 0;
  setStrides(array);
}

/* ---- the command */

typedef struct Options {
  const char *program, *inputs[MAX_ARRAYS], *output;
  int32_t nInputs;
  long top, times, threads;
} Options;

static long wholeNumber(const char *name, const char *text, long least)
{
  char *end = NULL;
  const long number = text ? strtol(text, &end, 10) : 0;
  if (!text || end == text || *end || number < least || number > 1024)
    fail("%s: expected a whole number from %ld to 1024, got %s", name, least, text ? text : "none");
  return number;
}

static Options readOptions(char **arguments)
{
  Options o = {.top = 5};
  for (char **at = arguments; *at; at++) {
    const char *word = *at;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      fputs(HELP, stdout);
      exit(0);
    }
    const int takesValue = strcmp(word, "-o") == 0 || strcmp(word, "--top") == 0 || strcmp(word, "--time") == 0 ||
                           strcmp(word, "--threads") == 0;
    if (takesValue && !*++at) fail("%s: expected a value behind it, got none", word);
    if (strcmp(word, "-o") == 0) o.output = *at;
    else if (strcmp(word, "--top") == 0) o.top = wholeNumber(word, *at, 1);
    else if (strcmp(word, "--time") == 0) o.times = wholeNumber(word, *at, 1);
    else if (strcmp(word, "--threads") == 0) o.threads = wholeNumber(word, *at, 1);
    else if (word[0] == '-' && word[1]) fail("%s: there is no such option; thnn-run --help lists them", word);
    else if (!o.program) o.program = word;
    else if (o.nInputs == MAX_ARRAYS) fail("expected at most %d inputs, got more", MAX_ARRAYS);
    else o.inputs[o.nInputs++] = word;
  }
  if (!o.program || !o.nInputs) fail("expected NET.thnn and an INPUT; thnn-run --help says more");
  return o;
}

static int byValue(const void *one, const void *other)
{
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* A program with the arrays of a run. */
typedef struct Network {
  const char *path;
  THNNProgram *program;
  Notes notes;
  int32_t nInputs, nOutputs;
  THNNArray inputs[MAX_ARRAYS], outputs[MAX_ARRAYS];
} Network;

static void openNetwork(Network *net, const Options *options)
{
  net->path = options->program;
  if (THNN_openProgramFile(net->path, &net->program) != THNN_OK) fail("%s: %s", net->path, THNN_lastError());
  const char *text;
  uint64_t size;
  check(THNN_programNotes(net->program, &text, &size));
  net->notes = (Notes){text, text + size};
  check(THNN_programCounts(net->program, &net->nInputs, &net->nOutputs));
  if (net->nInputs != options->nInputs) fail("%s: expected %d inputs, got %d", net->path, net->nInputs, options->nInputs);
  if (net->nOutputs > MAX_ARRAYS) fail("%s: expected at most %d outputs, got %d", net->path, MAX_ARRAYS, net->nOutputs);
  if (!options->threads) return;
  THNNState *state;
  check(THNN_programState(net->program, &state));
  check(THNN_setNumThreads(state, (int32_t)options->threads));
}

/* Reads the inputs, lets the program say what the outputs are, and allocates them. */
static void makeArrays(Network *net, const Options *options)
{
  check(THNN_programInputs(net->program, 0, net->inputs, net->nInputs)); /* pictures take type and channels from it */
  for (int32_t i = 0; i < net->nInputs; i++) readInput(net->inputs + i, options->inputs[i], net->notes);
  check(THNN_planProgram(net->program, net->inputs, net->nInputs, net->outputs, net->nOutputs));
  for (int32_t i = 0; i < net->nOutputs; i++) {
    THNNArray *output = net->outputs + i;
    output->data = allocate((size_t)countElements(output) * elementTypes[output->type].bytes);
  }
}

static void run(Network *net)
{
  if (THNN_runProgram(net->program, net->inputs, net->nInputs, net->outputs, net->nOutputs) == THNN_OK) return;
  const char *text = THNN_lastError();
  int32_t list;
  int64_t call;
  if (THNN_programFailure(net->program, &list, &call) != THNN_OK || call < 0) fail("%s", text);
  fail("%s (call %" PRId64 " of list %d; pytorch-legacy inspect --all %s names its module)", text, call, list, net->path);
}

/* The median of the milliseconds of some runs. */
static double medianTime(Network *net, long times)
{
  double *milliseconds = allocate((size_t)times * sizeof *milliseconds);
  for (long i = 0; i < times; i++) {
    struct timespec start, end;
    check(THNN_forgetProgram(net->program)); /* each is a first run */
    timespec_get(&start, TIME_UTC);
    run(net);
    timespec_get(&end, TIME_UTC);
    milliseconds[i] = 1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec);
  }
  qsort(milliseconds, (size_t)times, sizeof *milliseconds, byValue);
  const double median = milliseconds[times / 2];
  free(milliseconds);
  return median;
}

static void printShapes(const THNNArray *arrays, int32_t n, const char *end)
{
  for (int32_t i = 0; i < n; i++) {
    fputs(i ? ", " : "", stdout);
    printShape(arrays + i);
  }
  fputs(end, stdout);
}

static void putOutputs(const Network *net, const Options *options)
{
  if (options->output && net->nOutputs != 1) fail("-o: expected a network of one output, got %d", net->nOutputs);
  if (options->output) writeNpy(net->outputs, options->output);
  else if (net->nOutputs == 1 && hasScores(net->outputs)) printScores(net->outputs, net->notes, options->top);
  else if (net->nOutputs == 1) puts("use -o to keep the output: -o out.npy");
}

static void closeNetwork(Network *net)
{
  for (int32_t i = 0; i < net->nInputs; i++) free(net->inputs[i].data);
  for (int32_t i = 0; i < net->nOutputs; i++) free(net->outputs[i].data);
  check(THNN_closeProgram(net->program));
}

int main(int argc, char **argv)
{
  (void)argc;
  const Options options = readOptions(argv + 1);
  Network net;
  memset(&net, 0, sizeof net);
  openNetwork(&net, &options);
  makeArrays(&net, &options);
  run(&net);

  printf("%s: ", options.inputs[0]);
  printShapes(net.inputs, net.nInputs, " in, ");
  printShapes(net.outputs, net.nOutputs, " out");
  if (options.times) printf(", %.3g ms (median of %ld)", medianTime(&net, options.times), options.times);
  putchar('\n');
  putOutputs(&net, &options);
  closeNetwork(&net);
  if (fflush(stdout) != 0 || ferror(stdout)) fail("the output cannot be written");
  return 0;
}

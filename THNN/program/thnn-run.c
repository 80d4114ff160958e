/* thnn-run: runs a program, a network in a file that pytorch-legacy convert NET.t7 net.thnn has made.
 *
 *   thnn-run net.thnn digit.pgm              prints the best classes of a picture
 *   thnn-run net.thnn input.npy -o out.npy   writes the output
 *
 * It is an example, too: it uses nothing but THNN.h and the C library. main opens the program, reads the inputs, lets the library
 * say what the outputs are, runs, and prints. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "THNN.h"

static const char HELP[] =
    "usage: thnn-run NET.thnn INPUT... [-o OUTPUT.npy] [--top N] [--time N]\n"
    "                [--threads N]\n"
    "\n"
    "Runs a network that pytorch-legacy convert NET.t7 NET.thnn has written.\n"
    "\n"
    "  INPUT      a picture (.pgm or .ppm, binary, 8 bits) of the size that the\n"
    "             network takes, or an array (.npy); one for each input\n"
    "  -o         write the output as .npy\n"
    "  --top      classes to print (default: 5)\n"
    "  --time     print the median time of N more runs\n"
    "  --threads  default: one for each processor\n"
    "\n"
    "A picture is resized and cropped, and becomes (byte * scale - mean) / std,\n"
    "as NET.thnn says.\n";

enum {
  MAX_ARRAYS = 64,
  MAX_SIDE = 1 << 16, /* pixels */
};

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void fail(const char *format, ...)
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

static void *allocate(size_t bytes)
{
  void *memory = malloc(bytes + !bytes);
  if (!memory) fail("expected %zu bytes of memory, got none", bytes);
  return memory;
}

/* ---- arrays */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER ">"
#else
#define ORDER "<"
#endif

static const struct {
  const char *name;
  size_t bytes;
} types[] = {{ORDER "f4", 4}, {ORDER "f8", 8}, {ORDER "i8", 8}, {"|u1", 1}}; /* by THNNType, as .npy names them here */

static int64_t elements(const THNNArray *array)
{
  int64_t n = 1;
  for (int32_t d = 0; d < array->nDimension; d++) n *= array->size[d];
  return n;
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

/* ---- notes of the program: lines "key value" */

typedef struct Notes {
  const char *text, *end;
} Notes;

/* The value of the next line with this key from `*at` on, and its length; NULL if there is none. */
static const char *nextNote(Notes notes, const char **at, const char *key, size_t *length)
{
  const size_t keyLength = strlen(key);
  while (*at < notes.end) {
    const char *line = *at;
    const char *newline = memchr(line, '\n', (size_t)(notes.end - line));
    const char *lineEnd = newline ? newline : notes.end;
    *at = newline ? newline + 1 : notes.end;
    if ((size_t)(lineEnd - line) <= keyLength || memcmp(line, key, keyLength) != 0 || line[keyLength] != ' ') continue;
    *length = (size_t)(lineEnd - line) - keyLength - 1;
    return line + keyLength + 1;
  }
  return NULL;
}

static int hasNote(Notes notes, const char *key, const char *value)
{
  size_t length;
  const char *at = notes.text, *found = nextNote(notes, &at, key, &length);
  return found && length == strlen(value) && memcmp(found, value, length) == 0;
}

/* Up to `most` numbers of a line; the number of them. */
static int readNumbers(Notes notes, const char *key, double *numbers, int most)
{
  size_t length;
  char text[200];
  const char *at = notes.text, *found = nextNote(notes, &at, key, &length);
  if (!found || length >= sizeof text) return 0;
  memcpy(text, found, length);
  text[length] = 0;
  int n = 0;
  char *rest = text;
  while (n < most) {
    char *end;
    const double number = strtod(rest, &end);
    if (end == rest) break;
    rest = end;
    numbers[n++] = number;
  }
  return n;
}

/* ---- pictures */

typedef struct Picture {
  int64_t width, height, channels;
  unsigned char *bytes;
} Picture;

/* A number of the header of a .pgm file, in which a # begins a comment. */
static int64_t headerNumber(FILE *file, const char *path)
{
  int c = getc(file);
  while (isspace(c) || c == '#') {
    if (c == '#')
      while (c != '\n' && c != EOF) c = getc(file);
    c = getc(file);
  }
  int64_t number = -1;
  for (; isdigit(c) && number <= MAX_SIDE; c = getc(file)) number = (number < 0 ? 0 : number * 10) + (c - '0');
  if (number < 0) fail("%s: expected the numbers of a .pgm or .ppm file, got others", path);
  return number; /* the byte behind it, a space, was read */
}

static Picture readPicture(FILE *file, const char *path, int channels)
{
  Picture p = {.channels = channels};
  p.width = headerNumber(file, path);
  p.height = headerNumber(file, path);
  const int64_t largest = headerNumber(file, path);
  if (p.width < 1 || p.height < 1 || p.width > MAX_SIDE || p.height > MAX_SIDE || largest != 255)
    fail("%s: expected a picture of 1 to %d pixels a side with bytes up to 255, got %" PRId64 "x%" PRId64 " up to %" PRId64, path, MAX_SIDE,
         p.width, p.height, largest);
  const size_t bytes = (size_t)(p.width * p.height * p.channels);
  p.bytes = allocate(bytes);
  if (fread(p.bytes, 1, bytes, file) != bytes) fail("%s: expected %zu bytes of pixels, got fewer", path, bytes);
  return p;
}

/* ---- resizing: averages of the pixels if the picture shrinks, else bicubic interpolation. The bytes are those of Pillow, which from
 * version 13 on resizes some tall pictures vertically first; then they differ by rounding. */

enum { WEIGHT_BITS = 22 };

static double boxWeight(double x) { return x > -0.5 && x <= 0.5; }

static double cubicWeight(double x)
{
  const double a = -0.5;
  x = fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static unsigned char asByte(int32_t sum)
{
  sum >>= WEIGHT_BITS;
  return (unsigned char)(sum < 0 ? 0 : (sum > 255 ? 255 : sum));
}

/* Resizes one axis: `from` pixels, `stride` bytes apart, become `to` pixels; there are `lines` such rows, `lineStride` bytes apart.
 * Results of a line lie as in `lines` rows of `to` pixels with the same layout. */
typedef struct ResizedAxis {
  int64_t from, to, lines;
  int64_t pixelBytes, lineBytes, outPixelBytes, outLineBytes;
} ResizedAxis;

static void resizeAxis(const unsigned char *in, unsigned char *out, ResizedAxis a, double (*weight)(double), double support)
{
  const double ratio = (double)a.from / (double)a.to, scale = ratio < 1 ? 1 : ratio;
  support *= scale;
  int32_t *whole = allocate(((size_t)ceil(support) * 2 + 1) * sizeof *whole);
  double *weights = allocate(((size_t)ceil(support) * 2 + 1) * sizeof *weights);
  for (int64_t x = 0; x < a.to; x++) {
    const double center = ((double)x + 0.5) * ratio;
    int64_t first = (int64_t)(center - support + 0.5), end = (int64_t)(center + support + 0.5);
    first = first < 0 ? 0 : first;
    end = end > a.from ? a.from : end;
    double total = 0;
    for (int64_t k = 0; k < end - first; k++) total += weights[k] = weight(((double)(k + first) - center + 0.5) * (1 / scale));
    for (int64_t k = 0; k < end - first; k++) {
      const double share = total != 0 ? weights[k] / total : weights[k];
      whole[k] = (int32_t)((share < 0 ? -0.5 : 0.5) + share * (1 << WEIGHT_BITS));
    }
    for (int64_t line = 0; line < a.lines; line++) {
      int32_t sum = 1 << (WEIGHT_BITS - 1);
      for (int64_t k = 0; k < end - first; k++) sum += in[line * a.lineBytes + (first + k) * a.pixelBytes] * whole[k];
      out[line * a.outLineBytes + x * a.outPixelBytes] = asByte(sum);
    }
  }
  free(whole);
  free(weights);
}

static Picture resized(Picture p, int64_t width, int64_t height)
{
  if (width == p.width && height == p.height) return p;
  const int shrinks = width <= p.width && height <= p.height;
  double (*weight)(double) = shrinks ? boxWeight : cubicWeight;
  const double support = shrinks ? 0.5 : 2;
  const int64_t n = p.channels;
  Picture wide = {width, p.height, n, p.bytes}, result = {width, height, n, NULL};
  if (width != p.width) {
    wide.bytes = allocate((size_t)(width * p.height * n));
    for (int64_t c = 0; c < n; c++)
      resizeAxis(p.bytes + c, wide.bytes + c, (ResizedAxis){p.width, width, p.height, n, p.width * n, n, width * n}, weight, support);
    free(p.bytes);
  }
  if (height == p.height) return wide;
  result.bytes = allocate((size_t)(width * height * n));
  for (int64_t c = 0; c < n; c++)
    resizeAxis(wide.bytes + c, result.bytes + c, (ResizedAxis){p.height, height, width, width * n, n, width * n, n}, weight, support);
  free(wide.bytes);
  return result;
}

static Picture cropped(Picture p, int64_t width, int64_t height, const char *path)
{
  if (width > p.width || height > p.height)
    fail("%s: expected a picture of %" PRId64 "x%" PRId64 " or more, got %" PRId64 "x%" PRId64, path, width, height, p.width, p.height);
  const int64_t left = (p.width - width) / 2, top = (p.height - height) / 2;
  Picture part = {width, height, p.channels, allocate((size_t)(width * height * p.channels))};
  for (int64_t y = 0; y < height; y++)
    memcpy(part.bytes + y * width * p.channels, p.bytes + ((top + y) * p.width + left) * p.channels, (size_t)(width * p.channels));
  free(p.bytes);
  return part;
}

/* The picture in the size that the notes say: resized, and the center cut out. */
static Picture fitted(Picture p, Notes notes, const char *path)
{
  double size[2] = {0}, crop[2] = {0};
  const int sizes = readNumbers(notes, "size", size, 2);
  if (sizes == 1) { /* the length of the shorter side */
    const double ratio = size[0] / (double)(p.width < p.height ? p.width : p.height);
    size[1] = fmax(size[0], rint((double)p.width * ratio));
    size[0] = fmax(size[0], rint((double)p.height * ratio));
  }
  if (sizes && !(size[0] >= 1 && size[1] >= 1 && size[0] <= MAX_SIDE && size[1] <= MAX_SIDE))
    fail("%s: expected a size of 1 to %d pixels a side after resizing, got %gx%g", path, MAX_SIDE, size[1], size[0]);
  if (sizes) p = resized(p, (int64_t)size[1], (int64_t)size[0]);
  if (readNumbers(notes, "crop", crop, 2) == 2) {
    if (!(crop[0] >= 1 && crop[1] >= 1 && crop[0] <= MAX_SIDE && crop[1] <= MAX_SIDE))
      fail("%s: expected a crop of 1 to %d pixels a side, got %gx%g", path, MAX_SIDE, crop[1], crop[0]);
    p = cropped(p, (int64_t)crop[1], (int64_t)crop[0], path);
  }
  return p;
}

/* Gray, and the Y of YCbCr, as Pillow computes them. */
static int gray(const unsigned char *rgb) { return (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16; }

static int luminance(const unsigned char *rgb)
{
  return (int)(lround(0.299 * 64 * rgb[0]) + lround(0.587 * 64 * rgb[1]) + lround(0.114 * 64 * rgb[2])) >> 6;
}

/* The input of the program for a picture: (byte * scale - mean) / std, one plane for each channel. `array` has the sizes that one
 * list takes; height and width become the picture's. */
static void fillPicture(THNNArray *array, Picture picture, Notes notes, const char *path)
{
  if (array->nDimension < 3 || (array->type != THNN_FLOAT && array->type != THNN_DOUBLE))
    fail("%s: expected an array, since the network takes no pictures, got a picture", path);
  const int32_t first = array->nDimension - 3;
  const int64_t channels = array->size[first];
  if (channels != 1 && channels != 3) fail("%s: expected an input of %" PRId64 " channels, got a picture", path, channels);
  picture = fitted(picture, notes, path);
  const int64_t area = picture.width * picture.height;
  for (int32_t d = 0; d < first; d++) array->size[d] = 1;
  array->size[first + 1] = picture.height;
  array->size[first + 2] = picture.width;

  double scale = 1.0 / 255, mean[3] = {0, 0, 0}, deviation[3] = {1, 1, 1};
  readNumbers(notes, "scale", &scale, 1);
  const int means = readNumbers(notes, "mean", mean, 3), deviations = readNumbers(notes, "std", deviation, 3);
  const int isReversed = hasNote(notes, "bgr", "True"), isGray = hasNote(notes, "gray", "True"), isColour = picture.channels == 3;
  if ((means > 1 && means != channels) || (deviations > 1 && deviations != channels))
    fail("%s: expected 1 mean and 1 std or %" PRId64 ", one for each channel, got %d and %d in the program", path, channels, means,
         deviations);
  for (int i = 0; i < 3; i++)
    if (!(deviation[i] > 0) || !isfinite(deviation[i]) || !isfinite(mean[i]) || !isfinite(scale))
      fail("%s: expected finite numbers as scale and mean, and a std above 0, got others in the program", path);
  array->data = allocate((size_t)(channels * area) * types[array->type].bytes);
  for (int64_t c = 0; c < channels; c++)
    for (int64_t i = 0; i < area; i++) {
      const unsigned char *pixel = picture.bytes + i * picture.channels;
      int byte = pixel[0];
      if (isColour) byte = isGray ? gray(pixel) : (channels == 1 ? luminance(pixel) : pixel[isReversed ? 2 - c : c]);
      const double value = (byte * scale - mean[means == 1 ? 0 : c]) / deviation[deviations == 1 ? 0 : c];
      if (array->type == THNN_FLOAT) ((float *)array->data)[c * area + i] = (float)value;
      else ((double *)array->data)[c * area + i] = value;
    }
  free(picture.bytes);
}

/* ---- .npy */

static void readSizes(THNNArray *array, const char *text, const char *path)
{
  array->nDimension = 0;
  for (const char *at = text; *at && *at != ')';) {
    if (!isdigit((unsigned char)*at)) {
      at++;
      continue;
    }
    char *end;
    const long long size = strtoll(at, &end, 10);
    if (array->nDimension == THNN_MAX_DIMS || size < 0 || size > INT32_MAX)
      fail("%s: expected at most %d dimensions of a 31-bit size, got others", path, THNN_MAX_DIMS);
    array->size[array->nDimension++] = size;
    at = end;
  }
  if (array->nDimension == 0) array->size[array->nDimension++] = 1;
}

static void readNpy(THNNArray *array, FILE *file, const char *path)
{
  unsigned char head[4] = {0};
  char text[4096] = "";
  const size_t sizeBytes = fread(head, 1, 2, file) == 2 && head[0] == 1 ? 2 : 4; /* version 1 has a 16-bit length */
  unsigned char length[4] = {0};
  size_t n = fread(length, 1, sizeBytes, file) == sizeBytes
                 ? (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24
                 : sizeof text;
  if (n >= sizeof text || fread(text, 1, n, file) != n) fail("%s: expected the header of a .npy file, got other bytes", path);
  const char *type = strstr(text, "'descr': '"), *shape = strstr(text, "'shape': (");
  if (!type || !shape || !strstr(text, "'fortran_order': False"))
    fail("%s: expected a .npy file in row-major order, got another one", path);
  array->type = -1;
  for (int32_t i = 0; i < (int32_t)(sizeof types / sizeof *types); i++)
    if (strncmp(type + 10, types[i].name, 3) == 0) array->type = i;
  if (array->type < 0) fail("%s: expected numbers of float32, float64, int64 or uint8, got %.3s", path, type + 10);
  readSizes(array, shape + 10, path);
  size_t bytes = types[array->type].bytes;
  for (int32_t d = 0; d < array->nDimension; d++)
    if (__builtin_mul_overflow(bytes, (size_t)array->size[d], &bytes)) fail("%s: expected an array that fits into memory", path);
  array->data = allocate(bytes);
  if (fread(array->data, 1, bytes, file) != bytes) fail("%s: expected %zu bytes of numbers, got fewer", path, bytes);
}

static void writeNpy(const THNNArray *array, const char *path)
{
  char shape[THNN_MAX_DIMS * 22 + 1] = "", text[512];
  size_t used = 0;
  for (int32_t d = 0; d < array->nDimension; d++)
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%" PRId64 ", ", array->size[d]);
  const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", types[array->type].name, shape);
  const int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
  memset(text + length, ' ', (size_t)(padded - length));
  text[padded - 1] = '\n';
  FILE *file = fopen(path, "wb");
  if (!file) fail("%s: cannot be written to", path);
  const unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(padded & 255), (unsigned char)(padded >> 8)};
  const size_t bytes = (size_t)elements(array) * types[array->type].bytes;
  const int isWritten = fwrite(head, 1, 10, file) == 10 && fwrite(text, 1, (size_t)padded, file) == (size_t)padded &&
                        fwrite(array->data, 1, bytes, file) == bytes;
  if (fclose(file) != 0 || !isWritten) fail("%s: cannot be written whole", path);
}

static void readInput(THNNArray *array, const char *path, Notes notes)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail("%s: there is no such file, or it cannot be read", path);
  unsigned char start[6] = {0};
  if (fread(start, 1, 2, file) != 2) fail("%s: expected a .pgm, .ppm or .npy file, got an empty one", path);
  if (start[0] == 'P' && (start[1] == '5' || start[1] == '6'))
    fillPicture(array, readPicture(file, path, start[1] == '5' ? 1 : 3), notes, path);
  else if (start[0] == 0x93 && fread(start + 2, 1, 4, file) == 4 && memcmp(start + 1, "NUMPY", 5) == 0) readNpy(array, file, path);
  else fail("%s: expected a .pgm (P5), .ppm (P6) or .npy file, got another one", path);
  fclose(file);
  array->flags = 0;
  setStrides(array);
}

/* ---- classes */

static double element(const THNNArray *array, int64_t i)
{
  if (array->type == THNN_FLOAT) return ((float *)array->data)[i];
  if (array->type == THNN_DOUBLE) return ((double *)array->data)[i];
  return array->type == THNN_LONG ? (double)((int64_t *)array->data)[i] : ((unsigned char *)array->data)[i];
}

/* True if the output has a score for each class, of one sample or several. */
static int hasScores(const THNNArray *array)
{
  const int32_t n = array->nDimension;
  return (n <= 2 || (array->size[n - 1] == 1 && array->size[n - 2] == 1)) && elements(array) > 1;
}

/* Bytes of UTF-8 that fill `width` columns with spaces behind them. Control characters, also those that begin with 0xc2, are printed
 * as ?. */
static void printText(const char *text, size_t length, int width)
{
  for (size_t i = 0; i < length; i++) {
    const unsigned char *c = (const unsigned char *)text + i;
    const int isPair = *c == 0xc2 && i + 1 < length && c[1] >= 0x80 && c[1] < 0xa0;
    putchar(isPair || *c < ' ' || *c == 0x7f ? '?' : *c);
    i += (size_t)isPair;
    width -= isPair || (*c & 0xc0) != 0x80; /* other bytes of a character take no column */
  }
  for (; width > 0; width--) putchar(' ');
}

static void printLabel(Notes notes, int64_t class)
{
  size_t length = 0;
  const char *at = notes.text, *label = NULL;
  for (int64_t i = 0; i <= class; i++)
    if (!(label = nextNote(notes, &at, "label", &length))) break;
  char text[64];
  if (!label) length = (size_t)snprintf(text, sizeof text, "class %" PRId64, class);
  fputs("  ", stdout);
  printText(label ? label : text, length, 12);
  putchar(' ');
}

/* The best classes of a sample, whose scores are n elements from `first` on. */
static void printClasses(const THNNArray *output, int64_t first, int64_t n, Notes notes, int64_t top)
{
  const int isLogarithm = hasNote(notes, "scores", "logarithms"), isShare = isLogarithm || hasNote(notes, "scores", "shares");
  char *isPrinted = allocate((size_t)n);
  memset(isPrinted, 0, (size_t)n);
  for (int64_t rank = 0; rank < top && rank < n; rank++) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
      if (!isPrinted[i] &&
          (best < 0 || element(output, first + i) > element(output, first + best) || isnan(element(output, first + best)))) best = i;
    isPrinted[best] = 1;
    const double score = isLogarithm ? exp(element(output, first + best)) : element(output, first + best);
    printLabel(notes, best);
    if (isShare) printf("%6.2f %%\n", 100 * score);
    else printf("%10.5f\n", score);
  }
  free(isPrinted);
}

/* The best classes: some of one sample, one of each of several. */
static void printSamples(const THNNArray *output, Notes notes, int64_t top)
{
  enum { MAX_PRINTED = 100 };
  const int32_t rank = output->nDimension;
  const int64_t samples = rank == 1 || rank == 3 ? 1 : output->size[0], n = elements(output) / samples;
  for (int64_t i = 0; i < samples && i < MAX_PRINTED; i++) printClasses(output, i * n, n, notes, samples == 1 ? top : 1);
  if (samples > MAX_PRINTED) printf("  ... and %" PRId64 " more\n", samples - MAX_PRINTED);
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

/* The median of the milliseconds of some runs. */
static double medianTime(THNNProgram *program, const THNNArray *inputs, int32_t nInputs, THNNArray *outputs, int32_t nOutputs, long times)
{
  double *milliseconds = allocate((size_t)times * sizeof *milliseconds);
  for (long i = 0; i < times; i++) {
    struct timespec start, end;
    check(THNN_forgetProgram(program)); /* each is a first run */
    timespec_get(&start, TIME_UTC);
    check(THNN_runProgram(program, inputs, nInputs, outputs, nOutputs));
    timespec_get(&end, TIME_UTC);
    milliseconds[i] = 1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec);
  }
  qsort(milliseconds, (size_t)times, sizeof *milliseconds, byValue);
  const double median = milliseconds[times / 2];
  free(milliseconds);
  return median;
}

int main(int argc, char **argv)
{
  (void)argc;
  const Options options = readOptions(argv + 1);
  THNNProgram *program;
  if (THNN_openProgramFile(options.program, &program) != THNN_OK) fail("%s: %s", options.program, THNN_lastError());
  int32_t nInputs, nOutputs;
  check(THNN_programCounts(program, &nInputs, &nOutputs));
  if (nInputs != options.nInputs) fail("%s: expected %d inputs, got %d", options.program, nInputs, options.nInputs);
  if (nOutputs > MAX_ARRAYS) fail("%s: expected at most %d outputs, got %d", options.program, MAX_ARRAYS, nOutputs);
  if (options.threads) {
    THNNState *state;
    check(THNN_programState(program, &state));
    check(THNN_setNumThreads(state, (int32_t)options.threads));
  }

  THNNArray inputs[MAX_ARRAYS], outputs[MAX_ARRAYS];
  memset(outputs, 0, sizeof outputs);
  check(THNN_programInputs(program, 0, inputs, nInputs));
  const char *text;
  uint64_t size;
  check(THNN_programNotes(program, &text, &size));
  const Notes notes = {text, text + size};
  for (int32_t i = 0; i < nInputs; i++) readInput(inputs + i, options.inputs[i], notes);

  check(THNN_planProgram(program, inputs, nInputs, outputs, nOutputs));
  for (int32_t i = 0; i < nOutputs; i++) outputs[i].data = allocate((size_t)elements(outputs + i) * types[outputs[i].type].bytes);
  check(THNN_runProgram(program, inputs, nInputs, outputs, nOutputs));

  printf("%s: ", options.inputs[0]);
  for (int32_t i = 0; i < nInputs; i++) printShape((fputs(i ? ", " : "", stdout), inputs + i));
  printf(" in, ");
  for (int32_t i = 0; i < nOutputs; i++) printShape((fputs(i ? ", " : "", stdout), outputs + i));
  fputs(" out", stdout);
  if (options.times)
    printf(", %.3g ms (median of %ld)", medianTime(program, inputs, nInputs, outputs, nOutputs, options.times), options.times);
  putchar('\n');
  if (options.output) {
    if (nOutputs != 1) fail("-o: expected a network of one output, got %d", nOutputs);
    writeNpy(outputs, options.output);
  } else if (nOutputs == 1 && hasScores(outputs)) printSamples(outputs, notes, options.top);
  else if (nOutputs == 1) puts("use -o to keep the output: -o out.npy");

  for (int32_t i = 0; i < nInputs; i++) free(inputs[i].data);
  for (int32_t i = 0; i < nOutputs; i++) free(outputs[i].data);
  check(THNN_closeProgram(program));
  if (fflush(stdout) != 0 || ferror(stdout)) fail("the output cannot be written");
  return 0;
}

/* Pictures: .pgm and .ppm files become the input of a network, resized, cropped, and (byte * scale - mean) / std. */
#include <ctype.h>
#include <math.h>
#include "thnn-run.h"

enum { MAX_SIDE = 1 << 16 }; /* pixels */

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

static Picture readPixels(FILE *file, const char *path, int channels)
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

typedef struct Scaling {
  double scale, mean[3], deviation[3];
} Scaling;

/* The numbers of (byte * scale - mean) / std for each channel. */
static Scaling readScaling(Notes notes, int64_t channels, const char *path)
{
  Scaling s = {1.0 / 255, {0, 0, 0}, {1, 1, 1}};
  readNumbers(notes, "scale", &s.scale, 1);
  const int means = readNumbers(notes, "mean", s.mean, 3), deviations = readNumbers(notes, "std", s.deviation, 3);
  if ((means > 1 && means != channels) || (deviations > 1 && deviations != channels))
    fail("%s: expected 1 mean and 1 std or %" PRId64 ", one for each channel, got %d and %d in the program", path, channels, means,
         deviations);
  for (int i = 0; i < 3; i++)
    if (!(s.deviation[i] > 0) || !isfinite(s.deviation[i]) || !isfinite(s.mean[i]) || !isfinite(s.scale))
      fail("%s: expected finite numbers as scale and mean, and a std above 0, got others in the program", path);
  if (means == 1) s.mean[1] = s.mean[2] = s.mean[0];
  if (deviations == 1) s.deviation[1] = s.deviation[2] = s.deviation[0];
  return s;
}

/* The byte of a pixel for a channel of the network. */
static int channelByte(const Picture *picture, int64_t pixel, int64_t channel, int64_t channels, int isGray)
{
  const unsigned char *bytes = picture->bytes + pixel * picture->channels;
  if (picture->channels == 1) return bytes[0];
  if (isGray) return gray(bytes);
  return channels == 1 ? luminance(bytes) : bytes[channel];
}

void readPicture(THNNArray *array, FILE *file, const char *path, int pictureChannels, Notes notes)
{
  if (array->nDimension < 3 || (array->type != THNN_FLOAT && array->type != THNN_DOUBLE))
    fail("%s: expected an array, since the network takes no pictures, got a picture", path);
  const int32_t first = array->nDimension - 3;
  const int64_t channels = array->size[first];
  if (channels != 1 && channels != 3) fail("%s: expected an input of %" PRId64 " channels, got a picture", path, channels);
  const Picture picture = fitted(readPixels(file, path, pictureChannels), notes, path);
  const int64_t area = picture.width * picture.height;
  for (int32_t d = 0; d < first; d++) array->size[d] = 1;
  array->size[first + 1] = picture.height;
  array->size[first + 2] = picture.width;

  const Scaling s = readScaling(notes, channels, path);
  const int isReversed = hasNote(notes, "bgr", "True"), isGray = hasNote(notes, "gray", "True");
  array->data = allocate((size_t)(channels * area) * elementTypes[array->type].bytes);
  for (int64_t c = 0; c < channels; c++)
    for (int64_t i = 0; i < area; i++) {
      const int byte = channelByte(&picture, i, isReversed ? channels - 1 - c : c, channels, isGray);
      const double value = (byte * s.scale - s.mean[c]) / s.deviation[c];
      if (array->type == THNN_FLOAT) ((float *)array->data)[c * area + i] = (float)value;
      else ((double *)array->data)[c * area + i] = value;
    }
  free(picture.bytes);
}

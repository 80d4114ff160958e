/* Large results, written past the caches.
 *
 * A store to memory that no cache holds reads it first, only to overwrite it, and what is larger than the caches drives out of them
 * what the next call wants. A streaming store does neither, but it must fill whole lines. So a thread computes a piece of the
 * result, a plane or some rows, in memory of its own that stays in its cache, and streams it from there:
 *
 *     const Stream s = THNN_newStream(call, threads, all, piece);
 *     #pragma omp parallel num_threads(threads)
 *     {
 *     #pragma omp for nowait
 *       for (int64_t i = 0; i < pieces; i += s.together) {
 *         real *at = THNN_place(&s, to + i * piece);
 *         ...                                          compute so many pieces there
 *         THNN_stream(&s, to + i * piece, their length);
 *       }
 *       THNN_endStream(&s);
 *     }
 *
 * Results that fit into the caches, which the next call will find there, and all results where a processor has no such store, are
 * computed where they are to stand: THNN_place gives that place, and nothing is copied. */
#ifndef THNN_STREAM_H
#define THNN_STREAM_H

#include "core/real.h"

#ifndef THNN_CUDA
#if defined(__SSE2__) && !defined(THNN_PORTABLE)
#define THNN_HAS_STREAMS
#include <emmintrin.h>
#endif

/* Results of more bytes than CACHED are streamed, if their pieces fit into the cache next to a processor. Small pieces are streamed
 * together, for the lines at their ends are written in two parts. */
enum { THNN_CACHED = 1 << 25, THNN_SMALL_PIECE = 1 << 15, THNN_LARGEST_PIECE = 1 << 18 };

typedef struct Stream {
  real *places; /* one for each thread; NULL if nothing is streamed */
  int64_t together, length; /* so many pieces, and their place */
} Stream;

/* For a result of `all` elements, made in pieces of `piece` or, here and there, fewer. */
THNN_INLINE Stream THNN_newStream(Call *call, int threads, int64_t all, int64_t piece)
{
  Stream s = {NULL, 1, 0};
#ifdef THNN_HAS_STREAMS
  const int64_t size = sizeof(real);
  if (all > THNN_CACHED / size && piece <= THNN_LARGEST_PIECE / size) {
    s.together = THNN_ceilDiv(THNN_SMALL_PIECE / size, piece);
    s.length = THNN_wholeLines(s.together * piece);
    s.places = THNN_scratch(call, threads * s.length, sizeof(real));
  }
#else
  (void)call, (void)threads, (void)all, (void)piece;
#endif
  return s;
}

/* Where the calling thread computes what is to stand at `to`. */
THNN_INLINE real *THNN_place(const Stream *s, real *to) { return s->places ? s->places + THNN_threadId() * s->length : to; }

/* The n elements that it has computed. */
THNN_INLINE void THNN_stream(const Stream *s, real *to, int64_t n)
{
  if (!s->places) return;
  const real *from = THNN_place(s, to);
  int64_t i = 0;
#if defined(THNN_HAS_STREAMS) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they do not see such stores */
  enum { LINE = 64, LANES = 16 / sizeof(real) };
  if ((uintptr_t)to % sizeof(real) == 0) {
    i = THNN_min((int64_t)(-(uintptr_t)to % LINE / sizeof(real)), n);
    memcpy(to, from, (size_t)i * sizeof(real));
    for (; i + LANES <= n; i += LANES) _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
  }
#endif
  memcpy(to + i, from + i, (size_t)(n - i) * sizeof(real));
}

/* Before other threads read what this one has streamed. */
THNN_INLINE void THNN_endStream(const Stream *s)
{
#ifdef THNN_HAS_STREAMS
  if (s->places) _mm_sfence();
#else
  (void)s;
#endif
}
#endif

#endif

/* Large results, written past the caches.
 *
 * A store to memory that no cache holds reads it first, only to overwrite it, and what is larger than the caches drives out of them
 * what the next call wants. A streaming store does neither, but it must fill whole lines. So a thread computes a piece of the
 * result, a plane or some rows, in memory of its own that stays in its cache, and streams it from there:
 *
 *     Streamed *streams = THNN_newStreams(call, threads, all, piece);
 *     #pragma omp parallel for num_threads(threads)
 *     for (int64_t i = 0; i < pieces; i++) {
 *       real *at = THNN_place(streams, to + i * piece);
 *       ...                                            compute it there
 *       THNN_stream(streams, piece);
 *     }
 *     THNN_endStreams(streams, threads);
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

/* Results that no cache holds are streamed, if their pieces fit into the cache next to a processor. Small pieces that follow each other are
 * streamed together, about so many bytes of them, for the lines at their ends are written in two parts. */
enum { THNN_TOGETHER = 1 << 15 };

/* The result of one thread: n elements for `to`, at a place of `length`. */
typedef struct Streamed {
  real *place, *to;
  int64_t n, piece, length, rest[3]; /* a line of its own in the cache */
} Streamed;

/* One for each thread, for a result of `all` elements that is made in pieces of at most `piece`; NULL if nothing is streamed. */
THNN_INLINE Streamed *THNN_newStreams(Call *call, int threads, int64_t all, int64_t piece)
{
#ifdef THNN_HAS_STREAMS
  const int64_t size = sizeof(real), length = THNN_max(piece, THNN_TOGETHER / size), room = THNN_perThread(length);
  if (all <= THNN_CACHED / size || piece > THNN_NEXT_CACHE / size) return NULL;
  real *places = THNN_scratch(call, threads * room, size);
  Streamed *streams = THNN_scratch(call, threads, sizeof(Streamed));
  for (int t = 0; THNN_ready(call) && t < threads; t++)
    streams[t] = (Streamed){.place = places + t * room, .piece = piece, .length = length};
  return streams;
#else
  (void)call, (void)threads, (void)all, (void)piece;
  return NULL;
#endif
}

/* Streams what a thread has computed: all whole lines. */
THNN_INLINE void THNN_flush(Streamed *mine)
{
  int64_t done = 0;
#if defined(THNN_HAS_STREAMS) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they do not see such stores */
  enum {
    LINE = THNN_LINE / sizeof(real),
    STORE_CELLS = 16 / sizeof(real),
  };
  const int64_t first = (int64_t)(-(uintptr_t)mine->to % THNN_LINE / sizeof(real));
  if ((uintptr_t)mine->to % sizeof(real) == 0 && first <= mine->n) {
    memcpy(mine->to, mine->place, (size_t)first * sizeof(real));
    for (done = first; done + LINE <= mine->n; done += LINE)
      for (int64_t i = done; i < done + LINE; i += STORE_CELLS)
        _mm_stream_si128((__m128i *)(mine->to + i), _mm_loadu_si128((const __m128i *)(mine->place + i)));
  }
#endif
  memcpy(mine->to + done, mine->place + done, (size_t)(mine->n - done) * sizeof(real));
  mine->n = 0;
}

/* The memory in which the calling thread computes the piece for `to`. */
THNN_INLINE real *THNN_place(Streamed *streams, real *to)
{
  if (!streams) return to;
  Streamed *mine = streams + THNN_threadId();
  if (mine->n && (to != mine->to + mine->n || mine->n + mine->piece > mine->length)) THNN_flush(mine);
  if (!mine->n) mine->to = to;
  return mine->place + mine->n;
}

/* The n elements that it has computed there. */
THNN_INLINE void THNN_stream(Streamed *streams, int64_t n)
{
  if (streams) streams[THNN_threadId()].n += n;
}

/* After the loop each thread streams what it has left, and waits until all its stores can be seen. */
THNN_INLINE void THNN_endStreams(Streamed *streams, int threads)
{
  if (!streams) return;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) {
    if (streams[t].n) THNN_flush(streams + t);
#ifdef THNN_HAS_STREAMS
    _mm_sfence();
#endif
  }
}
#endif

#endif

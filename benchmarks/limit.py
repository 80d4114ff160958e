"""Measures the processors' limit: fused multiply-adds of float32 in the longest vectors, without access to memory.

python -m benchmarks.limit --threads 2
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

# Twelve sums that do not wait for each other keep two units busy, and fit the registers of every processor.
PROGRAM = r"""
#include <stdio.h>
#include <time.h>
#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif
typedef float Vector __attribute__((vector_size(BYTES)));
#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define BEGIN(i) Vector sum##i = (Vector){0} + i;
#define ADD(i) sum##i = sum##i * x + y;
#define END(i) total += sum##i;
volatile float factor = 0.999f, term = 1e-3f, sink;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(void)
{
  enum { STEPS = 3000000 };
  double least = 1e9;
  for (int round = 0; round < 10; round++) {
    const double begin = now();
#pragma omp parallel num_threads(THREADS)
    {
      const Vector x = (Vector){0} + factor, y = (Vector){0} + term;
      EACH(BEGIN)
      for (long n = 0; n < STEPS; n++) { EACH(ADD) }
      Vector total = {0};
      EACH(END)
      sink = total[0];
    }
    const double seconds = now() - begin;
    if (seconds < least) least = seconds;
  }
  printf("%f\n", 1e-9 * THREADS * STEPS * 12.0 * 2 * (BYTES / sizeof(float)) / least);
  return 0;
}
"""


def gflops(threads: int) -> float | None:
    """Billions of operations in a second on so many threads; None where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "limit.c"), Path(folder, "limit")
        source.write_text(PROGRAM)
        options = ["-O3", "-march=native", "-ffp-contract=fast", "-fopenmp", f"-DTHREADS={threads}"]
        subprocess.run([compiler, *options, source, "-o", program], check=True)
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    found = gflops(options.threads)
    print("no C compiler: unknown" if found is None else f"{options.threads} threads: at most {found:.0f} Gflop/s")


if __name__ == "__main__":
    main()

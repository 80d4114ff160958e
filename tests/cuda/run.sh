#!/usr/bin/env bash
# Runs the CUDA kernels on the processor: builds libTHCUNN with THCUNN=host and gives it the tests of the layers that it has.
#
#   tests/cuda/run.sh            all jobs
#   tests/cuda/run.sh orders     cases, golden data and modules on a device, with threads in order, in reverse order and in random order
#   tests/cuda/run.sh address    the same functions under AddressSanitizer
#   tests/cuda/run.sh thread     small grids under ThreadSanitizer
#
# Needs g++, CMake, Ninja, and a Python in which the package and its extra "test" are installed. First, mistakes that are planted must be
# found. ORDERS has the thread orders beside forward, PYTEST how pytest is called.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
export PYTHONDONTWRITEBYTECODE=1
pytest=${PYTEST:-python -m pytest -q -p no:cacheprovider}
layers=$(basename -s .cu THCUNN/*/[A-Z]*.cu | paste -sd'|' | sed 's/|/ or /g')

runtime() { g++ -print-file-name="lib$1.so"; }

quietly() { "$@" >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }; }

# library <sanitizers>: builds it into $build
library() {
  quietly cmake -S . -B "$build/tree$1" -G Ninja -DTHNN_BLAS=none -DTHCUNN=host -DTHNN_SANITIZE="$1"
  quietly cmake --build "$build/tree$1" --target THCUNN
  export PYTORCH_LEGACY_EMULATE="$build/tree$1/THCUNN/libTHCUNN.so"
}

# planted <sanitizers> <mistake or NONE> <words>: the program must be killed, and those words said; without a mistake it must succeed
planted() {
  local program="$build/planted-$2" flags=(-std=c++20 -g -O1 -D"$2")
  g++ "${flags[@]}" -x c++ -c THCUNN/host/emulation.cpp -ITHCUNN -o "$program.emulation.o"
  g++ "${flags[@]}" ${1:+-fsanitize="$1"} -include THCUNN/host/emulation.h -x c++ tests/cuda/planted.cu -x none "$program.emulation.o" -o "$program"
  if setarch -R "$program" >"$build/log" 2>&1; then
    [[ $2 == NONE ]] || { cat "$build/log"; echo "planted: $2 was not found"; exit 1; }
  else
    { [[ $2 != NONE ]] && grep -q "$3" "$build/log"; } || { cat "$build/log"; echo "planted: $2 ended otherwise than expected"; exit 1; }
  fi
  echo "planted: $2${1:+, $1}: as expected"
}

orders() {
  planted "" NONE ""
  planted "" DIVERGENCE "did not come to"
  library ""
  echo "threads run: forward"
  $pytest tests/cuda tests/test_layers.py tests/test_layer_errors.py tests/test_layer_memory.py tests/test_golden.py \
    -k "test_twins or test_device or (($layers) and not test_threads and not test_large)"
  for order in ${ORDERS:-reverse random:1}; do # what is computed in another order shows in any case
    echo "threads run: $order"
    THCUNN_ORDER=$order $pytest tests/cuda tests/test_layers.py tests/test_golden.py \
      -k "test_as_THNN or (($layers) and (test_forward or test_batch or test_training or test_criterion))"
  done
}

address() {
  planted address NONE ""
  planted address OVERRUN "heap-buffer-overflow"
  library address
  PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(runtime asan) $pytest tests/cuda tests/test_layers.py \
    -k "test_twins or (($layers) and (test_forward or test_empty_batch or test_batch))"
}

thread() {
  planted thread NONE ""
  planted thread MISSING_BARRIER "data race"
  planted thread MISSING_ATOMIC "data race"
  library thread
  TSAN_OPTIONS=halt_on_error=1 LD_PRELOAD=$(runtime tsan) setarch -R $pytest tests/cuda -k "test_as_THNN and Cuda-"
}

for job in "${@:-orders address thread}"; do
  for one in $job; do
    echo "---- $one"
    "$one"
  done
done

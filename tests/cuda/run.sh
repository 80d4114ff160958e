#!/usr/bin/env bash
# Runs the CUDA kernels on the processor: builds libTHCUNN with THCUNN=host, and gives it the tests of the layers and of modules on a device.
#
#   tests/cuda/run.sh            orders, address and thread
#   tests/cuda/run.sh orders     case table and golden data with threads in order; in reverse and in random order, their results alone
#   tests/cuda/run.sh address    the same functions under AddressSanitizer
#   tests/cuda/run.sh thread     small grids under ThreadSanitizer
#   tests/cuda/run.sh layer NAME...   the tests of these layers alone, with a library that is kept in build/emulated: a second run is short
#   tests/cuda/run.sh short      of orders, what continuous integration has time for, under AddressSanitizer
#
# Needs g++, CMake, Ninja, and a Python in which the package and its extra "test" are installed. First, mistakes that are planted must be
# found. PYTEST has how pytest is called.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build
if [[ ${1:-} == layer ]]; then
  build=$PWD/build/emulated
  mkdir -p "$build"
else
  build=$PWD/$(mktemp -d build/emulated.XXXXXX)
  trap 'rm -rf "$build"' EXIT
fi
pytest=${PYTEST:-python -m pytest -q -p no:cacheprovider}
runtime() { g++ -print-file-name="lib$1.so"; }

quietly() { "$@" >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }; }

# library <sanitizers> <options of CMake>...: builds it into $build
library() {
  quietly cmake -S . -B "$build/tree$1" -G Ninja -DTHCUNN=host -DTHNN_SANITIZE="$1" "${@:2}"
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

divergence() {
  planted "" NONE ""
  planted "" DIVERGENCE "did not come to"
}

orders() {
  divergence
  library ""
  echo "threads run: forward"
  $pytest tests/cuda tests/test_layers.py tests/test_layer_errors.py tests/test_layer_memory.py tests/test_golden.py \
    -k "not test_threads and (as_THNN or not test_large)"
  for order in reverse random:1; do # what is computed in another order shows in any case
    echo "threads run: $order"
    THCUNN_ORDER=$order $pytest tests/cuda/test_twins.py tests/cuda/test_arrays.py tests/test_layers.py tests/test_golden.py \
      -k "as_THNN or test_forward or test_batch or test_training or test_criterion or test_arrays"
  done
}

# What both of the next jobs need: mistakes found, and a library in which memory is watched.
watched() {
  planted address NONE ""
  planted address OVERRUN "heap-buffer-overflow"
  library address
}

watch() { ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(runtime asan) "$@"; }

# A kernel that computes right in random order does in the usual one: its tests run once.
short() {
  local turned="as_THNN or test_reduce or test_scan or test_take_and_put"
  divergence
  watched
  echo "threads run: forward"
  watch $pytest tests/cuda tests/test_golden.py -k "not as_float and not ($turned)"
  echo "threads run: random:1"
  THCUNN_ORDER=random:1 watch $pytest tests/cuda/test_twins.py tests/cuda/test_arrays.py tests/test_layers.py --dtype float64 \
    -k "$turned or test_forward"
}

address() {
  watched
  watch $pytest tests/cuda/test_twins.py tests/test_layers.py -k "test_twins or test_forward or test_empty_batch or test_batch"
}

thread() {
  planted thread NONE ""
  planted thread MISSING_BARRIER "data race"
  planted thread MISSING_ATOMIC "data race"
  library thread -DTHCUNN_REALS=Cuda
  # Those that are left out launch the kernels of other layers, for a minute.
  TSAN_OPTIONS=halt_on_error=1 LD_PRELOAD=$(runtime tsan) setarch -R $pytest tests/cuda/test_twins.py \
    -k "test_as_THNN and Cuda- and not (VolumetricFullConvolution or VolumetricDilatedConvolution or VolumetricConvolutionMM)"
  TSAN_OPTIONS=halt_on_error=1 LD_PRELOAD=$(runtime tsan) setarch -R $pytest tests/cuda/test_arrays.py -k test_one_block
}

# layer <name>...: what a change of these layers needs
layer() {
  [[ $# -gt 0 ]] || { echo "usage: tests/cuda/run.sh layer NAME..." >&2; exit 2; }
  library ""
  for name; do
    for order in forward reverse random:1; do
      echo "threads run: $order"
      THCUNN_ORDER=$order $pytest tests/cuda/test_twins.py tests/cuda/test_modules.py tests/test_layers.py \
        -k "$name and not test_threads"
    done
  done
}

if [[ ${1:-} == layer ]]; then
  layer "${@:2}"
  exit
fi

for job in "${@:-orders address thread}"; do
  for one in $job; do
    echo "---- $one"
    "$one"
  done
done

-- Runs a network in LuaJIT, from a file that `pytorch-legacy convert NET.t7 NET.thnn` has made: on zeros, or on the floats of a file.
--
--     luajit program.lua NET.thnn [path of libTHNN.so [path of THNN_ffi.h [file of floats]]]
local ffi = require 'ffi'

ffi.cdef(assert(io.open(arg[3] or '/usr/local/include/THNN_ffi.h')):read('*a'))
local THNN = ffi.load(arg[2] or 'THNN')

local function check(status)
  if status ~= THNN.THNN_OK then error(ffi.string(THNN.THNN_lastError()), 2) end
end

-- A program is closed when the garbage collector finds that nobody has it any more.
local function open(path)
  local place = ffi.new 'THNNProgram *[1]'
  check(THNN.THNN_openProgramFile(path, place))
  return ffi.gc(place[0], THNN.THNN_closeProgram)
end

-- Memory for the elements of a dense array of floats, and the number of them.
local function fill(array)
  local n = 1
  for d = array.nDimension - 1, 0, -1 do
    array.stride[d] = n
    n = n * tonumber(array.size[d])
  end
  local data = ffi.new('float[?]', n)
  array.data = data
  return data, n
end

local program = open(arg[1])
local input, output = ffi.new 'THNNArray[1]', ffi.new 'THNNArray[1]'
check(THNN.THNN_programInputs(program, 0, input, 1))
local x, n = fill(input[0])
if arg[4] then ffi.copy(x, assert(io.open(arg[4], 'rb')):read('*a'), n * 4) end

check(THNN.THNN_planProgram(program, input, 1, output, 1)) -- type, sizes and strides of the output
local y, classes = fill(output[0])
check(THNN.THNN_runProgram(program, input, 1, output, 1))
for i = 0, classes - 1 do print(string.format('%.9g', y[i])) end

-- An input of another size is an error, which lists those that the file has.
input[0].size[0] = 0
if THNN.THNN_planProgram(program, input, 1, output, 1) ~= THNN.THNN_OK then
  print('error: ' .. ffi.string(THNN.THNN_lastError()))
end

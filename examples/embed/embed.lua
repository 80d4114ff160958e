-- Embeds libTHNN in LuaJIT: pool a 4 x 4 image to 2 x 2, score it with a linear layer, send a gradient back, make a mistake.
--
--     luajit embed.lua [path of libTHNN.so [path of THNN_ffi.h]]
local ffi = require 'ffi'

-- THNN_ffi.h is THNN.h as the preprocessor leaves it: ffi.cdef reads it as it is.
ffi.cdef(assert(io.open(arg[2] or '/usr/local/include/THNN_ffi.h')):read('*a'))
local THNN = ffi.load(arg[1] or 'THNN')

local function check(status)
  if status ~= THNN.THNN_OK then error(ffi.string(THNN.THNN_lastError()), 2) end
end

-- A float array, and a view of it. The view only borrows: keep the array alive as long as the view is in use.
local function floats(values) return ffi.new('float[?]', #values, values) end

local function view(data, ...)
  local tensor, stride = ffi.new('THFloatTensor', {data = data, nDimension = select('#', ...)}), 1
  for d = select('#', ...), 1, -1 do
    local size = select(d, ...)
    tensor.size[d - 1], tensor.stride[d - 1], stride = size, stride, stride * size
  end
  return tensor
end

local function show(name, data, n)
  local line = string.format('%-10s', name)
  for i = 0, n - 1 do line = line .. string.format(' %g', data[i]) end
  print(line)
end

check(THNN.THNN_checkVersion(1)) -- the ABI that this script was written for

local pixels = floats {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
local weights, biases = floats {1, 0, 0, -1, 0, 2, -2, 0}, floats {11, 20}
local image, weight, bias = view(pixels, 1, 4, 4), view(weights, 2, 4), view(biases, 2)

-- Forward. A nil state is the default one; sizes are int64_t, which Lua numbers become by themselves.
local size = ffi.new 'int64_t[8]'
check(THNN.THNN_FloatSpatialAdaptiveAveragePooling_outputSize(image, 2, 2, size))
local pooled, scores = floats {0, 0, 0, 0}, floats {0, 0}
local planes = view(pooled, tonumber(size[0]), tonumber(size[1]), tonumber(size[2]))
local flat = view(pooled, 4) -- the same memory in another shape
check(THNN.THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(nil, image, planes, 2, 2))
check(THNN.THNN_FloatLinear_updateOutput(nil, flat, view(scores, 2), weight, bias))
show('pooled', pooled, 4)
show('scores', scores, 2)

-- Backward: updateGradInput overwrites, accGradParameters adds (ffi.new clears what it makes).
local gradScores, gradPooled, gradPixels = floats {1, -1}, ffi.new 'float[4]', ffi.new 'float[16]'
local gradWeights, gradBiases = ffi.new 'float[8]', ffi.new 'float[2]'
local gradOutput, gradImage = view(gradScores, 2), view(gradPixels, 1, 4, 4)
check(THNN.THNN_FloatLinear_updateGradInput(nil, flat, gradOutput, view(gradPooled, 4), weight))
check(THNN.THNN_FloatLinear_accGradParameters(nil, flat, gradOutput, view(gradWeights, 2, 4), view(gradBiases, 2), 1))
check(THNN.THNN_FloatSpatialAdaptiveAveragePooling_updateGradInput(nil, image, view(gradPooled, 1, 2, 2), gradImage))
show('gradImage', gradPixels, 16)
show('gradWeight', gradWeights, 8)

-- A mistake: the output has not the shape that was asked for. Nothing has been written, and the script lives on.
local status = THNN.THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(nil, image, planes, 3, 3)
print(string.format('error %d: %s', status, ffi.string(THNN.THNN_lastError())))
assert(status == THNN.THNN_ERR_SHAPE)

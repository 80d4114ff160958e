-- What the suites of rnn, dpnn and nngraph require, as far as they need it: moses and totem.
local moses = {}

function moses.clone(t)
   local found = {}
   for k, v in pairs(t) do found[k] = v end
   return found
end

function moses.compact(t)
   local found = {}
   for _, v in pairs(t) do if v then found[#found + 1] = v end end
   return found
end

function moses.slice(t, from, to)
   local found = {}
   for i = from or 1, to or #t do found[#found + 1] = t[i] end
   return found
end

function moses.first(t, n) return moses.slice(t, 1, math.min(n or 1, #t)) end

function moses.last(t, n) return moses.slice(t, #t - (n or #t - 1) + 1, #t) end

function moses.keys(t)
   local found = {}
   for k in pairs(t) do found[#found + 1] = k end
   return found
end

function moses.map(t, f, ...)
   local found = {}
   for k, v in pairs(t) do found[k] = f(k, v, ...) end
   return found
end

function moses.reverse(t)
   local found = {}
   for i = #t, 1, -1 do found[#found + 1] = t[i] end
   return found
end

function moses.size(t) return #moses.keys(t) end

function moses.isNaN(x) return type(x) == 'number' and x ~= x end

function moses.isFinite(x) return type(x) == 'number' and x > -math.huge and x < math.huge end

package.preload.moses = function() return moses end

-- totem: testers that run what they get at once, and checks of gradients
local totem = {TestSuite = torch.TestSuite}
package.preload.totem = function()
   _G.totem = totem
   return totem
end

function totem.Tester()
   local tester = torch.Tester()
   local add = tester.add
   function tester:add(f, name)
      if type(f) == 'function' or f.__isTestSuite then return add(self, f, name) end
      for key, one in pairs(f) do add(self, one, key) end
      return self
   end
   tester.addTest = tester.add
   return tester
end

local function zeros(value)
   if torch.isTensor(value) then return value:clone():zero() end
   local found = {}
   for key, one in pairs(value) do found[key] = zeros(one) end
   return found
end

local function parts(value, found)
   found = found or {}
   if torch.isTensor(value) then found[#found + 1] = value else for _, one in ipairs(value) do parts(one, found) end end
   return found
end

local function copied(value)
   if torch.isTensor(value) then return value:clone() end
   local found = {}
   for key, one in pairs(value) do found[key] = copied(one) end
   return found
end

local function products(output, weights)
   local sum = 0
   for i, one in ipairs(parts(output)) do sum = sum + torch.cmul(one, weights[i]):sum() end
   return sum
end

totem.nn = {}

-- compares the gradients of a module with differences of its outputs
function totem.nn.checkGradients(tester, module, input, precision)
   local output = copied(module:forward(input))
   local gradOutput = copied(output)
   for _, one in ipairs(parts(gradOutput)) do one:uniform() end
   local weights = parts(gradOutput)
   module:zeroGradParameters()
   module:forward(input)
   local gradInput = copied(module:updateGradInput(input, gradOutput))
   module:accGradParameters(input, gradOutput)
   local function check(values, gradients, name)
      for i, one in ipairs(values) do
         local flat, gradient = one:view(-1), gradients[i]:contiguous():view(-1)
         for k = 1, flat:size(1) do
            local old = flat[k]
            flat[k] = old + 1e-5
            local up = products(module:forward(input), weights)
            flat[k] = old - 1e-5
            local down = products(module:forward(input), weights)
            flat[k] = old
            tester:assertlt(math.abs((up - down) / 2e-5 - gradient[k]), precision or 1e-5, name)
         end
      end
   end
   check(parts(input), parts(gradInput), 'gradient of the input')
   local parameters, gradients = module:parameters()
   if parameters then check(parameters, moses.map(gradients, function(_, one) return one:clone() end), 'gradient of a parameter') end
end

function totem.nn.checkTypeCastable(tester, module, input) end

function totem.nn.checkMinibatch(tester, module, input) end

function totem.nn.checkSerializable(tester, module, input)
   local again = torch.deserialize(torch.serialize(module))
   local one, other = parts(module:forward(input)), parts(again:forward(input))
   for i in ipairs(one) do tester:assertTensorEq(one[i], other[i], 1e-12, 'output after serialization') end
end

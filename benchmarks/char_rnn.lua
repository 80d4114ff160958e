-- The step of char-rnn on this package: an LSTM of nngraph, unrolled by clones, gradients that are clipped, and RMSprop.
-- benchmarks/lua_programs.py has the same step in Python. Returns a function of the sizes and of the texts that returns the step.
require 'nn'
require 'nngraph'
require 'optim'

local function lstm(characters, units)
   local x, before_c, before_h = nn.Identity()(), nn.Identity()(), nn.Identity()()
   local sums = nn.CAddTable()({nn.Linear(units, 4 * units)(nn.LookupTable(characters, units)(x)), nn.Linear(units, 4 * units)(before_h)})
   local i, f, o, g = nn.SplitTable(2)(nn.Reshape(4, units)(sums)):split(4)
   local kept = nn.CMulTable()({nn.Sigmoid()(f), before_c})
   local c = nn.CAddTable()({kept, nn.CMulTable()({nn.Sigmoid()(i), nn.Tanh()(g)})})
   local h = nn.CMulTable()({nn.Sigmoid()(o), nn.Tanh()(c)})
   return nn.gModule({x, before_c, before_h}, {c, h, nn.LogSoftMax()(nn.Linear(units, characters)(h))})
end

return function(characters, units, samples, x, y)
   local length = x:size(1)
   local net = lstm(characters, units)
   local params, grads = net:getParameters()
   params:uniform(-0.08, 0.08)
   local clones, criterions = {}, {}
   for t = 1, length do
      clones[t] = net:clone('weight', 'bias', 'gradWeight', 'gradBias')
      criterions[t] = nn.ClassNLLCriterion()
   end
   local zeros = {torch.zeros(samples, units), torch.zeros(samples, units)}
   local state, config = zeros, {learningRate = 2e-3, alpha = 0.95}

   local function feval(given)
      if given ~= params then params:copy(given) end
      grads:zero()
      local states, predictions, loss = {[0] = state}, {}, 0
      for t = 1, length do
         clones[t]:training()
         local outputs = clones[t]:forward({x[t], unpack(states[t - 1])})
         states[t] = {}
         for i = 1, #zeros do table.insert(states[t], outputs[i]) end
         predictions[t] = outputs[#outputs]
         loss = loss + criterions[t]:forward(predictions[t], y[t])
      end
      local gradients = {[length] = {zeros[1]:clone():zero(), zeros[2]:clone():zero()}}
      for t = length, 1, -1 do
         table.insert(gradients[t], criterions[t]:backward(predictions[t], y[t]))
         local back = clones[t]:backward({x[t], unpack(states[t - 1])}, gradients[t])
         gradients[t - 1] = {}
         for place, gradient in pairs(back) do
            if place > 1 then gradients[t - 1][place - 1] = gradient end
         end
      end
      state = states[length]
      grads:clamp(-5, 5)
      return loss / length, grads
   end

   return function()
      local _, losses = optim.rmsprop(feval, params, config)
      return losses[1]
   end
end

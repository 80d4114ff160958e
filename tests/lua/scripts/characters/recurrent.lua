-- A network of gated recurrent units that reads a letter and predicts the next one, and its copies over time.
local M = {}

-- Returns a node of a gated recurrent unit: z and r are its gates, h' = h + z * (n - h).
local function unit(size, x, h)
   local function sum(name)
      return nn.CAddTable()({nn.Linear(size, size)(x):annotate{name = name}, nn.Linear(size, size, false)(h)})
   end
   local update, reset = nn.Sigmoid()(sum('update')), nn.Sigmoid()(sum('reset'))
   local memory = nn.Linear(size, size)(nn.CMulTable()({reset, h}))
   local new = nn.Tanh()(nn.CAddTable()({nn.Linear(size, size)(x), memory}))
   return nn.CAddTable()({h, nn.CMulTable()({update, nn.CSubTable()({new, h})})})
end

-- Returns {letters, h_1, ..., h_n} -> {log-probabilities, h_1, ..., h_n}.
function M.step(options)
   local letters = - nn.Identity()
   local inputs, outputs = {letters}, {}
   local x = letters - nn.LookupTable(options.letters, options.size)
   for layer = 1, options.layers do
      local h = - nn.Identity()
      inputs[layer + 1] = h
      x = unit(options.size, x, h)
      outputs[layer + 1] = x
      if options.dropout > 0 then x = x - nn.Dropout(options.dropout) end
   end
   outputs[1] = x - nn.Linear(options.size, options.letters) - nn.LogSoftMax()
   return nn.gModule(inputs, outputs)
end

-- Returns the states before the first letter.
function M.start(options, columns)
   local states = {}
   for layer = 1, options.layers do states[layer] = torch.zeros(columns, options.size) end
   return states
end

-- Unrolls a step: the copies share its parameters.
local Unrolled = {}
Unrolled.__index = Unrolled

function M.unroll(step, steps)
   local self = setmetatable({step = step, copies = {}, losses = {}}, Unrolled)
   for t = 1, steps do
      self.copies[t] = step:clone('weight', 'bias', 'gradWeight', 'gradBias')
      self.losses[t] = nn.ClassNLLCriterion()
   end
   return self
end

function Unrolled:mode(name)
   for _, copy in ipairs(self.copies) do copy[name](copy) end
end

-- Returns the mean loss of a block, and the states behind it.
function Unrolled:forward(block, states)
   local loss = 0
   self.given = {}
   for t, copy in ipairs(self.copies) do
      self.given[t] = {block.inputs[t], unpack(states)}
      local found = copy:forward(self.given[t])
      loss = loss + self.losses[t]:forward(found[1], block.targets[t])
      states = {unpack(found, 2)}
   end
   return loss / #self.copies, states
end

-- Adds the gradient of the loss. The one of the states behind the block is 0.
function Unrolled:backward(block)
   local steps = #self.copies
   local gradients
   for t = steps, 1, -1 do
      local copy = self.copies[t]
      local out = self.losses[t]:backward(copy.output[1], block.targets[t]) / steps
      if not gradients then
         gradients = {}
         for i = 2, #copy.output do gradients[i - 1] = copy.output[i].new():resizeAs(copy.output[i]):zero() end
      end
      local found = copy:backward(self.given[t], {out, unpack(gradients)})
      gradients = {select(2, unpack(found))}
   end
end

return M

-- A generative adversarial network in one dimension: it learns to draw from a normal distribution. Threads load the batches.
require 'torch'
require 'nn'
require 'optim'
local threads = require 'threads'
threads.serialization('threads.sharedserialize')

local opt = {
   batchSize = 32, nz = 4, hidden = 16, nThreads = 2, steps = 300, lr = 0.004, beta1 = 0.5, mean = 3, std = 0.5, seed = 5,
}
for name, value in pairs(opt) do opt[name] = tonumber(os.getenv('GAN_' .. name)) or value end
torch.manualSeed(opt.seed)

-- loader
local Loader = {}
Loader.__index = Loader

function Loader.new(n, options)
   local self = setmetatable({results = {}}, Loader)
   local mean, std, size = options.mean, options.std, options.batchSize
   self.pool = threads.Threads(n,
      function()
         require 'torch'
      end,
      function(thread)
         function getBatch() -- a global of the thread
            return torch.Tensor(size, 1):normal(mean, std), thread
         end
      end)
   for _ = 1, n do self:request() end
   return self
end

function Loader:request()
   self.pool:addjob(
      function() return getBatch() end,
      function(batch, thread) table.insert(self.results, {batch = batch, thread = thread}) end)
end

function Loader:getBatch()
   while #self.results == 0 do self.pool:dojob() end
   if self.pool:haserror() then self.pool:synchronize() end
   self:request()
   return table.remove(self.results, 1)
end

local data = Loader.new(opt.nThreads, opt)

-- networks
local function weights_init(m)
   local name = torch.type(m)
   if name:find('Linear') then
      if m.weight then m.weight:normal(0.0, 0.2) end
      if m.bias then m.bias:fill(0) end
   elseif name:find('BatchNormalization') then
      if m.weight then m.weight:normal(1.0, 0.02) end
      if m.bias then m.bias:fill(0) end
   end
end
local netG = nn.Sequential()
netG:add(nn.Linear(opt.nz, opt.hidden)):add(nn.BatchNormalization(opt.hidden)):add(nn.ReLU(true)):add(nn.Linear(opt.hidden, 1))
netG:apply(weights_init)
local netD = nn.Sequential()
netD:add(nn.Linear(1, opt.hidden)):add(nn.LeakyReLU(0.2, true)):add(nn.Linear(opt.hidden, opt.hidden)):add(nn.LeakyReLU(0.2, true))
netD:add(nn.Linear(opt.hidden, 1)):add(nn.Sigmoid()):add(nn.View(1):setNumInputDims(1))
netD:apply(weights_init)

local criterion = nn.BCECriterion()
local optimStateG, optimStateD = {learningRate = opt.lr, beta1 = opt.beta1}, {learningRate = opt.lr, beta1 = opt.beta1}
local noise, label = torch.Tensor(opt.batchSize, opt.nz), torch.Tensor(opt.batchSize)
local parametersD, gradParametersD = netD:getParameters()
local parametersG, gradParametersG = netG:getParameters()
local errD, errG, fake
local seen = {}

local function fDx(_)
   gradParametersD:zero()
   local real = data:getBatch()
   seen[real.thread] = (seen[real.thread] or 0) + 1
   label:fill(1)
   local output = netD:forward(real.batch)
   local errReal = criterion:forward(output, label)
   netD:backward(real.batch, criterion:backward(output, label))

   noise:normal(0, 1)
   fake = netG:forward(noise)
   label:fill(0)
   output = netD:forward(fake)
   local errFake = criterion:forward(output, label)
   netD:backward(fake, criterion:backward(output, label))
   errD = errReal + errFake
   return errD, gradParametersD
end

local function fGx(_)
   gradParametersG:zero()
   label:fill(1) -- for the generator fakes are to be real
   local output = netD.output
   errG = criterion:forward(output, label)
   local df_dg = netD:updateGradInput(fake, criterion:backward(output, label))
   netG:backward(noise, df_dg)
   return errG, gradParametersG
end

local history = {}
for step = 1, opt.steps do
   optim.adam(fDx, parametersD, optimStateD)
   optim.adam(fGx, parametersG, optimStateG)
   if step % 50 == 0 then
      history[#history + 1] = fake:mean()
      print(('[%4d / %d] Err_G: %.4f  Err_D: %.4f  mean of fakes: %.3f'):format(step, opt.steps, errG, errD, fake:mean()))
   end
end
data.pool:terminate()
netG:evaluate()
local drawn = netG:forward(torch.randn(1000, opt.nz))
print(('drawn: mean %.2f, deviation %.2f'):format(drawn:mean(), drawn:std()))
return {mean = drawn:mean(), std = drawn:std(), history = history, seen = seen, netG = netG, netD = netD}

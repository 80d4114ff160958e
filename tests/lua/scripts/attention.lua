-- Recurrent visual attention: a network reads a picture through a few glimpses and learns by REINFORCE where to look.
-- A picture is dark but for a bar, upright or lying, which is the class.
require 'dpnn'
require 'rnn'
require 'optim'

local cmd = torch.CmdLine()
cmd:option('--rho', 3, 'number of glimpses')
cmd:option('--size', 12, 'size of a picture')
cmd:option('--glimpse', 4, 'size of a glimpse')
cmd:option('--hidden', 16, 'hidden units')
cmd:option('--stdev', 0.1, 'deviation of the places in training')
cmd:option('--batchSize', 16, 'pictures in a step')
cmd:option('--steps', 120, 'number of steps')
cmd:option('--learningRate', 0.2, 'learning rate')
cmd:option('--cutoffNorm', 2, 'bound of the norm of the gradients')
cmd:option('--seed', 11, 'seed')
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)

local function pictures(n)
   local data, labels = torch.randn(n, 1, opt.size, opt.size):mul(0.1), torch.LongTensor(n)
   for i = 1, n do
      labels[i] = torch.random(1, 2)
      local x, y = torch.random(5, opt.size - 4), torch.random(5, opt.size - 4)
      if labels[i] == 1 then
         data[{i, 1, {}, x}] = 1
      else
         data[{i, 1, y, {}}] = 1
      end
   end
   return data, labels
end

-- What a glimpse shows, and where it is, become one vector.
local locationSensor = nn.Sequential()
locationSensor:add(nn.SelectTable(2)):add(nn.Linear(2, opt.hidden)):add(nn.ReLU())
local glimpseSensor = nn.Sequential()
glimpseSensor:add(nn.SpatialGlimpse(opt.glimpse, 2, 2):float())
glimpseSensor:add(nn.Collapse(3)):add(nn.Linear(2 * opt.glimpse * opt.glimpse, opt.hidden)):add(nn.ReLU())
glimpseSensor:double()
local glimpse = nn.Sequential()
glimpse:add(nn.ConcatTable():add(locationSensor):add(glimpseSensor)):add(nn.JoinTable(1, 1))
glimpse:add(nn.Linear(2 * opt.hidden, opt.hidden)):add(nn.ReLU())

local rnn = nn.Recurrent(opt.hidden, glimpse, nn.Linear(opt.hidden, opt.hidden), nn.ReLU(), 99999)

-- The next place is drawn around one that the hidden state gives.
local locator = nn.Sequential()
locator:add(nn.Linear(opt.hidden, 2)):add(nn.HardTanh()):add(nn.ReinforceNormal(2 * opt.stdev, false)):add(nn.HardTanh())
locator:add(nn.MulConstant(1))
local attention = nn.RecurrentAttention(rnn, locator, opt.rho, {opt.hidden})

local agent = nn.Sequential()
agent:add(nn.Convert('bchw', 'bchw')):add(attention):add(nn.SelectTable(-1))
agent:add(nn.Linear(opt.hidden, 2)):add(nn.LogSoftMax())
local baseline = nn.Sequential():add(nn.Constant(1, 1)):add(nn.Add(1))
agent:add(nn.ConcatTable():add(nn.Identity()):add(nn.ConcatTable():add(nn.Identity()):add(baseline)))
for _, parameter in ipairs((agent:parameters())) do parameter:uniform(-0.3, 0.3) end

-- The classifier learns from the labels, the places from the reward of a right class.
local loss = nn.ParallelCriterion(true)
loss:add(nn.ModuleCriterion(nn.ClassNLLCriterion(), nil, nn.Convert()))
loss:add(nn.ModuleCriterion(nn.VRClassReward(agent), nil, nn.Convert()))

local history = {}
agent:training()
for step = 1, opt.steps do
   local x, t = pictures(opt.batchSize)
   agent:zeroGradParameters()
   local output = agent:forward(x)
   local err = loss:forward(output, t)
   agent:backward(x, loss:backward(output, t))
   agent:gradParamClip(opt.cutoffNorm)
   agent:updateGradParameters(0.9)
   agent:updateParameters(opt.learningRate)
   agent:maxParamNorm(4)
   history[step] = err
   if step % 20 == 0 then print(('%3d: loss %.4f, reward %.3f'):format(step, err, loss.criterions[2].criterion.reward:mean())) end
end

agent:evaluate()
local confusion = optim.ConfusionMatrix{'upright', 'lying'}
local x, t = pictures(40)
confusion:batchAdd(agent:forward(x)[1], t)
confusion:updateValids()
local places = {}
for step = 1, opt.rho do places[step] = agent:findModules('nn.RecurrentAttention')[1].actions[step]:clone() end
return {accuracy = confusion.totalValid, history = history, places = places, agent = agent}

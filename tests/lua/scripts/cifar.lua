-- Trains a small convolutional network on pictures of the form of CIFAR-10: {data = N x 3 x 32 x 32 bytes, labels = N bytes from 0}.
--
--   cifar.lua --train train.t7 --test test.t7 --save logs
require 'xlua'
require 'optim'
require 'nn'
require 'image'
local c = require 'trepl.colorize'

local opt = lapp[[
   --train           (default 'train.t7')  pictures to train on
   --test            (default 'test.t7')   pictures to test on
   -s,--save         (default 'logs')      folder of what is kept
   -b,--batchSize    (default 8)           pictures in a step
   -r,--learningRate (default 0.05)        learning rate
   --weightDecay     (default 0.0005)      weight decay
   -m,--momentum     (default 0.9)         momentum
   --epoch_step      (default 2)           epochs until the rate is halved
   --max_epoch       (default 3)           epochs
   --type            (default float)       float or double
   --plain                                 no augmentation
]]
print(c.blue '==>' .. ' options')
print(opt.batchSize, opt.learningRate, opt.type, opt.plain)
torch.manualSeed(3)
torch.setdefaulttensortype(opt.type == 'float' and 'torch.FloatTensor' or 'torch.DoubleTensor')

-- Half of the pictures of a batch are mirrored, from the left to the right.
do
   local BatchFlip, parent = torch.class('nn.BatchFlip', 'nn.Module')

   function BatchFlip:__init()
      parent.__init(self)
      self.train = true
   end

   function BatchFlip:updateOutput(input)
      if self.train and not opt.plain then
         local n = input:size(1)
         local mask = torch.randperm(n):le(n / 2)
         for i = 1, n do
            if mask[i] == 1 then image.hflip(input[i], input[i]) end
         end
      end
      self.output:set(input)
      return self.output
   end
end

-- data
local function provide(file)
   local raw = torch.load(file)
   return {data = raw.data:type(torch.getdefaulttensortype()), labels = raw.labels:type(torch.getdefaulttensortype()):add(1)}
end
local trainData, testData = provide(opt.train), provide(opt.test)
local normalization = nn.SpatialContrastiveNormalization(1, image.gaussian1D(7))
for _, set in ipairs{trainData, testData} do
   for i = 1, set.data:size(1) do
      local yuv = image.rgb2yuv(set.data[i]:div(255))
      yuv[1] = normalization(yuv[{{1}}])
      set.data[i] = yuv
   end
end
local mean, std = {}, {}
for channel = 1, 3 do
   mean[channel] = trainData.data:select(2, channel):mean()
   std[channel] = trainData.data:select(2, channel):std()
   for _, set in ipairs{trainData, testData} do
      set.data:select(2, channel):add(-mean[channel]):div(std[channel])
   end
end

-- model
print(c.blue '==>' .. ' configuring model')
local classes = {'red', 'green', 'blue'}
local model = nn.Sequential()
model:add(nn.BatchFlip())
model:add(nn.Copy(torch.getdefaulttensortype(), torch.getdefaulttensortype()))
local features = nn.Sequential()
local function block(from, to)
   features:add(nn.SpatialConvolution(from, to, 3, 3, 2, 2, 1, 1)):add(nn.SpatialBatchNormalization(to, 1e-3)):add(nn.ReLU(true))
   return block
end
block(3, 4)(4, 8)
features:add(nn.SpatialMaxPooling(2, 2, 2, 2):ceil()):add(nn.View(8 * 4 * 4))
local classifier = nn.Sequential()
classifier:add(nn.Dropout(0.2)):add(nn.Linear(8 * 4 * 4, 16)):add(nn.BatchNormalization(16)):add(nn.ReLU(true)):add(nn.Linear(16, #classes))
model:add(features):add(classifier)
for _, layer in pairs(model:findModules('nn.SpatialConvolution')) do
   layer.weight:normal(0, math.sqrt(2 / (layer.kW * layer.kH * layer.nOutputPlane)))
   layer.bias:zero()
end
print(model)

local criterion = nn.CrossEntropyCriterion()
local confusion = optim.ConfusionMatrix(classes)
local parameters, gradParameters = model:getParameters()

paths.mkdir(opt.save)
local testLogger = optim.Logger(paths.concat(opt.save, 'test.log'))
testLogger:setNames{'% mean class accuracy (train set)', '% mean class accuracy (test set)'}
testLogger.showPlot = false

local optimState = {
   learningRate = opt.learningRate, weightDecay = opt.weightDecay, momentum = opt.momentum, learningRateDecay = 1e-7,
}

local function train(epoch)
   model:training()
   if epoch % opt.epoch_step == 0 then optimState.learningRate = optimState.learningRate / 2 end
   print(c.blue '==>' .. ' online epoch # ' .. epoch .. ' [batchSize = ' .. opt.batchSize .. ']')

   local targets = torch.Tensor(opt.batchSize)
   local indices = torch.randperm(trainData.data:size(1)):long():split(opt.batchSize)
   indices[#indices] = nil -- the last batch may be smaller
   local total = 0
   for t, v in ipairs(indices) do
      xlua.progress(t, #indices)
      local inputs = trainData.data:index(1, v)
      targets:copy(trainData.labels:index(1, v))
      local feval = function(x)
         if x ~= parameters then parameters:copy(x) end
         gradParameters:zero()
         local outputs = model:forward(inputs)
         local f = criterion:forward(outputs, targets)
         model:backward(inputs, criterion:backward(outputs, targets))
         confusion:batchAdd(outputs, targets)
         return f, gradParameters
      end
      local _, f = optim.sgd(feval, parameters, optimState)
      total = total + f[1]
   end
   confusion:updateValids()
   print(('Train accuracy: ' .. c.cyan '%.2f' .. ' %%'):format(confusion.totalValid * 100))
   local accuracy = confusion.totalValid * 100
   confusion:zero()
   return accuracy, total / #indices
end

local function test(trainAccuracy)
   model:evaluate()
   print(c.blue '==>' .. ' testing')
   for i = 1, testData.data:size(1), opt.batchSize do
      local size = math.min(opt.batchSize, testData.data:size(1) - i + 1)
      confusion:batchAdd(model:forward(testData.data:narrow(1, i, size)), testData.labels:narrow(1, i, size))
   end
   confusion:updateValids()
   print(confusion)
   local accuracy = confusion.totalValid * 100
   testLogger:add{trainAccuracy, accuracy}
   testLogger:style{'-', '-'}
   confusion:zero()
   return accuracy
end

local found = {train = {}, test = {}, loss = {}}
for epoch = 1, opt.max_epoch do
   found.train[epoch], found.loss[epoch] = train(epoch)
   found.test[epoch] = test(found.train[epoch])
end
local filename = paths.concat(opt.save, 'model.net')
print('==> saving model to ' .. filename)
torch.save(filename, model:get(3):clone():clearState())
torch.save(paths.concat(opt.save, 'mean_std.t7'), {mean = mean, std = std})
found.model = model
return found

-- Trains a model of letters on a text:  train.lua -text poem.txt -folder models
require 'torch'
require 'nn'
require 'nngraph'
require 'optim'
local paths = require 'paths'
require 'Corpus'
local recurrent = require 'recurrent'

local cmd = torch.CmdLine()
cmd:text()
cmd:text('A model of letters')
cmd:text()
cmd:option('-text', 'poem.txt', 'the text')
cmd:option('-folder', 'models', 'where models go')
cmd:option('-size', 16, 'size of the state')
cmd:option('-layers', 2, 'number of layers')
cmd:option('-dropout', 0, 'share of outputs that training drops')
cmd:option('-columns', 6, 'pieces of the text that are read at once')
cmd:option('-steps', 8, 'letters between two updates')
cmd:option('-epochs', 5, 'passes over the text')
cmd:option('-rate', 0.02, 'learning rate')
cmd:option('-bound', 1, 'bound of the norm of the gradient')
cmd:option('-from', '', 'a model to go on with')
cmd:option('-seed', 1, 'seed')
cmd:text()
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)
paths.mkdir(opt.folder)
cmd:log(paths.concat(opt.folder, 'log.txt'), opt)

local corpus = Corpus(opt.text)
local blocks = corpus:blocks(opt.columns, opt.steps)
local held = table.remove(blocks) -- the last block is not trained on
local options = {letters = #corpus.letters, size = opt.size, layers = opt.layers, dropout = opt.dropout}
print(('%d letters, %d blocks'):format(options.letters, #blocks))

local step, first = nil, 1
if #opt.from > 0 then
   local kept = torch.load(opt.from)
   for i, letter in ipairs(kept.letters) do
      assert(corpus.letters[i] == letter, 'the model knows other letters')
   end
   step, options, first = kept.step, kept.options, kept.epoch + 1
else
   step = recurrent.step(options)
end
local parameters, gradients = step:getParameters()
if #opt.from == 0 then parameters:uniform(-0.2, 0.2) end
local unrolled = recurrent.unroll(step, opt.steps)
print(('%d parameters'):format(parameters:nElement()))

local config, losses, validation = {learningRate = opt.rate}, {}, {}
for epoch = first, first + opt.epochs - 1 do
   unrolled:mode('training')
   local states, total = recurrent.start(options, opt.columns), 0
   for _, block in ipairs(blocks) do
      local function feval(x)
         if x ~= parameters then parameters:copy(x) end
         gradients:zero()
         local loss, after = unrolled:forward(block, states)
         unrolled:backward(block)
         states = {}
         for i, state in ipairs(after) do states[i] = state:clone() end
         local norm = gradients:norm()
         if norm > opt.bound then gradients:mul(opt.bound / norm) end
         return loss, gradients
      end
      local _, values = optim.adam(feval, parameters, config)
      assert(values[1] == values[1], 'the loss is not a number')
      losses[#losses + 1], total = values[1], total + values[1]
   end

   unrolled:mode('evaluate')
   validation[#validation + 1] = unrolled:forward(held, states)
   if #validation > 1 and validation[#validation] > validation[#validation - 1] then
      config.learningRate = config.learningRate / 2
      print('rate is now ' .. config.learningRate)
   end
   print(string.format('epoch %2d: %.4f, held out %.4f', epoch, total / #blocks, validation[#validation]))
   step:clearState()
   local file = paths.concat(opt.folder, ('epoch%d.t7'):format(epoch))
   torch.save(file, {step = step, options = options, letters = corpus.letters, numbers = corpus.numbers, epoch = epoch})
end
return {losses = losses, validation = validation, parameters = parameters}

-- Writes text:  sample.lua models/epoch5.t7 -length 40 -begin the
require 'torch'
require 'nn'
require 'nngraph'
local recurrent = require 'recurrent'

local cmd = torch.CmdLine()
cmd:argument('-model', 'a file of train.lua')
cmd:option('-length', 40, 'number of letters')
cmd:option('-begin', '', 'what the text begins with')
cmd:option('-temperature', 1, 'below 1 the likely letters are likelier; 0 takes the likeliest')
cmd:option('-seed', 1, 'seed')
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)

local ok, kept = pcall(torch.load, opt.model)
if not ok then
   io.stderr:write('no model: ', tostring(kept), '\n')
   return nil, kept
end
local step = kept.step
step:evaluate()
local states = recurrent.start(kept.options, 1)
local logs

local function read(number)
   local found = step:forward({torch.LongTensor{number}, unpack(states)})
   logs = found[1]:clone():view(-1)
   for i = 1, #states do states[i] = found[i + 1]:clone() end
end

local function pick()
   if opt.temperature == 0 then
      local _, best = logs:max(1)
      return best[1]
   end
   local weights = torch.exp(logs / opt.temperature)
   return torch.multinomial(weights:div(weights:sum()), 1)[1]
end

local text = {}
if opt.begin == '' then
   logs = torch.zeros(#kept.letters)
else
   for letter in opt.begin:gmatch('.') do
      text[#text + 1] = letter
      read(kept.numbers[letter] or error('the model does not know ' .. letter))
   end
end
for _ = 1, opt.length do
   local number = pick()
   text[#text + 1] = kept.letters[number]
   read(number)
end
text = table.concat(text)
io.write(text, '\n')
return text

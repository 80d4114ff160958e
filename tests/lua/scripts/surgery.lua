-- What programs of the time did to networks: one vector of all parameters, clones through files, modules exchanged, fields set.
require 'nn'
-- one vector of all parameters, made by hand
local function combine(net)
  local ps, gs = net:parameters()
  local function flatten(parameters)
    local Tensor = parameters[1].new
    local n = 0
    local storages = {}
    for k = 1, #parameters do
      local s = parameters[k]:storage()
      if not storages[torch.pointer(s)] then storages[torch.pointer(s)] = {s, n}; n = n + s:size() end
    end
    local flat = Tensor(n):fill(1)
    local fs = flat:storage()
    for k = 1, #parameters do
      local o = storages[torch.pointer(parameters[k]:storage())][2]
      parameters[k]:set(fs, o + parameters[k]:storageOffset(), parameters[k]:size(), parameters[k]:stride())
      parameters[k]:zero()
    end
    for _, so in pairs(storages) do
      local k, v = so[1], so[2]
      flat[{{v + 1, v + k:size()}}]:copy(torch.Tensor():set(k))
    end
    return flat
  end
  return flatten(ps), flatten(gs)
end
local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2))
local before = net:get(1).weight:clone()
local p, g = combine(net)
assert(p:nElement() == 3*4+4+4*2+2)
assert((net:get(1).weight - before):abs():max() == 0)
p:fill(0.5)
assert(net:get(1).weight[1][1] == 0.5 and net:get(3).bias[2] == 0.5)
local x = torch.ones(2, 3)
local y = net:forward(x)
g:zero()
net:backward(x, y)
assert(g:norm() > 0)
-- clones
local mem = torch.MemoryFile("w"):binary()
mem:writeObject(net)
local r = torch.MemoryFile(mem:storage(), "r"):binary()
local c = r:readObject()
r:close()
local cp, cg = c:parameters()
local ps, gs = net:parameters()
for i = 1, #ps do cp[i]:set(ps[i]); cg[i]:set(gs[i]) end
p:fill(0.25)
assert(c:get(1).weight[1][1] == 0.25)
assert((c:forward(x) - net:forward(x)):abs():max() == 0)
-- shared gradInput
local cache = {}
net:apply(function(m)
  if torch.isTensor(m.gradInput) then
    local key = torch.type(m)
    if cache[key] == nil then cache[key] = torch.DoubleStorage(1) end
    m.gradInput = torch.DoubleTensor(cache[key], 1, 0)
  end
end)
net:forward(x)
local gi = net:backward(x, y)
assert(gi:size(1) == 2 and gi:size(2) == 3)
-- gradInput nil
net:get(1).gradInput = nil
net:forward(x)
assert(net:backward(x, y) == nil)
-- save and load table
local f = os.tmpname()
torch.save(f, {model = net, opt = {a = 1, b = 'x'}, epoch = 3})
local t = torch.load(f)
assert(t.opt.b == 'x' and t.epoch == 3 and torch.type(t.model) == 'nn.Sequential')
assert((t.model:forward(x) - net:forward(x)):abs():max() == 0)
os.remove(f)
net:clearState()
assert(net.output:nElement() == 0)
-- net surgery
for i = #net, 1, -1 do if torch.type(net:get(i)) == 'nn.Tanh' then net:remove(i) end end
assert(#net == 2)
net:insert(nn.ReLU(true), 2)
assert(torch.type(net:get(2)) == 'nn.ReLU' and net:get(2).inplace == true)
net.modules[2] = nn.Sigmoid()
assert(tostring(net):find('Sigmoid'))
net:replace(function(m) if torch.type(m) == 'nn.Sigmoid' then return nn.Tanh() end return m end)
assert(tostring(net):find('Tanh'))
-- fields
local conv = nn.SpatialConvolution(3, 4, 3, 3, 1, 1, 1, 1)
conv.weight:normal(0, math.sqrt(2 / (conv.kW * conv.kH * conv.nOutputPlane)))
conv:noBias()
assert(conv.bias == nil)
conv.__key = 'a'
assert(conv.__key == 'a' and conv:clone().__key == 'a')
assert(nn.SpatialBatchNormalization(4).running_mean:size(1) == 4)
-- criterion
local crit = nn.ClassNLLCriterion(torch.ones(2))
local lp = nn.LogSoftMax():forward(torch.randn(3, 2))
local l = crit:forward(lp, torch.Tensor{1, 2, 1})
assert(type(l) == 'number' and l == crit.output)
local pc = nn.ParallelCriterion():add(nn.MSECriterion(), 0.5):add(nn.MSECriterion())
assert(pc:forward({x, x}, {x * 2, x}) == 0.5 and #pc:backward({x, x}, {x * 2, x}) == 2 and pc.weights[1] == 0.5)
-- module iteration
local n = 0
for i, m in ipairs(net.modules) do n = n + i end
assert(n == 6)
local nodes = net:listModules()
assert(#nodes == 4)
assert(net:type() == 'torch.DoubleTensor' and net:float():type() == 'torch.FloatTensor')
assert(net:get(1).weight:type() == 'torch.FloatTensor' and select('#', net:training()) == 0)
local ok, e = pcall(function() net:forward(torch.randn(2, 7):float()) end)
assert(e:find('In 1 module of nn.Sequential:\n', 1, true) and e:find('size mismatch'))
function net:forwardTwice(x) return self:forward(self:forward(x):narrow(2,1,1):expand(2,3):clone()) end
assert(net:forwardTwice(torch.ones(2,3):float()):size(2) == 2)
assert(getmetatable(net).__typename == 'nn.Sequential' and torch.getmetatable('nn.Linear') == nn.Linear)
return true

-- A text as numbers: each byte that occurs has one, from 1 in the order of bytes.
local Corpus = torch.class('Corpus')

function Corpus:__init(file)
   local handle = assert(io.open(file, 'rb'))
   local text = handle:read('*a')
   handle:close()

   local isThere = {}
   for letter in text:gmatch('.') do isThere[letter] = true end
   for letter in text:gmatch('\n') do isThere[letter] = true end
   self.letters = {}
   for letter in pairs(isThere) do table.insert(self.letters, letter) end
   table.sort(self.letters)
   self.numbers = {}
   for number, letter in ipairs(self.letters) do self.numbers[letter] = number end

   self.data = self:encode(text)
end

function Corpus:encode(text)
   local data = torch.LongTensor(#text)
   for i = 1, #text do
      data[i] = self.numbers[text:sub(i, i)] or error(('letter %q is not in the corpus'):format(text:sub(i, i)))
   end
   return data
end

-- Returns inputs and targets of `columns` pieces of the text beside each other, cut into blocks of `steps` rows.
function Corpus:blocks(columns, steps)
   local rows = math.floor((self.data:size(1) - 1) / columns / steps) * steps
   assert(rows > 0, 'the corpus is too short')
   local inputs = self.data:narrow(1, 1, rows * columns):view(columns, rows):t()
   local targets = self.data:narrow(1, 2, rows * columns):view(columns, rows):t()
   local found = {}
   for first = 1, rows, steps do
      local rowsOfBlock = {{first, first + steps - 1}, {}}
      table.insert(found, {inputs = inputs[rowsOfBlock]:contiguous(), targets = targets[rowsOfBlock]:contiguous()})
   end
   return found
end

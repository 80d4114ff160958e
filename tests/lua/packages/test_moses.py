"""The package ``moses``, with the examples of its manual."""

from __future__ import annotations

from typing import Any

import pytorch_legacy as pl

from ..running import rows

SHOW = """
local _ = require 'moses'
local function show(v)
  if type(v) ~= 'table' then return tostring(v) end
  local t = {}
  for i = 1, #v do t[i] = show(v[i]) end
  local names = {}
  for k, x in pairs(v) do if type(k) == 'string' then names[#names + 1] = k .. '=' .. show(x) end end
  table.sort(names)
  for i = 1, #names do t[#t + 1] = names[i] end
  return '{' .. table.concat(t, ',') .. '}'
end
"""


@rows(
    ("_.map({1, 2, 3}, function(i, v) return v + 10 end)", "{11,12,13}"),
    ("_.map({a = 1, b = 2}, function(k, v) return k .. k, v * 2 end)", "{aa=2,bb=4}"),
    ("_.reduce({1, 2, 3, 4}, function(memo, v) return memo + v end)", "10"),
    ("_.reduceRight({1, 2, 4, 16}, function(memo, v) return memo / v end, 256)", "2"),
    ("_.mapReduce({'a', 'b', 'c'}, function(memo, v) return memo .. v end)", "{a,ab,abc}"),
    ("_.include({6, {18, {2, 6}}}, {18, {2, 6}})", "true"),
    ("_.detect({'a', 'B', 'c'}, function(v) return v:upper() == v end)", "2"),
    ("_.select({1, 2, 3, 4}, function(k, v) return v % 2 == 0 end)", "{2,4}"),
    ("_.reject({1, 2, 3, 4}, function(k, v) return v % 2 == 0 end)", "{1,3}"),
    ("_.all({2, 4, 6}, function(k, v) return v % 2 == 0 end)", "true"),
    ("_.pluck({{age = 23}, {age = 17}, {}}, 'age')", "{23,17}"),
    ("{_.max{1, 3, 2}, _.min({{a = 5}, {a = 4}}, 'a'), _.max{'a', 'c', 'b'}}", "{3,4,c}"),
    ("{_.sort{'b', 'a'}, _.sortBy({1, 2, 3}, function(v) return -v end)}", "{{a,b},{3,2,1}}"),
    ("_.groupBy({0, 1, 2, 3}, function(i, v) return v % 2 == 0 and 'even' or 'odd' end)", "{even={0,2},odd={1,3}}"),
    ("_.countBy({0, 1, 2}, function(i, v) return v % 2 == 0 and 'even' or 'odd' end)", "{even=2,odd=1}"),
    ("{_.size{a = 1, 2}, _.size(1, 2, 3), _.count({1, 1, 2}, 1), _.same({1, 2}, {2, 1})}", "{2,3,2,true}"),
    ("{_.find({{4}, {3}}, {3}), _.find({1, 4, 2, 3, 4, 5}, 4, 3), _.lastIndexOf({1, 2, 2, 3}, 2)}", "{2,5,3}"),
    ("{_.reverse{1, 2, 'd'}, _.fill({1, 2, 3}, 0, 2), _.slice({1, 2, 3, 4}, 2, 3), _.first({1, 2, 3}, 2), _.last({1, 2, 3}, 2)}",
     "{{d,2,1},{1,0,0},{2,3},{1,2},{2,3}}"),
    ("{_.selectWhile({2, 4, 5, 8}, function(i, v) return v % 2 == 0 end), "
     "_.dropWhile({2, 5, 8}, function(i, v) return v == 2 end)}",
     "{{2,4},{5,8}}"),
    ("{_.push({1}, 2, 3), _.addTop({1}, 1, 2), _.pull({1, 2, 1, 3}, 1), _.removeRange({1, 2, 3, 4}, 2, 3)}",
     "{{1,2,3},{2,1,1},{2,3},{1,4}}"),
    ("_.chunk({1, 1, 2, 3, 3, 4}, function(k, v) return v % 2 == 0 end)", "{{1,1},{2},{3,3},{4}}"),
    ("{_.compact{'a', false, 'b'}, _.flatten{1, {2, {3}}}, _.flatten({1, {2, {3}}}, true)}", "{{a,b},{1,2,3},{1,2,{3}}}"),
    ("{_.difference({1, 2, 'a'}, {1, 'a'}), _.union({'a'}, {'a', 1}), _.intersection({1, 2}, {2, 3}), _.xor({1, 2}, {2, 3})}",
     "{{2},{a,1},{2},{1,3}}"),
    ("{_.unique{1, 1, 2}, _.zip({'a', 'b'}, {1}), _.append({1}, {2}), _.interleave({1, 2}, {'a', 'b'}), _.interpose(0, {1, 2})}",
     "{{1,2},{{a,1},{b}},{1,2},{1,a,2,b},{1,0,2}}"),
    ("{_.range(1, 4), _.range(3), _.range(0, 2, 0.7), _.rep(4, 3), _.invert{'a', 'b'}, _.concat({'a', 1}, '-')}",
     "{{1,2,3,4},{0,1,2,3},{0,0.7,1.4},{4,4,4},{a=1,b=2},a-1}"),
    ("(function() local s = {} for p in _.partition({1, 2, 3, 4, 5, 6}, 4, 0) do s[#s + 1] = p end return s end)()",
     "{{1,2,3,4},{5,6,0,0}}"),
    ("(function() local s = {} for p in _.sliding({1, 2, 3, 4, 5, 6, 7}, 3) do s[#s + 1] = p end return s end)()",
     "{{1,2,3},{3,4,5},{5,6,7}}"),
    ("{_.compose(function(x) return x^2 end, function(x) return x + 1 end)(3), "
     "_.pipe(3, function(x) return x + 1 end)}", "{16,4}"),
    ("{_.bindn(function(...) return table.concat{...} end, 'a', ':')(1, 2), _.bind(math.sqrt, 4)(), _.bind2(math.max, 9)(1)}",
     "{a:12,2,9}"),
    ("{_.partial(function(a, b) return a - b end, '_', 5)(20), _.times(3, function(i) return i end), _.flip(math.pow)(2, 3)}",
     "{15,{1,2,3},9}"),
    ("(function() local f = _.after(_.identity, 2) local g = _.once(function(a) return a * a end) "
     "return {tostring(f(1)), f(2), g(1), g(5)} end)()", "{nil,2,1,1}"),
    ("{_.keys{a = 1}, _.values{a = 1}, _.extend({a = 1}, {b = 2}), _.pick({a = 1, b = 2}, 'a'), _.omit({a = 1, b = 2}, 'a')}",
     "{{a},{1},{a=1,b=2},{a=1},{b=2}}"),
    ("(function() local t = {1, {2}} local u = _.clone(t) u[2][1] = 5 "
     "return {t[2][1], _.isEqual({1, {2}}, t), _.isEmpty{}} end)()",
     "{2,true,true}"),
    ("{_.isFinite(1 / 0), _.isFinite(1), _.isNaN(0 / 0), _.isArray{1}, _.isArray{a = 1}, _.isCallable(print), _.isNil(nil)}",
     "{false,true,true,true,false,true,true}"),
    ("{_.invoke({'a', 'bea'}, string.len), _.invoke({'a', 'b'}, 'upper'), _.uniqueId('ID%s'), #_.shuffle{1, 2, 3}, _.pop{7, 8}}",
     "{{1,3},{A,B},ID1,3,7}"),
)  # fmt: skip
def test_examples(code: str, expected: Any) -> None:
    assert pl.lua.Session().execute(f"{SHOW} return show({code})") == expected

#!/usr/bin/env lua5.4
-- A small shop: a stock, a price list that is printed, and orders that are filled from it.

local unpack <const> = table.unpack
local CURRENCY <const> = "EUR"
local LIMIT <const> = 1 << 20

local Stock = {}
Stock.__index = Stock

local Item = setmetatable({ count = 0, price = 0.0, tags = {} }, {
  __call = function(class, name, price, ...)
    local item = setmetatable({ name = name, price = price, tags = { ... } }, class)
    item.code = class.encode(name)
    return item
  end,
})
Item.__index = Item
Item.__eq = function(a, b) return a.code == b.code end
Item.__tostring = function(self)
  return ("%-12s %8.2f %s"):format(self.name, self.price, CURRENCY)
end

function Item.encode(name)
  local code = 5381
  for _, byte in utf8.codes(name) do
    code = (code * 33 ~ byte) & 0xffff
  end
  return code
end

function Item:has(tag)
  for i = 1, #self.tags do
    if self.tags[i] == tag then return true end
  end
  return false
end

function Stock.new(limit)
  return setmetatable({ items = {}, byname = {}, sold = 0, limit = limit or LIMIT }, Stock)
end

function Stock:add(item, count)
  local known = self.byname[item.name]
  if known then
    known.count = known.count + count
    goto done
  end
  item.count = count
  self.items[#self.items + 1] = item
  self.byname[item.name] = item
  ::done::
  assert(#self.items <= self.limit, "the shelves are full")
  return self
end

function Stock:each(tag)
  local i = 0
  return function()
    repeat
      i = i + 1
    until not self.items[i] or not tag or self.items[i]:has(tag)
    return self.items[i], i
  end
end

local function sum(first, ...)
  if not first then return 0 end
  return first + sum(...)
end

local function discount(item, amount)
  local steps = { { 50, 0.8 }, { 10, 0.9 }, { 1, 1.0 } }
  for _, step in ipairs(steps) do
    local least, factor = unpack(step)
    if amount >= least then
      return item.price * factor
    end
  end
  return nil, "nothing to sell"
end

function Stock:list(title, order)
  local rows, lines = table.move(self.items, 1, #self.items, 1, {}), {}
  table.sort(rows, order or function(a, b)
    if a.count ~= b.count then
      return a.count > b.count
    end
    return a.price <= b.price
  end)
  lines[1] = title:upper() .. "\n" .. ("-"):rep(#title)
  for _, row in ipairs(rows) do
    lines[#lines + 1] = tostring(row)
  end
  return table.concat(lines, "\n")
end

function Stock:sell(order)
  local total, missing = 0.0, nil
  for name, amount in pairs(order) do
    local item = self.byname[name]
    if not item or item.count < amount then
      missing = missing or {}
      missing[#missing + 1] = name
    else
      local price, problem = discount(item, amount)
      if problem then error({ code = 2, text = problem }) end
      item.count = item.count - amount
      total = total + price * amount
    end
  end
  self.sold = self.sold + total
  return total, missing
end

local receipts = coroutine.wrap(function(stock)
  local number = 0
  while true do
    local order = coroutine.yield(number)
    local fine, total, missing = pcall(stock.sell, stock, order)
    if fine then
      number = number + 1
      print(("no. %d: %.2f"):format(number, total), missing and #missing or "")
    else
      io.stderr:write(type(total) == "table" and total.text or total, "\n")
    end
  end
end)

local shop = Stock.new()
local seeds = [[
apple 0.40 12 fruit
pear 0.55 7 fruit
plum 0.55 7 fruit stone
bread 2.80 5
milk 1.10 7 cold
butter 0.55 7 cold
eggs 0.30 60
tea 4.25 7
]]
for name, price, count, tags in seeds:gmatch("(%a+) ([%d.]+) (%d+) ?([%a ]*)") do
  local words = {}
  for word in tags:gmatch("%a+") do words[#words + 1] = word end
  shop:add(Item(name, tonumber(price), unpack(words)), math.tointeger(count))
end

receipts(shop)
receipts({ apple = 10, tea = 1 })
receipts { eggs = 50, ["milk"] = 2, salt = 1 }

local names = {}
for item in shop:each("fruit") do
  names[#names + 1] = item.name
end
print(table.concat(names, ", "), sum(1, 2, 3))
for _, cold in ipairs { "apple", "pear", "plum", "bread", "milk", "butter", "tea" } do
  shop.byname[cold].count = 7
  shop.byname[cold].price = 0.55
end
print(shop:list("prices"))

-- Sends the requests of a file, over and over: each line is a method, a path and a body, with tabs
-- between them. They are prepared before the measurement, so that wrk only has to send them.
--
--   wrk ... -s replay.lua URL -- FILE MILLISECONDS ['' | check] [KEYS]
--
-- Each thread opens all of its connections and then waits that long, so that the server has accepted them
-- before the first request is timed. The rate covers only the time after that.
--
-- With `check`, which costs wrk time, it inspects every response and counts errors, including GraphQL
-- errors with status 200.
--
-- With KEYS, a prefix, each request gets its own idempotency key.

local ffi = require("ffi")
ffi.cdef [[ int poll(void *descriptors, unsigned long count, int milliseconds); ]]

local threads = {}

function setup(thread)
  -- Each thread begins at a different place in the file.
  thread:set("place", #threads % 2 / 2)
  -- wrk asks the first thread for one request that it doesn't send.
  thread:set("number", #threads)
  thread:set("unsent", #threads == 0 and 1 or 0)
  table.insert(threads, thread)
end

function init(args)
  local headers = {}
  for name, value in pairs(wrk.headers) do
    headers[#headers + 1] = name .. ": " .. value .. "\r\n"
  end
  local shared = table.concat(headers)
  requests = {}
  behind = {}
  keys = args[4]
  sent = 0
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%u+)\t([^\t]+)\t(.*)$")
    local entity = ""
    if body ~= "" then
      entity = "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n"
    end
    requests[#requests + 1] = method .. " " .. path .. " HTTP/1.1\r\n" .. shared
    behind[#requests] = entity .. "\r\n" .. body
    if not keys then
      requests[#requests] = requests[#requests] .. behind[#requests]
    end
  end
  next_request = math.floor(#requests * place)
  refused = 0
  wait = tonumber(args[2])
  connecting = wait
  if args[3] == "check" then
    response = function(status, _, body)
      if status < 200 or status > 299 or body:find('"errors"', 1, true) then
        refused = refused + 1
      end
    end
  end
end

function request()
  if connecting > 0 then
    if unsent == 0 then
      ffi.C.poll(nil, 0, connecting)
      connecting = 0
    end
    unsent = unsent - 1
  end
  next_request = next_request % #requests + 1
  if keys then
    sent = sent + 1
    local key = "Idempotency-Key: " .. keys .. "-" .. number .. "-" .. sent .. "\r\n"
    return requests[next_request] .. key .. behind[next_request]
  end
  return requests[next_request]
end

function done(summary)
  local total = 0
  for _, thread in ipairs(threads) do
    total = total + thread:get("refused")
  end
  print("Refused: " .. total)
  print("Seconds: " .. summary.duration / 1e6 - threads[1]:get("wait") / 1e3)
end

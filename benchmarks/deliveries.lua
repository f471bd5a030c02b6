-- Signed deliveries for wrk. Arguments: a folder with "body" (the payload, a marker where the id stands), "signed" (one
-- "id signature" a line) and "headers" ("name: value" lines); then the first line to send, how many lines to take turns
-- with, and a prefix for GUIDs. Every request has a GUID of its own. Prints one JSON line at the end.

local MARKER = "9000000001"
local parts, ids, signatures, headers = {}, {}, {}, {}
local first_line, lines, guid_prefix, sent = 0, 1, "", 0

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

function init(args)
  local text = read(args[1] .. "/body")
  local from = 1
  while true do
    local first, last = text:find(MARKER, from, true)
    if not first then break end
    parts[#parts + 1] = text:sub(from, first - 1)
    from = last + 1
  end
  parts[#parts + 1] = text:sub(from)
  for id, signature in read(args[1] .. "/signed"):gmatch("(%d+) (%S+)") do
    ids[#ids + 1], signatures[#signatures + 1] = id, signature
  end
  for name, value in read(args[1] .. "/headers"):gmatch("([^:\n]+): ([^\n]+)") do
    headers[name] = value
  end
  first_line, lines, guid_prefix = tonumber(args[2]), tonumber(args[3]), args[4]
end

function request()
  sent = sent + 1
  local entry = first_line + (sent - 1) % lines + 1
  headers["X-Hub-Signature-256"] = signatures[entry]
  headers["X-GitHub-Delivery"] = string.format("%s-0000-4000-8000-%012x", guid_prefix, sent)
  return wrk.format("POST", nil, headers, table.concat(parts, ids[entry]))
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format('{"seconds": %.6f, "answers": %d, "refused": %d, "broken": %d, "p50": %.3f, "p99": %.3f}\n',
    summary.duration / 1e6, summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end

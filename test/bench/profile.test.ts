import { expect, test } from 'vitest';
import { LAYERS, layerOf } from '../../bench/profile/layers.ts';

const JAVASCRIPT = 'JS:*send file:///gateway/packages/http/src/send.ts:10:3';

test.each([
  [
    'a write in the kernel counts for the kernel',
    'kernel: writes',
    ['-copy', '-tcp_sendmsg', 'uv__write', JAVASCRIPT],
  ],
  [
    'other work in the kernel counts for the rest of the kernel',
    'kernel: epoll, reads, other',
    ['-epoll_wait', JAVASCRIPT],
  ],
  [
    'the garbage collector counts for itself',
    'garbage collection',
    ['v8::internal::Scavenger::Process'],
  ],
  ['native code counts for its caller', '`http`, `src`, other packages', ['memcpy', JAVASCRIPT]],
  [
    'our own code counts by its file',
    '`http`, `src`, other packages',
    ['JS:*a file:///g/src/app/a.ts:1:2'],
  ],
  [
    "the data package's code counts by its package",
    '`data`, coalescing',
    ['JS:*a file:///g/packages/data/src/a.ts:1:2'],
  ],
  [
    "the rest package's code counts by its package",
    '`rest`',
    ['JS:*a file:///g/packages/rest/src/serve.ts:1:2'],
  ],
  [
    "the log's code counts by its folder",
    'log',
    ['JS:*a file:///g/packages/ops/src/log/log.ts:1:2'],
  ],
  [
    "the graphql package's code counts by its package",
    'GraphQL: jit, plugins, guards',
    ['JS:*a file:///g/packages/graphql/src/execution/execute.ts:1:2'],
  ],
  [
    "Node's code counts by its module",
    'Node: HTTP',
    ['JS:*writeHead node:_http_server:340:19', JAVASCRIPT],
  ],
  [
    'a dependency counts by its name',
    'pg',
    ['JS:~parse /g/node_modules/pg-protocol/dist/parser.js:9:1', JAVASCRIPT],
  ],
  [
    'an unknown dependency counts as all else',
    'all else',
    ['JS:~x /g/node_modules/x/src/x.js:9:1'],
  ],
])('a profiler sample is assigned to a layer: %s', (_which, layer, symbols) => {
  const stack = symbols.map((symbol) => ({
    symbol: symbol.replace(/^-/, ''),
    isKernel: symbol.startsWith('-'),
  }));
  expect(layerOf(stack)).toBe(layer);
  expect(LAYERS).toContain(layer);
});

import { expect, test } from 'vitest';
import { LAYERS, layerOf } from '../../bench/profile/layers.ts';

const JAVASCRIPT = 'JS:*send file:///gateway/packages/http/src/send.ts:10:3';

test.each([
  ['the kernel for itself', 'kernel: writes', ['-copy', '-tcp_sendmsg', 'uv__write', JAVASCRIPT]],
  ['what else it does', 'kernel: epoll, reads, other', ['-epoll_wait', JAVASCRIPT]],
  ['the collector for itself', 'garbage collection', ['v8::internal::Scavenger::Process']],
  ['native code for its caller', '`http`, `src`, other packages', ['memcpy', JAVASCRIPT]],
  ['ours by its file', '`http`, `src`, other packages', ['JS:*a file:///g/src/app/a.ts:1:2']],
  ["data's by its package", '`data`, coalescing', ['JS:*a file:///g/packages/data/src/a.ts:1:2']],
  ["REST's by its package", '`rest`', ['JS:*a file:///g/packages/rest/src/serve.ts:1:2']],
  ["the log's by its folder", 'log', ['JS:*a file:///g/packages/ops/src/log/log.ts:1:2']],
  [
    "GraphQL's by its package",
    'GraphQL: jit, plugins, guards',
    ['JS:*a file:///g/packages/graphql/src/execution/execute.ts:1:2'],
  ],
  ["Node's by its module", 'Node: HTTP', ['JS:*writeHead node:_http_server:340:19', JAVASCRIPT]],
  ['a dependency', 'pg', ['JS:~parse /g/node_modules/pg-protocol/dist/parser.js:9:1', JAVASCRIPT]],
  ['an unknown one', 'all else', ['JS:~x /g/node_modules/x/src/x.js:9:1']],
])('a sample counts for its layer: %s', (_which, layer, symbols) => {
  const stack = symbols.map((symbol) => ({
    symbol: symbol.replace(/^-/, ''),
    isKernel: symbol.startsWith('-'),
  }));
  expect(layerOf(stack)).toBe(layer);
  expect(LAYERS).toContain(layer);
});

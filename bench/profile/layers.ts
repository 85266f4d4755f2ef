/** A stack frame: the function's name, for JavaScript with its file, and whether it belongs to the kernel. */
export interface Frame {
  readonly symbol: string;
  readonly isKernel: boolean;
}

const WRITE = 'kernel: writes';
const KERNEL = 'kernel: epoll, reads, other';
const COLLECTION = 'garbage collection';
const COMPILING = 'compiling';
const NATIVE = 'Node: parser, streams, native code';
const REST = 'all else';

/** The layer that a JavaScript function belongs to, by its file. */
const OWNERS: readonly (readonly [layer: string, file: RegExp])[] = [
  ['Node: HTTP', /node:(_http|http|internal\/http)/],
  [
    'Node: promises, ticks, timers',
    /node:(timers|async_hooks|internal\/(process|timers|promise|async))/,
  ],
  [NATIVE, / node:/],
  ['`data`, coalescing', /packages\/(data|ops\/src\/coalescing)\//],
  ['`rest`', /packages\/rest\//],
  ['log', /packages\/(ops|gateway)\/src\/log\/|node_modules\/(pino|sonic-boom)/],
  [
    'GraphQL: jit, plugins, guards',
    /packages\/(graphql|resource)\/|node_modules\/(graphql(-jit)?|@pothos)\//,
  ],
  ['`http`, `src`, other packages', /\/packages\/|^(?!.*node_modules).*\/src\//],
  ['Express and its router', /node_modules\/(express|router|finalhandler|body-parser)\//],
  ['Yoga and Envelop', /node_modules\/(graphql-yoga|@envelop|@whatwg-node|@graphql-yoga)\//],
  ['pg', /node_modules\/(pg|pg-[a-z]+|postgres-[a-z]+)\//],
];

/** All layers, in the order of the table. */
export const LAYERS: readonly string[] = [
  ...new Set([WRITE, KERNEL, ...OWNERS.map(([layer]) => layer), COLLECTION, COMPILING, REST]),
];

/**
 * Returns the layer that a stack is attributed to. The innermost frame is given first. A native function is attributed to the
 * JavaScript that calls it.
 */
export function layerOf(stack: readonly Frame[]): string {
  const has = (pattern: RegExp) => stack.some(({ symbol }) => pattern.test(symbol));
  if (stack[0]?.isKernel === true) return has(/sendmsg|sendto|write/) ? WRITE : KERNEL;
  if (has(/v8::internal::.*(Scaveng|Mark|Sweep|Heap::|GarbageCollect)|cppgc/)) return COLLECTION;
  if (
    has(/v8::internal::(compiler|maglev|baseline|Compiler|OptimizingCompile|Turbo|interpreter)/)
  ) {
    return COMPILING;
  }
  const script = stack.find(({ symbol }) => symbol.startsWith('JS:'))?.symbol;
  if (script === undefined) return NATIVE;
  return OWNERS.find(([, file]) => file.test(script))?.[0] ?? REST;
}

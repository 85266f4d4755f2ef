/** A text in a file, and its replacement. */
export interface Replacement {
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** A mechanism that saves or costs CPU time during a request, and how to remove it from a copy of the gateway. */
export interface Mechanism {
  readonly name: string;
  /** What happens to a request without the mechanism. */
  readonly without: string;
  readonly edits: readonly Replacement[];
}

const YOGA = 'packages/graphql/src/yoga-server.ts';
const APP = 'packages/gateway/src/app/app.ts';
const EXECUTION = 'packages/gateway/src/app/fair-execution.ts';
const LISTENER = 'packages/http/src/request-listener.ts';

const BATCHED = `      waiting.push({ input, resolve, reject });
      if (!isScheduled && canSend()) {
        isScheduled = true;
        setImmediate(send);
      }
`;

/** All mechanisms, in the order in which a request passes them. Each copy lacks one of them, and has all others. */
export const MECHANISMS: readonly Mechanism[] = [
  {
    name: 'fair queue',
    without: 'every request starts when it arrives',
    edits: [
      {
        file: 'packages/http/src/request-listener.ts',
        text: '  return queue;\n',
        by: '  return { run: (_client, work) => work(0), turn: () => 0, current: () => 1, charge: () => {}, waiting: () => [] };\n',
      },
    ],
  },
  {
    name: 'limits',
    without:
      'there is no rate limit, no deadline, and no limit on concurrent requests and executions',
    edits: [
      {
        file: LISTENER,
        text: 'createConcurrencyLimit(maximumOpenRequests);',
        by: '() => true;',
      },
      {
        file: 'packages/gateway/src/auth/admission.ts',
        text: 'const limit = limitOf(caller);',
        by: 'const limit = undefined;',
      },
      {
        file: EXECUTION,
        text: 'const points = complexityOf({ schema, ...operation });',
        by: 'const points = 0;',
      },
      { file: EXECUTION, text: 'slots.enter(client, points, timeout - waited);', by: 'true;' },
      { file: EXECUTION, text: '      slots.leave(client, points);\n', by: '' },
      {
        file: EXECUTION,
        text: 'await withDeadline(waitedInAll, execute(operation, request));',
        by: 'await execute(operation, request);',
      },
    ],
  },
  {
    name: 'log',
    without: 'successful requests are not logged',
    edits: [
      {
        file: 'packages/http/src/request-listener.ts',
        text: 'if (!isFailed && durationMs < SLOW_MS && sample < 1 && Math.random() >= sample) {',
        by: 'if (!isFailed) {',
      },
    ],
  },
  {
    name: 'Yoga bypass for known documents',
    without:
      'Yoga handles every GraphQL request, with its own document cache; REST bypasses Yoga anyway',
    edits: [
      {
        file: YOGA,
        text: "      valid.set(params.query ?? '', document);\n",
        by: '',
      },
      {
        file: YOGA,
        text: 'parserAndValidationCache: false,',
        by: 'parserAndValidationCache: true,',
      },
    ],
  },
  {
    name: 'coalesced operations',
    without: 'each request executes its own operation',
    edits: [
      {
        file: 'packages/graphql/src/execution/coalesced-reads.ts',
        text: 'return executeShared(args, shared, JSON.stringify(variables), request);',
        by: 'return executeAlone(args, request);',
      },
    ],
  },
  {
    name: 'mutation log',
    without: 'mutations are not logged',
    edits: [{ file: APP, text: '      onMutation: logMutation,\n', by: '' }],
  },
  {
    name: 'compiled operations',
    without: 'graphql-js executes every operation, and rows are not written as texts either',
    edits: [
      {
        file: 'packages/graphql/src/execution/compiled.ts',
        text: 'if (uses === 2 && isCompilable(schema, document)) {',
        by: 'if (false) {',
      },
    ],
  },
  {
    name: 'rows as texts',
    without: 'each row becomes an object, which the operation resolves and JSON.stringify writes',
    edits: [
      {
        file: 'packages/graphql/src/execution/written-rows.ts',
        text: 'const plan = planRows?.(args);',
        by: 'const plan = undefined;',
      },
    ],
  },
  {
    name: 'batches',
    without: 'each database call is sent immediately, as its own statement',
    edits: [
      {
        file: 'packages/ops/src/coalescing/batcher.ts',
        text: BATCHED,
        by: '      onSend(1);\n      run([{ input, resolve, reject }]).catch(reject);\n',
      },
    ],
  },
  {
    name: 'text queries',
    without: "node-postgres's own query class runs statements",
    edits: [
      {
        file: 'packages/postgres/src/statement.ts',
        text: "if (ownName !== '' && areTexts(values) && LendingPool.runsTexts(database)) {",
        by: 'if (false) {',
      },
    ],
  },
];

/** Replaces a text in a file's source. @throws Error unless the text is there exactly once */
export function replaced(source: string, { file, text, by }: Replacement): string {
  const [head, tail, ...others] = source.split(text);
  if (head === undefined || tail === undefined || others.length > 0) {
    throw new Error(
      `${file} must contain ${JSON.stringify(text)} exactly once: adapt bench/prices/mechanisms.ts`,
    );
  }
  return head + by + tail;
}

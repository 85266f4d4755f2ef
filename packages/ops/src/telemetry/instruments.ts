import type { BatchedRequest } from '../coalescing/batcher.ts';
import type { CounterName, GaugeName, HistogramName, Labels } from './metrics.ts';
import type { IncomingMessage, RequestListener } from 'node:http';

/** A metric's current values: one, or one for each set of labels. */
export type Values = number | Iterable<readonly [value: number, labels: Labels]>;

/** Where the program records its metrics (metrics.ts). */
export interface Recorder {
  /** Adds to a counter. */
  readonly add: (counter: CounterName, value: number, labels?: Labels) => void;
  /** Adds a value to a histogram, in its unit (metrics.ts). */
  readonly record: (histogram: HistogramName, value: number, labels?: Labels) => void;
  /** Registers a function that reads a gauge at each scrape. Values with the same labels are added up. */
  readonly observe: (gauge: GaugeName, read: () => Values) => void;
}

const NO_RECORDER: Recorder = {
  add: () => undefined,
  record: () => undefined,
  observe: () => undefined,
};

/** The process's recorder, a no-op while metrics are off. */
export let recorder = NO_RECORDER;

/** Must be called before anything that should be observed is created. */
export function installRecorder(installed: Recorder = NO_RECORDER): void {
  recorder = installed;
}

/** The path of the route that a request matched, such as `/v1/things/{id}`; undefined if none. */
export type RouteOf = (request: IncomingMessage) => string | undefined;

// Parts of graphql-js's types, which a program without GraphQL doesn't have.

/** @internal The definition of an operation, as graphql-js's `getOperationAST` returns it. */
interface OperationDefinition {
  /** `query` or `mutation`. */
  readonly operation: string;
  readonly name?: { readonly value: string } | undefined;
}

/** @internal A schema of graphql-js. */
interface TracedSchema {
  readonly getQueryType: () => TracedType | null | undefined;
  readonly getMutationType: () => TracedType | null | undefined;
}

/** @internal An object type of graphql-js. */
interface TracedType {
  readonly name: string;
  readonly getFields: () => Readonly<
    Record<string, { readonly name: string; resolve?: ((...args: never[]) => unknown) | undefined }>
  >;
}

/** Runs `start` for all calls with the same key. Calls that share a run get the same promise. */
export type TracedCoalescer<Result> = (
  key: string,
  start: (isAlone: boolean) => Promise<Result>,
) => Promise<Result>;

/** Collects calls, and runs those of a batch window together. */
export type Collect = <Input, Output>(
  run: (requests: readonly BatchedRequest<Input, Output>[]) => Promise<void>,
) => (input: Input) => Promise<Output>;

/** Traces the work on requests, mostly by wrapping functions in spans. Outside a traced request there are no spans. */
export interface Tracer {
  /** A span for each request. Call the listener within the request's log context, which then gets the trace id. */
  readonly requests: (listener: RequestListener, routeOf: RouteOf) => RequestListener;
  /** A span for each operation and each resolved root field. Call it once for a schema. */
  readonly executions: <
    Operation,
    Rest extends readonly unknown[],
    Result extends { readonly errors?: readonly Error[] | undefined },
  >(
    execute: (operation: Operation, ...rest: Rest) => Promise<Result>,
    schema: TracedSchema,
    definitionOf: (operation: Operation) => OperationDefinition | null | undefined,
  ) => (operation: Operation, ...rest: Rest) => Promise<Result>;
  /** A span for each call that joins a run, linked to the call that leads it. */
  readonly coalescer: <Result>(coalesce: TracedCoalescer<Result>) => TracedCoalescer<Result>;
  /** A batch is part of the trace of one of its callers, and linked to the others'. */
  readonly batches: (collect: Collect) => Collect;
  /** A span for a statement of the database. */
  readonly statement: <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;
  /** An event on the current span: whether a statement or the engine answered a call of the database client. */
  readonly databaseCalled: (model: string, operation: string, by: 'statement' | 'engine') => void;
}

const NO_TRACER: Tracer = {
  requests: (listener) => listener,
  executions: (execute) => execute,
  coalescer: (coalesce) => coalesce,
  batches: (collect) => collect,
  statement: (_name, run) => run(),
  databaseCalled: () => undefined,
};

/** The process's tracer, a no-op while traces are off. */
export let tracer = NO_TRACER;

/** Must be called before anything that should be traced is created. */
export function installTracer(installed: Tracer): void {
  tracer = installed;
}

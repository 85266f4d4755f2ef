import type { IncomingMessage, RequestListener } from 'node:http';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';

/** The path of the route that a request has come to, such as `/v1/pets/{petId}`; undefined if to none. */
export type RouteOf = (request: IncomingMessage) => string | undefined;

/** Executes an operation of a valid document. */
export type Execute<Rest extends readonly unknown[]> = (
  operation: {
    readonly document: DocumentNode;
    readonly operationName?: string | null | undefined;
  },
  ...rest: Rest
) => Promise<ExecutionResult>;

/** Runs `start` for whoever asks under a key; all who share it get the one promise. */
export type Share<Result> = (key: string, start: () => Promise<Result>) => Promise<Result>;

export interface Call<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects calls, and runs those of a moment together. */
export type Collect = <Input, Output>(
  run: (calls: readonly Call<Input, Output>[]) => Promise<void>,
) => (input: Input) => Promise<Output>;

/**
 * What wraps the work on a request so that it is traced. Each gives what does the same as what it is given,
 * and a span for it besides. Of what isn't part of a traced request there are no spans.
 */
export interface Tracing {
  /** A span for each request. To be called within its log (packages/http-server/src/request-log.ts), which it tells the trace. */
  readonly requests: (listener: RequestListener, routeOf: RouteOf) => RequestListener;
  /** A span for each operation, and one for each root field that is resolved. To be called once for a schema. */
  readonly executions: <Rest extends readonly unknown[]>(
    execute: Execute<Rest>,
    schema: GraphQLSchema,
  ) => Execute<Rest>;
  /** A span for each who joins what another leads, with a link to that one's. */
  readonly flights: <Result>(share: Share<Result>) => Share<Result>;
  /** What is run is part of the trace of one of its callers, and linked to the others'. */
  readonly batches: (collect: Collect) => Collect;
  /** A span for a statement of the database. */
  readonly statement: <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;
}

/**
 * Whoever traces, or nobody: then all is used as it is, and to ask for it is what it costs. There is one
 * process, and so one of these, as there is one log.
 */
export let tracing: Tracing | undefined;

/** To be called before anything is made that is to be traced. */
export function traceBy(tracer: Tracing): void {
  tracing = tracer;
}

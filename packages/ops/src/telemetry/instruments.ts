import type { IncomingMessage, RequestListener } from 'node:http';
import type { BatchedRequest } from '../coalescing/batcher.ts';

/** The labels of a metric. Each has few possible values, and is never a key, an address or a client's text. */
export type Labels = Readonly<Record<string, string | number>>;

/** Bucket boundaries in seconds, from half a millisecond to longer than any request takes. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/**
 * @param known the label values that are exported as 0 from the start, because Prometheus sees no increase in a series that
 *   begins with its first event
 */
const counter = (description: string, known: readonly Labels[] = []) =>
  ({ kind: 'counter', description, known }) as const;

/** Defines a counter that is read at each scrape, like a gauge. */
const readCounter = (description: string) => ({ kind: 'read counter', description }) as const;

/** How the values of a gauge are combined if several processes are scraped as one. Defaults to their sum. */
export type Aggregation = 'sum' | 'maximum' | 'minimum';

const gauge = (description: string, aggregation: Aggregation = 'sum') =>
  ({ kind: 'gauge', description, aggregation }) as const;
const histogram = (description: string, buckets = DURATION_BUCKETS) =>
  ({ kind: 'histogram', description, buckets }) as const;

/**
 * Metrics whose names follow the conventions of OpenTelemetry for HTTP servers, databases, Node and V8
 * (https://opentelemetry.io/docs/specs/semconv/), or those of Prometheus for processes
 * (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
 */
const CONVENTIONAL = {
  http_server_request_duration_seconds: histogram(
    'Time from the headers of a request to the end of its response.',
  ),
  http_server_active_requests: gauge('Requests in flight.'),
  http_server_active_requests_max: gauge('Maximum number of concurrent requests.'),
  http_server_open_connections: gauge('Open client connections.'),
  http_server_open_connections_max: gauge(
    'Maximum number of open client connections; more are rejected.',
  ),
  db_client_operation_duration_seconds: histogram(
    'Time that a statement took, including the wait for a connection.',
  ),
  // OpenTelemetry's db_client_connection_count, without the suffix that Prometheus reserves for histograms.
  db_client_connections: gauge('Database connections, by whether a statement uses them.'),
  db_client_connection_max: gauge('Maximum number of database connections.'),
  db_client_connection_pending_requests: gauge('Statements waiting for a connection.'),
  process_start_time_seconds: gauge('When the process started, in seconds since 1970.', 'maximum'),
  process_resident_memory_bytes: gauge('Memory of the process.'),
  process_cpu_seconds_total: readCounter('CPU time of the process, including all its threads.'),
  v8js_memory_heap_used_bytes: gauge('Memory used by JavaScript.', 'maximum'),
  v8js_memory_heap_limit_bytes: gauge(
    'Limit of the memory used by JavaScript; the process ends when it is exceeded.',
    'maximum',
  ),
  v8js_gc_duration_seconds: histogram('Time spent on garbage collection.', [0.001, 0.01, 0.1, 1]),
  nodejs_eventloop_time_seconds_total: readCounter('Time that the event loop was active or idle.'),
  nodejs_eventloop_delay_p50_seconds: gauge(
    'Event loop delay since the last scrape: p50.',
    'maximum',
  ),
  nodejs_eventloop_delay_p99_seconds: gauge(
    'Event loop delay since the last scrape: p99.',
    'maximum',
  ),
  nodejs_eventloop_delay_max_seconds: gauge(
    'Event loop delay since the last scrape: max.',
    'maximum',
  ),
};

/** All other metrics, exported with the service's prefix. */
const OWN = {
  build_info: gauge('Always 1; the labels identify the program.', 'maximum'),
  ready: gauge(
    'Last result of /readyz: 1 is ready, 0 is not; missing until it is probed.',
    'minimum',
  ),
  unread_requests_total: counter(
    'Input that was not a valid HTTP request, by the status of the response.',
    [400, 405, 408, 431, 501, 'none'].map((status) => ({ http_response_status_code: status })),
  ),
  authentications_total: counter(
    'Requests that needed a key, by the outcome of the check.',
    ['ok', 'no_key', 'malformed', 'unknown', 'expired', 'rate_limited'].map((outcome) => ({
      outcome,
    })),
  ),
  forbidden_requests_total: counter('Requests that were forbidden (403), by the id of the key.', [
    { key_id: 'none' },
  ]),
  request_wait_seconds_total: counter(
    'Time that requests spent in the queue, by the id of the key.',
    [{ key_id: 'none' }],
  ),
  waiting_requests: gauge('Queued requests, by the id of the key.'),
  shared_calls_total: counter(
    'Calls that can be coalesced, by whether they were executed (led) or shared the result of another (joined).',
    ['operations', 'statements'].flatMap((place) =>
      ['led', 'joined'].map((role) => ({ place, role })),
    ),
  ),
  statement_calls: histogram('Calls batched into one statement.', [1, 2, 4, 8, 16, 32]),
  database_calls_total: counter(
    'Database client calls, by what answered them: a prepared statement or the ORM.',
  ),
  replica_reads_total: counter(
    'Reads that replicas may answer, by what answered them, and by the reason if no replica did.',
    [
      { answered_by: 'replica', miss: 'none' },
      ...['ahead', 'behind', 'failed', 'refused', 'slow', 'unavailable'].map((miss) => ({
        answered_by: 'primary',
        miss,
      })),
    ],
  ),
  deprecated_calls_total: counter('Uses of deprecated parts of the API, by the id of the key.'),
  deprecated_field_removal_timestamp_seconds: gauge(
    'When the deprecated part of the API will be removed, in seconds since 1970.',
    'maximum',
  ),
  log_lines_dropped_total: readCounter('Log lines dropped because they were not read in time.'),
  workers: gauge('Worker processes that serve requests.'),
  worker_deaths_total: readCounter('Worker processes that exited unexpectedly or hung.'),
  worker_hangs_total: readCounter(
    'Worker processes that were killed because they did not respond.',
  ),
};

/** All metrics. */
export const METRICS = { ...CONVENTIONAL, ...OWN };

/** The names in METRICS, without a service's prefix. */
type MetricName = keyof typeof METRICS;

/** The names of the metrics of a kind. */
type NameOf<Kind extends string> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** The names of counters. */
type CounterName = NameOf<'counter'>;
/** The names of metrics that are read at each scrape. */
type GaugeName = NameOf<'gauge' | 'read counter'>;
/** The names of histograms. */
type HistogramName = NameOf<'histogram'>;

/** Returns the name under which a metric is exported. */
export function exportedName(name: string, prefix: string): string {
  return name in OWN ? prefix + name : name;
}

/** A metric's current values: a single one, or one for each set of labels. */
export type Values = number | Iterable<readonly [value: number, labels: Labels]>;

/** Records the program's metrics. */
export interface Recorder {
  /** Adds to a counter. */
  readonly add: (counter: CounterName, value: number, labels?: Labels) => void;
  /** Adds a value to a histogram, in its unit. */
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

/** Installs the process's recorder. Must be called before creating anything that should be observed. */
export function installRecorder(installed: Recorder = NO_RECORDER): void {
  recorder = installed;
}

/** Returns the path of the route that a request matched, such as `/v1/things/{id}`; undefined if it matched none. */
export type RouteOf = (request: IncomingMessage) => string | undefined;

// Copies of parts of graphql-js's types, because a program without GraphQL doesn't install graphql-js.

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

/** Calls `start` once for all concurrent calls with the same key. Calls that share a run get the same promise. */
export type TracedCoalescer<Result> = (
  key: string,
  start: (isAlone: boolean) => Promise<Result>,
) => Promise<Result>;

/** Collects calls, and runs those of a batch window together. */
export type Collect = <Input, Output>(
  run: (requests: readonly BatchedRequest<Input, Output>[]) => Promise<void>,
) => (input: Input) => Promise<Output>;

/** Traces the work on requests, mostly by wrapping functions in spans. Outside a traced request, no spans are created. */
export interface Tracer {
  /** Adds a span for each request. The listener must be called within the request's log context, which then gets the trace id. */
  readonly requests: (listener: RequestListener, routeOf: RouteOf) => RequestListener;
  /** Adds a span for each operation and each resolved root field. Call it once for each schema. */
  readonly executions: <
    Operation,
    Rest extends readonly unknown[],
    Result extends { readonly errors?: readonly Error[] | undefined },
  >(
    execute: (operation: Operation, ...rest: Rest) => Promise<Result>,
    schema: TracedSchema,
    definitionOf: (operation: Operation) => OperationDefinition | null | undefined,
  ) => (operation: Operation, ...rest: Rest) => Promise<Result>;
  /** Adds a span for each call that joins a run, with a link to the leading call's span. */
  readonly coalescer: <Result>(coalesce: TracedCoalescer<Result>) => TracedCoalescer<Result>;
  /** Makes a batch part of the trace of one of its callers, and links it to the others'. */
  readonly batches: (collect: Collect) => Collect;
  /** Adds a span for a database statement. */
  readonly statement: <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;
  /** Records in the current span whether a statement or the engine handled a database client call. */
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

/** Installs the process's tracer. Must be called before creating anything that should be traced. */
export function installTracer(installed: Tracer): void {
  tracer = installed;
}

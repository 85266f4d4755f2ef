import type { Gateway } from '../gateway.ts';

/** What `npm start -- --help` prints. */
export function helpOf({ title, description }: Gateway): string {
  return `Runs the ${title}: ${description} over GraphQL and REST, until Ctrl-C or SIGTERM.

  npm start

It takes no arguments, but environment variables; an empty one counts as unset:

  PORT                       TCP port, by default 4000; 0 is any free one, which the log tells
  HOST                       address to listen on, by default 127.0.0.1
  WORKERS                    processes that serve, by default 1: a number, or auto for one on each core
  WORKER_TIMEOUT             seconds without a sign of life after which one of several workers is replaced, by
                             default 5
  PUBLIC_URL                 where clients reach the service, such as https://shop.example/store, for absolute links;
                             by default they are relative to the request
  DATABASE_URL               a PostgreSQL, 14 or newer, instead of the embedded one
  DATABASE_DIRECT_URL        where migrations reach that PostgreSQL if DATABASE_URL leads to a pooler
  DATABASE_REPLICA_URLS      streaming replicas of it that answer reads, separated by spaces; by default none. No
                             read is stale
  DATA_DIR                   folder of the embedded PostgreSQL, by default data
  MIGRATE                    on (the default), or off: expects that npm run migrate was run, and needs only
                             to read and write rows
  POOL_SIZE                  maximum of connections to the database, by default 12: 2 for keys, half of the
                             others for writes
  METRICS_PORT               TCP port of Prometheus metrics, at /metrics; by default none
  METRICS_HOST               address of the metrics, by default 127.0.0.1; they need no key
  OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT
                             where traces go, by default nowhere; OpenTelemetry's other variables apply
  LOG_LEVEL                  fatal, error, warn, info (the default), debug, trace or silent
  MAX_CONNECTIONS            concurrent connections, by default 4000
  MAX_OPEN_REQUESTS          concurrent requests, by default 1000; any more get 503. One key may have half of
                             them; a tenth may come without a key
  RATE_LIMIT                 requests of each key, as a burst and the seconds in which the quota refills: by
                             default 60000/60s; or off
  FAILED_AUTH_LIMIT          the same for requests with invalid keys, of each client address: by default
                             60/60s; or off
  TRUSTED_PROXIES            proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8 or loopback,
                             separated by commas; by default none
  CORS_ORIGINS               origins whose pages may call it from a browser, such as https://shop.example,
                             separated by commas; * for all, by default none
  GRAPHQL_INTROSPECTION      on (the default), or off: GraphQL hides its schema
  GRAPHQL_TRUSTED_DOCUMENTS  also (the default), or only: GraphQL runs trusted documents only; see
                             npm run documents -- --help

Health checks are at /livez and /readyz, without a key. SIGTERM or Ctrl-C shuts down gracefully: in-flight
requests finish first, within 10 s. A second one exits at once, with code 130 or 143; the embedded
PostgreSQL keeps running then, and the next start takes it over. With several WORKERS, SIGHUP replaces them
one after the other, without a failed request.

Exit codes: 0 stopped, 1 failed, 2 usage error.
`;
}

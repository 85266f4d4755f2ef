/** Series of a process, and the alert in deploy/prometheus-alerts.yml that fires for them. */

const JOB = 'animal-store-gateway';
const series = (name: string, labels = '') => `${name}{job="${JOB}",instance="a"${labels}}`;
const answers = (status: number) =>
  series('http_server_request_duration_seconds_count', `,http_response_status_code="${status}"`);
const failedBesideData = series(
  'http_server_request_duration_seconds_count',
  ',http_response_status_code="294",error_type="SERVICE_UNAVAILABLE"',
);
const within = (seconds: string) =>
  series('http_server_request_duration_seconds_bucket', `,surface="rest",le="${seconds}"`);
const unread = (status: string) =>
  series('animal_store_unread_requests_total', `,http_response_status_code="${status}"`);
export const authentications = (outcome: string) =>
  series('animal_store_authentications_total', `,outcome="${outcome}"`);
const forbidden = (keyId: string) =>
  series('animal_store_forbidden_requests_total', `,key_id="${keyId}"`);
export const UP = series('up');
const READY = series('animal_store_ready');
const PENDING = series(
  'db_client_connection_pending_requests',
  ',db_client_connection_pool_name="writes"',
);
const DEATHS = series('animal_store_worker_deaths_total');
const readsBy = (server: string, miss: string) =>
  series('animal_store_replica_reads_total', `,answered_by="${server}",miss="${miss}"`);
const DELAY = series('nodejs_eventloop_delay_p99_seconds');
export const DEPRECATED = series('animal_store_deprecated_calls_total', ',field="pet",key_id="7"');
export const REMOVAL = series(
  'animal_store_deprecated_field_removal_timestamp_seconds',
  ',field="pet"',
);

export const DAY = 86_400;
/** An hour's values, one per minute, by series: `a+bxn` is a followed by n more, each larger by b. */
export type Values = Readonly<Record<string, string>>;

/** Everything works, but with the worst values that trigger no alert. */
export const WELL: Values = {
  [UP]: '1x60',
  [READY]: '1x60',
  [answers(200)]: '0+300x60',
  [answers(404)]: '0+300x60',
  [answers(503)]: '0+6x60',
  [answers(294)]: '0x60',
  [within('0.25')]: '0+300x60',
  [within('0.5')]: '0+600x60',
  [within('1')]: '0+606x60',
  [within('+Inf')]: '0+606x60',
  [unread('400')]: '0+60x60',
  [unread('none')]: '0x60',
  [PENDING]: '9 9 9 0 '.repeat(15),
  [DELAY]: '0.3 0.3 0.3 0.3 0.01 '.repeat(12),
  [DEATHS]: '0x15 1x15 2x30',
  [readsBy('replica', 'none')]: '0+300x60',
  [readsBy('primary', 'behind')]: '0+300x60',
  [authentications('ok')]: '0+600x60',
  [authentications('unknown')]: '0+60x60',
  [forbidden('7')]: '0+9x60',
  [forbidden('none')]: '0x60',
  [DEPRECATED]: '0+1x60',
  [REMOVAL]: `${31 * DAY}x60`,
};

export interface Trouble {
  readonly alert: string;
  readonly when: string;
  /** The values that differ from `WELL` from the 21st minute on. */
  readonly values: Values;
  /** The minutes at which the alert does not fire yet, and at which it does. */
  readonly minutes: readonly [quiet: number, fires: number];
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

const critical = { severity: 'critical', job: JOB };
const warning = { severity: 'warning', job: JOB };

export const TROUBLES: readonly Trouble[] = [
  {
    alert: 'AnimalStoreDown',
    when: 'Prometheus has not reached a process for a minute',
    values: { [UP]: '1x20 0x39' },
    minutes: [21, 22],
    labels: { ...critical, instance: 'a' },
    summary: 'The Animal Store Gateway a cannot be reached',
  },
  {
    alert: 'AnimalStoreUnknown',
    when: 'Prometheus has no targets for the service',
    values: { [UP]: '1x20 stale' },
    minutes: [21, 22],
    labels: critical,
    summary: 'Prometheus has no targets for the Animal Store Gateway',
  },
  {
    alert: 'AnimalStoreNotReady',
    when: 'a process has not been ready for a minute',
    values: { [READY]: '1x20 0x39' },
    minutes: [21, 22],
    labels: { ...critical, instance: 'a' },
    summary: 'The Animal Store Gateway a is not ready',
  },
  {
    alert: 'AnimalStoreFailing',
    when: 'more than one in a hundred requests fails',
    values: { [answers(503)]: '0+6x20 146+26x39', [failedBesideData]: '0x20 34+34x39' },
    minutes: [21, 30],
    labels: critical,
    summary: '9.091% of all responses report a failure of the service',
  },
  {
    alert: 'AnimalStoreConnectionsDropped',
    when: 'a connection is closed without a response',
    values: { [unread('none')]: '0x20 1x39' },
    minutes: [20, 21],
    labels: { ...critical, instance: 'a', http_response_status_code: 'none' },
    summary:
      'The Animal Store Gateway a is at its connection limit, and closes new connections without a response',
  },
  {
    alert: 'AnimalStoreSlow',
    when: 'one in a hundred requests takes more than half a second',
    values: { [within('0.5')]: '0+600x20 12590+590x39' },
    minutes: [30, 40],
    labels: { severity: 'warning', surface: 'rest' },
    summary: 'The p99 latency of rest is 810.6ms',
  },
  {
    alert: 'AnimalStoreWaitsForConnections',
    when: 'statements have been waiting throughout five minutes',
    values: { [PENDING]: '0x20 9x39' },
    minutes: [24, 26],
    labels: { ...warning, instance: 'a', db_client_connection_pool_name: 'writes' },
    summary:
      'Statements of a have been waiting for a database connection for 5 minutes (pool: writes)',
  },
  {
    alert: 'AnimalStoreEventLoopLate',
    when: 'the event loop has been delayed for five minutes',
    values: { [DELAY]: '0.05x20 0.3x39' },
    minutes: [25, 26],
    labels: { ...warning, instance: 'a' },
    summary: 'The p99 event loop delay of a is 300ms',
  },
  {
    alert: 'AnimalStoreWorkersLost',
    when: 'three workers are lost within 15 minutes',
    values: { [DEATHS]: '0x20 1 2 3 4 4x35' },
    minutes: [22, 25],
    labels: { ...warning, instance: 'a' },
    summary: 'Workers of the Animal Store Gateway a keep dying or hanging',
  },
  {
    alert: 'AnimalStoreReplicasLeftOut',
    when: 'most reads that replicas should serve go to the primary',
    values: {
      [readsBy('replica', 'none')]: '0+300x20 6000x39',
      [readsBy('primary', 'behind')]: '0+300x20 6300+600x39',
    },
    minutes: [30, 40],
    labels: { ...warning, instance: 'a' },
    summary: '100% of the reads of a that replicas should serve go to the primary',
  },
  {
    alert: 'AnimalStoreKeysRefused',
    when: 'many requests have no valid key',
    values: { [authentications('unknown')]: '0+60x20 1320+120x39' },
    minutes: [30, 40],
    labels: warning,
    summary: '16.67% of the requests that need a key have no valid key',
  },
  {
    alert: 'AnimalStoreRequestsForbidden',
    when: 'a key sends more than ten forbidden requests a minute',
    values: { [forbidden('7')]: '0+9x20 192+12x39' },
    minutes: [30, 40],
    labels: { ...warning, key_id: '7' },
    summary: 'The key 7 sends 12 forbidden requests a minute',
  },
  {
    alert: 'AnimalStoreDeprecatedCallsNearRemoval',
    when: 'a key first calls a field that will soon be removed',
    values: { [DEPRECATED]: '_x21 1x39', [REMOVAL]: `${29 * DAY}x60` },
    minutes: [20, 21],
    labels: { severity: 'warning', field: 'pet', key_id: '7' },
    summary: 'The key 7 still calls pet, which will be removed within 30 days',
  },
];

/** What deploy/cluster sets, and what Patroni and PostgreSQL do by default: docs/results/failover.md has what both achieved. */
export const PATRONI_DEFAULTS = {
  'ttl: 6': 'ttl: 30',
  'loop_wait: 1': 'loop_wait: 10',
  'retry_timeout: 2': 'retry_timeout: 10',
  'failsafe_mode: true': 'failsafe_mode: false',
  'synchronous_node_count: 2': 'synchronous_node_count: 1',
  'use_slots: false': 'use_slots: true',
  'wal_retrieve_retry_interval: 500ms': 'wal_retrieve_retry_interval: 5s',
};

/** Likewise, and how Patroni's documentation sets HAProxy up. */
export const HAPROXY_DEFAULTS = {
  'timeout connect 500ms': 'timeout connect 4s',
  'timeout check 1s': 'timeout check 5s',
  'inter 500ms fall 2 rise 1': 'inter 3s fall 3 rise 2',
};

import { expect, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test.each([
  [ENDPOINT],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }],
  [{ OTEL_TRACES_EXPORTER: 'console' }],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
])('%j turns traces on', (env) => {
  expect(readConfig(env).tracing).toBe(true);
});

test.each([
  [{}],
  [{ OTEL_SERVICE_NAME: 'shop' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
])('%j turns no traces on', (env) => {
  expect(readConfig(env).tracing).toBe(false);
});

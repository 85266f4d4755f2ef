import { expect, test } from 'vitest';
import { exportedName, METRICS } from '@store-gateway/telemetry/metrics';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { checkMetrics } from './support/promtool.ts';

const { metricsUrl, send } = await startMeasuredGateway();

/** Of several workers, or of what a service does seldom: those have no series here. */
function withoutSeries(body: string): string {
  return Object.entries(METRICS)
    .map(([name, metric]) => ({ ...metric, name: exportedName(name, 'animal_store_') }))
    .filter(({ name }) => !body.includes(`# TYPE ${name} `))
    .map(({ name, kind, description }) => {
      const series = kind === 'histogram' ? `${name}_sum 1\n${name}_count 1\n` : `${name} 1\n`;
      const type = kind === 'read counter' ? 'counter' : kind;
      const bucket = kind === 'histogram' ? `${name}_bucket{le="+Inf"} 1\n` : '';
      return `# HELP ${name} ${description}\n# TYPE ${name} ${type}\n${bucket}${series}`;
    })
    .join('');
}

test('promtool finds no fault with the metrics', async () => {
  expect(await send('/v1/pets')).toBe(200);
  const body = await (await fetch(metricsUrl)).text();
  expect(body).toContain('# TYPE http_server_request_duration_seconds histogram\n');
  expect(await checkMetrics(body + withoutSeries(body))).toBe('');
});

test('promtool finds faults', async () => {
  expect(await checkMetrics('# TYPE pets_count gauge\npets_count 1\n')).toContain('pets_count');
});

import { expect, test } from 'vitest';
import { exportedName, METRICS } from '@store-gateway/ops';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { checkMetrics } from './support/promtool.ts';

const { metricsUrl, send } = await startMeasuredGateway();

/** Of several workers, or of what a service does seldom: those have no series here. */
function withoutSeries(body: string): string {
  return Object.entries(METRICS)
    .map(([name, { kind, description }]) => {
      const exported = exportedName(name, 'animal_store_');
      const type = kind === 'read counter' ? 'counter' : kind;
      const comments = `# HELP ${exported} ${description}\n# TYPE ${exported} ${type}\n`;
      const buckets = `${exported}_bucket{le="+Inf"} 1\n${exported}_sum 1\n${exported}_count 1\n`;
      return body.includes(`# TYPE ${exported} `)
        ? ''
        : comments + (kind === 'histogram' ? buckets : `${exported} 1\n`);
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

import { seriesIn } from './prometheus-text.ts';
import type { Service } from './service.ts';

/** How many reads of a gateway with a METRICS_PORT replicas have answered. */
export async function answeredByReplicas({ child }: Pick<Service, 'child'>): Promise<number> {
  const line = await child.line('stdout', (text) => text.includes('"msg":"metrics"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  const series = seriesIn(await (await fetch(url)).text());
  return series
    .filter(
      ({ name, labels }) =>
        name.endsWith('replica_reads_total') && labels['answered_by'] === 'replica',
    )
    .reduce((sum, { value }) => sum + value, 0);
}

import { measured, type Measured } from './measured.ts';
import { firstKey, startService, type Service } from './service.ts';

export interface MeasuredService extends Service, Measured {}

/** The service as a process of its own that is measured. */
export async function startMeasuredService(
  env: NodeJS.ProcessEnv,
  start = startService,
): Promise<MeasuredService> {
  const service = await start({ METRICS_PORT: '0', ...env });
  const line = (predicate: (text: string) => boolean) => service.child.line('stdout', predicate);
  const told = await line((text) => text.includes('"msg":"metrics"'));
  const [, metricsUrl = ''] = /"url":"([^"]+)"/.exec(told) ?? [];
  const key = await firstKey(service);
  return { ...service, ...measured({ url: service.url, key, metricsUrl, line }) };
}

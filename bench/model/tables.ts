import { count } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import type { Work } from '../load/calls.ts';
import type { Costs } from './costs.ts';
import type { Prediction } from './predict.ts';
import type { Scaled } from './scaling.ts';
import type { Sizing } from './sizing.ts';

/** The parameters of the model. */
export function costsTable(costs: ReadonlyMap<Work, Costs>): string {
  const names = ['request', 'statement', 'crowd', 'execution', 'row', 'wait'] as const;
  const rows = [...costs].map(([work, own]) =>
    [work as string].concat(names.map((name) => own[name].toFixed(own[name] < 10 ? 2 : 0))),
  );
  return markdownTable(['µs', ...names], rows, 'lrrrrrr');
}

/** What was measured, and what the model makes of it. */
export function predictionsTable(predictions: readonly Prediction[]): string {
  const rows = predictions.map(({ measured, predicted, isFitted, error }) => [
    measured.work,
    count(measured.workers),
    count(measured.connections),
    count(measured.requestsPerSecond),
    count(predicted.requestsPerSecond),
    `${error < 0 ? '−' : '+'}${Math.abs(error * 100).toFixed(0)} %`,
    predicted.batch.toFixed(1),
    count(measured.gatewayCpu),
    count(predicted.gatewayCpu),
    count(measured.databaseCpu),
    count(predicted.databaseCpu),
    isFitted ? 'fitted' : '',
  ]);
  const header = ['work', 'processes', 'connections', 'req/s', 'predicted', 'error', 'batch'];
  const cpu = ['gateway µs', 'predicted', 'PostgreSQL µs', 'predicted', ''];
  return markdownTable([...header, ...cpu], rows, 'lrrrrrrrrrrl');
}

/** Larger machines. */
export function scalingTable(scaled: readonly Scaled[]): string {
  const rows = scaled.map(({ work, cores, isApart, clientsPerWorker, outcome, unbatched }) => [
    work,
    count(cores),
    isApart ? 'apart, 1 ms' : 'same machine',
    count(clientsPerWorker),
    count(outcome.requestsPerSecond),
    outcome.batch.toFixed(1),
    `${(outcome.requestsPerSecond / unbatched).toFixed(2)} ×`,
    outcome.p50.toFixed(1),
    outcome.gatewayCpu.toFixed(0),
    outcome.databaseCpu.toFixed(1),
  ]);
  const header = ['work', 'cores', 'PostgreSQL', 'clients a worker', 'req/s', 'batch'];
  const more = ['÷ unbatched', 'p50 ms', 'gateway µs', 'PostgreSQL µs'];
  return markdownTable([...header, ...more], rows, 'lrlrrrrrrr');
}

/** How many machines so many requests take. */
export function sizingTable(sizings: readonly Sizing[]): string {
  const rows = sizings.map((sizing) => [
    count(sizing.requestsPerSecond),
    ...sizing.batchOfWorks.map((batch) => batch.toFixed(1)),
    count(Math.ceil(sizing.processes)),
    count(Math.ceil(sizing.primaryCores)),
    count(Math.ceil(sizing.replicaCores)),
  ]);
  const header = [
    'req/s, 20 % creates',
    'pages a batch',
    'creates a batch',
    'processes',
    'primary cores',
    'replica cores',
  ];
  return markdownTable(header, rows, 'rrrrrr');
}

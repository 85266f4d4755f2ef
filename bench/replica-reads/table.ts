import { median } from '../figures/medians.ts';
import { milliseconds, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { CELLS, type Cell, type Sample } from './cells.ts';

const HEADER = [
  'creates/s',
  'pages',
  'replicas',
  'by replicas',
  'primary µs/page',
  '÷ alone',
  'replicas µs/page',
  'p50 ms',
  'p99 ms',
];

/** The medians of what was measured, and the primary's CPU time compared with a primary alone. */
export function tableOf(samples: readonly Sample[]): string {
  const medianOf = (of: Cell, figure: Exclude<keyof Sample, 'cell'>) =>
    median(
      samples
        .filter(
          ({ cell }) =>
            cell.creates === of.creates && cell.pages === of.pages && cell.replicas === of.replicas,
        )
        .map((sample) => sample[figure]),
    ) ?? 0;
  const rows = CELLS.map((cell) => {
    const alone = { ...cell, replicas: 0 };
    return [
      String(cell.creates),
      String(cell.pages),
      String(cell.replicas),
      `${Math.round(medianOf(cell, 'share') * 100)} %`,
      medianOf(cell, 'primaryCpu').toFixed(1),
      ratio(medianOf(cell, 'primaryCpu') / medianOf(alone, 'primaryCpu')),
      medianOf(cell, 'replicaCpu').toFixed(1),
      milliseconds(medianOf(cell, 'p50')),
      milliseconds(medianOf(cell, 'p99')),
    ];
  });
  return markdownTable(HEADER, rows, 'r'.repeat(HEADER.length));
}

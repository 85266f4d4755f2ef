import { medianFigure, medianRatio, samplesOf } from '../figures/medians.ts';
import { type Cell, cellName, type Figures, type Sample } from '../figures/sample.ts';
import { OURS } from '../plan.ts';
import type { Surface } from '../load/requests.ts';
import { count, milliseconds, ratio } from './format.ts';
import { markdownTable, type Row } from './markdown-table.ts';

const HEADER =
  'workload|conn.|server|req/s|ours ÷ it|p50 ms|p99 ms|errors|CPU µs|PG CPU µs|RSS MiB|PSS MiB'.split(
    '|',
  );
const ALIGNMENT = 'lrlrrrrrrrrr';

/**
 * The measurements of all servers on a surface, with a row for each cell; empty if there are none.
 *
 * @param off names of cells that were measured at an unusual machine speed, which are marked
 */
export function resultsTable(
  samples: readonly Sample[],
  surface: Surface,
  off: ReadonlySet<string> = new Set(),
): string {
  const rows = cellsOf(samples)
    .filter((cell) => cell.surface === surface && !cell.server.startsWith('growth-'))
    .map((cell) => resultRow(samples, cell, off.has(cellName(cell))));
  return rows.length === 0 ? '' : markdownTable(HEADER, rows, ALIGNMENT);
}

/** The gateway's measurements on tables of different sizes; empty if there are none. */
export function growthTable(samples: readonly Sample[]): string {
  const growth = cellsOf(samples).filter(({ server }) => server.startsWith('growth-'));
  const rows = growth.map((cell): Row => {
    const { server, surface, workload } = cell;
    const smallest = growth.find(
      (other) => other.surface === surface && other.workload === workload,
    );
    const time = smallest && medianRatio(samples, smallest, cell, 'requestsPerSecond');
    const figure = figuresOf(samples, cell);
    const pets = count(Number(server.replace('growth-', '')));
    const rate = count(figure('requestsPerSecond'));
    const times = [ratio(time), milliseconds(figure('p50')), milliseconds(figure('p99'))];
    return [surface, workload, pets, rate].concat(times);
  });
  const header = ['surface', 'workload', 'animals', 'req/s', 'time', 'p50 ms', 'p99 ms'];
  return rows.length === 0 ? '' : markdownTable(header, rows, 'llrrrrr');
}

function resultRow(samples: readonly Sample[], cell: Cell, isOff: boolean): Row {
  const { workload, connections, server } = cell;
  const figure = figuresOf(samples, cell);
  const ours = { ...cell, server: OURS };
  const compared =
    server === OURS ? undefined : medianRatio(samples, ours, cell, 'requestsPerSecond');
  const errors = samplesOf(samples, cell).reduce((sum, sample) => sum + sample.errors, 0);
  const usage = (['serverCpu', 'databaseCpu', 'rss', 'pss'] as const).map((name) =>
    count(figure(name)),
  );
  return [
    isOff ? `${workload} *` : workload,
    String(connections),
    server,
    count(figure('requestsPerSecond')),
    ratio(compared),
    milliseconds(figure('p50')),
    milliseconds(figure('p99')),
    count(errors),
    ...usage,
  ];
}

function figuresOf(samples: readonly Sample[], cell: Cell) {
  return (name: keyof Figures) => medianFigure(samples, cell, name);
}

/** The cells of the first round, in their order: with ours first, and sizes ascending. */
function cellsOf(samples: readonly Sample[]): readonly Cell[] {
  return [...new Map(samples.map(({ cell }) => [cellName(cell), cell])).values()];
}

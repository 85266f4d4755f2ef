import { medianFigure, samplesOf } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import type { Workload } from '../load/calls.ts';
import { measureRounds } from '../measure-rounds.ts';
import { bundle } from '../processes/bundle.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { ROOT } from '../root.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { startBothDatabases } from './subjects.ts';

const HELP = `Compares the CPU time of a REST request on Citus with that on PostgreSQL alone, and prints a table.

  npm run --silent citus --prefix bench -- --rounds 5

It measures a coordinator and two workers with four shards, and PostgreSQL of the same version, with 100,000
animals. It needs Citus for PostgreSQL 15, or a tar of its files in CITUS_ARCHIVE.
`;

/** The measured workloads, and their names in the table. */
const WORKLOADS: readonly (readonly [workload: Workload, name: string])[] = [
  ['by-id', 'list'],
  ['mixed', 'filtered list'],
  ['get', 'get'],
  ['create', 'create'],
  ['keyed-create', 'create with a key'],
  ['change', 'change'],
];

const CONNECTIONS = [1, 32];

const cellsOf = (workload: Workload, connections: number): readonly Cell[] =>
  ['alone', 'coordinator', 'workers'].map((server) => ({
    server,
    surface: 'rest',
    workload,
    connections,
  }));

await runRoundsCommand({
  name: 'citus',
  help: HELP,
  measure: async (measuring, folder, stack) => {
    const { progress, signal } = measuring;
    await bundle(ROOT, signal);
    progress.tell('starting the databases');
    const servers = await startBothDatabases(folder, stack, signal);
    const groups = CONNECTIONS.flatMap((connections) =>
      WORKLOADS.map(([workload]) => cellsOf(workload, connections)),
    );
    const samples = await measureRounds(groups, servers, measuring);
    return tableOf(samples);
  },
});

function tableOf(samples: readonly Sample[]): string {
  const rows = CONNECTIONS.flatMap((connections) =>
    WORKLOADS.map(([workload, name]) => rowOf(samples, name, cellsOf(workload, connections))),
  );
  const header =
    'connections|request|alone|coordinator|workers|both ÷ alone|gateway ÷ alone|errors'.split('|');
  return markdownTable(header, rows, 'rlrrrrrr');
}

/** CPU microseconds of a request in each database, and their ratios to PostgreSQL alone. */
function rowOf(samples: readonly Sample[], name: string, cells: readonly Cell[]): string[] {
  const [alone = 0, coordinator = 0, workers = 0] = cells.map((cell) =>
    medianFigure(samples, cell, 'databaseCpu'),
  );
  const [own = 0, distributed = 0] = cells.map((cell) => medianFigure(samples, cell, 'serverCpu'));
  const measured = cells.flatMap((cell) => samplesOf(samples, cell));
  return [
    count(cells[0]?.connections),
    name,
    ...[alone, coordinator, workers].map(count),
    ratio((coordinator + workers) / alone),
    ratio(distributed / own),
    count(measured.reduce((sum, { errors, lost }) => sum + errors + lost, 0)),
  ];
}

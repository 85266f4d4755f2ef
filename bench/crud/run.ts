import { checkAll } from '../measure-all.ts';
import { measureRounds } from '../measure-rounds.ts';
import { installPeers } from '../peers/install.ts';
import { type Group, OURS } from '../plan.ts';
import { bundle } from '../processes/bundle.ts';
import { startSession } from '../processes/session.ts';
import { ROOT } from '../root.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { changeCosts, peersTable } from './tables.ts';

const HELP = `Compares the gateway with peers in what the report omits (changes, removals and lists by ids), and prints a table.

  npm run --silent crud --prefix bench -- --rounds 5

A change should take at most 1.3 times the CPU time of a create.
`;

const PEERS = { rest: ['express-prisma', 'fastify-pg'], graphql: ['mercurius'] } as const;

const GROUPS: readonly Group[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  (['create', 'change', 'remove', 'ids'] as const).map((workload) =>
    [OURS, ...PEERS[surface]].map((server) => ({ server, surface, workload, connections: 32 })),
  ),
);

await runRoundsCommand({
  name: 'crud',
  help: HELP,
  measure: async (measuring, folder, stack) => {
    const { progress, signal } = measuring;
    await installPeers(signal);
    await bundle(ROOT, signal);
    progress.tell('starting the servers');
    const names = new Set(GROUPS.flat().map(({ server }) => server));
    const session = await startSession(names, folder, stack, signal);
    await checkAll(GROUPS.flat(), session);
    const samples = await measureRounds(GROUPS, session, measuring);
    return `${peersTable(GROUPS, samples)}\n${changeCosts(samples)}`;
  },
});

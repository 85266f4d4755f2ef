import { measureRounds } from '../measure-rounds.ts';
import { PETS } from '../plan.ts';
import { startGatewayStore } from '../processes/gateway-store.ts';
import { requestsFor } from '../processes/session.ts';
import { startServer } from '../processes/server.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { capacityTable, costsTable, GROUPS, SERVER } from './tables.ts';

const HELP = `Measures what each kind of request costs, and prints two tables: what one request takes, and what many a second need.

  npm run capacity --prefix bench -- --rounds 5

Both APIs at 1, 8 and 32 connections to one gateway process.
`;

await runRoundsCommand({
  name: 'capacity',
  help: HELP,
  measure: async (measuring, folder, stack) => {
    measuring.progress.tell('starting the gateway');
    const { postgres, store, env, key } = await startGatewayStore(folder, stack, measuring.signal);
    const server = stack.use(
      await startServer({
        name: SERVER,
        file: 'src/main.ts',
        env,
        folder,
        signal: measuring.signal,
      }),
    );
    const subject = { server, store, key, constant: false, ...requestsFor(SERVER, PETS, folder) };
    const session = { postgres, subjects: new Map([[SERVER, subject]]) };
    const samples = await measureRounds(GROUPS, session, measuring);
    return `${costsTable(samples)}\n${capacityTable(samples)}`;
  },
});

import { measureRounds } from '../measure-rounds.ts';
import { startGatewayStore } from '../processes/gateway-store.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { capacityTable, costsTable, GROUPS, SERVER } from './tables.ts';

const HELP = `Measures what each kind of request costs, and prints two tables: what one request takes, and what
many a second need.

  npm run capacity --prefix bench -- --rounds 5

Both APIs at 1, 8 and 32 connections to one gateway process.
`;

await runRoundsCommand({
  name: 'capacity',
  help: HELP,
  measure: async (measuring, folder, stack) => {
    measuring.progress.tell('starting the gateway');
    const { postgres, startGateway } = await startGatewayStore(folder, stack, measuring.signal);
    const session = {
      postgres,
      subjects: new Map([[SERVER, await startGateway({ name: SERVER })]]),
    };
    const samples = await measureRounds(GROUPS, session, measuring);
    return `${costsTable(samples)}\n${capacityTable(samples)}`;
  },
});

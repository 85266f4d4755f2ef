import { checkAnswers } from '../check.ts';
import { PETS } from '../plan.ts';
import { startGatewayStore } from '../processes/gateway-store.ts';
import { connect, removeCreated } from '../processes/postgres.ts';
import { requestFiles, type Session, type Subject } from '../processes/session.ts';
import { renamed, treeWithSecondModel } from './tree.ts';

/** Starts one gateway with both models, with as many rows each: the subjects `pet` and `toy`. */
export async function startBothModels(
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Session> {
  const tree = stack.use(await treeWithSecondModel(signal));
  const { postgres, startGateway } = await startGatewayStore(folder, stack, signal);
  // The gateway migrates the database, so the table exists when it listens.
  const pet = await startGateway({ name: 'both', root: tree.path });
  const client = stack.use(await connect(pet.store.url));
  await client.query(
    `INSERT INTO toys (name, category_id, status)
     SELECT name, category_id, status::text::toy_status FROM pets ORDER BY id`,
  );
  await client.query('VACUUM ANALYZE toys');

  const requests: Subject['requests'] = (surface, workload) =>
    pet.requests(surface, workload).map(({ method, path, body }) => ({
      method,
      path: renamed(path),
      body: renamed(body),
    }));
  const toy = {
    ...pet,
    store: { ...pet.store, removeCreated: () => removeCreated(client, 'toys', PETS) },
    requests,
    requestFile: requestFiles(requests, 'toy', folder),
  };
  await checkAnswers('rest', toy, pet);
  await checkAnswers('graphql', toy, pet);
  return { postgres, subjects: new Map(Object.entries({ pet, toy })) };
}

import type { Attack } from './attack.ts';
import { connections, connectionsOnWorkers } from './connections.ts';
import { requests, requestsOnWorkers } from './requests.ts';

const ON_EXTERNAL = [...connections, ...requests];
const ON_ONE_AND_TWO = [...requestsOnWorkers, ...connectionsOnWorkers];

/** All attacks under which clients with other keys must be served. */
export const ATTACKS: readonly Attack[] = [
  ...ON_EXTERNAL,
  ...ON_ONE_AND_TWO,
  ...ON_ONE_AND_TWO.map(onTwoWorkers),
  ...ON_EXTERNAL.filter(({ name }) => /creates animals (?:in|on)|repeat/.test(name)).map(
    onEmbedded,
  ),
];

function onTwoWorkers(attack: Attack): Attack {
  const name = `${attack.name}, with two workers`;
  return { ...attack, name, env: { ...attack.env, WORKERS: '2' } };
}

function onEmbedded(attack: Attack): Attack {
  return { ...attack, name: `${attack.name}, with the embedded PostgreSQL`, isEmbedded: true };
}

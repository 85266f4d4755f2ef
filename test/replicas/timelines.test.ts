import { expect, test } from 'vitest';
import { keptForFile } from '../support/clean-up.ts';
import { startGateway } from '../support/gateway.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import {
  addAnimal,
  insertOf,
  namesShownBy,
  follow,
  isStreaming,
  startReplicatedPostgres,
} from '../support/replicated-postgres.ts';

/** The second server is also a primary, as after a failover that the first primary and its replica did not notice. */
const postgres = keptForFile(await startReplicatedPostgres({ replicas: 3 }));
const { primary: first } = postgres;
const [second, ofFirst, ofSecond] = postgres.replicas;
if (second === undefined || ofFirst === undefined || ofSecond === undefined) {
  throw new Error('there are three');
}
await second.ask('SELECT pg_promote()');
await ofSecond.stop();
await follow(ofSecond, second);
await ofSecond.start();
await isStreaming(ofSecond);

/** Advances one timeline's log past the other's, so that all positions on the other one are earlier. */
const lengthen = async (server: typeof first) => {
  await server.ask('SELECT pg_switch_wal()');
  await server.ask(insertOf('longer'));
};

test("only replicas on the primary's timeline serve reads", async () => {
  const ofTheFirst = await startGateway({ databaseUrl: first.url, replicaUrls: [ofSecond.url] });
  const ofTheSecond = await startMeasuredGateway({
    databaseUrl: second.url,
    replicaUrls: [ofFirst.url],
  });

  await lengthen(first);
  await lengthen(first);
  const isAhead = async () => {
    const replayed = String(await ofFirst.ask('SELECT pg_last_wal_replay_lsn()'));
    return second.ask(`SELECT pg_current_wal_flush_lsn() < '${replayed}'`);
  };
  await expect.poll(isAhead).toBe(true);
  for (let number = 1; number <= 10; number += 1) {
    await addAnimal(ofTheSecond, `second ${number}`);
    expect(await namesShownBy(ofTheSecond)).toContain(`second ${number}`);
  }
  await ofTheSecond.log.line((line) => line.includes('it is on timeline 1 and the primary on 2'));

  for (let times = 0; times < 4; times += 1) await lengthen(second);
  for (let number = 1; number <= 10; number += 1) {
    await addAnimal(ofTheFirst, `first ${number}`);
    expect(await namesShownBy(ofTheFirst)).toContain(`first ${number}`);
  }
});

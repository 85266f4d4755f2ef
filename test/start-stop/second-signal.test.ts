import { EMBEDDED } from '../support/store-database.ts';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { processesNaming } from '../support/process-list.ts';
import { beginPost, logOf, openIdleConnection, startPatientService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('after a second signal, the embedded PostgreSQL keeps running for the next start', async () => {
  await using data = await temporaryDirectory();
  await using service = await startPatientService({ DATA_DIR: data.path });
  const begun = await beginPost(service, '/v1/pets');
  const cutOff = once(begun, 'error');
  const idle = await openIdleConnection(service);
  service.child.kill('SIGINT');
  // The idle connection is closed after the period in which repeated signals count as one.
  await once(idle.resume(), 'close');
  service.child.kill('SIGINT');
  expect(await service.child.exit).toEqual({ code: 130, signal: null });
  await cutOff;
  expect(logOf(service).at(-1)).toMatchObject({
    signal: 'SIGINT',
    msg: `second shutdown signal: ended immediately; the embedded PostgreSQL in ${data.path} keeps running, and the next start takes it over`,
  });
  expect(await processesNaming(data.path)).not.toEqual([]);

  // Joining and leaving works like a start and a shutdown.
  const next = await joinEmbeddedPostgres(data.path, EMBEDDED);
  await next.leave();
  expect(await processesNaming(data.path)).toEqual([]);
});

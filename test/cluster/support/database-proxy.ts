import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../support/process.ts';
import { freePort, HOST } from '../../system/support/haproxy.ts';
import type { Cluster } from './cluster.ts';
import { configuration } from './configuration.ts';

/** Where Debian puts it; elsewhere, the variable HAPROXY says. */
// oxlint-disable-next-line node/no-process-env -- as in test/system
const EXECUTABLE = process.env['HAPROXY'] ?? '/usr/sbin/haproxy';

/** Runs an HAProxy of a gateway's own, and gives its port on `HOST`, which leads to the primary. */
export async function startDatabaseProxy(
  number: number,
  { addresses, directory, proxyChanges }: Cluster,
): Promise<number> {
  const port = await freePort();
  const file = join(directory, `haproxy-${number}.cfg`);
  const changes = { '127.0.0.1:5000': `${HOST}:${port}`, ...proxyChanges };
  await writeFile(file, await configuration('haproxy.cfg', addresses, changes));
  runProgram(EXECUTABLE, ['-db', '-f', file], {});
  return port;
}

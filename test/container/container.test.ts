import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { ask } from '../support/ask.ts';
import { keptForFile } from '../support/clean-up.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { openPost } from '../support/node-request.ts';
import { freePort } from '../system/support/haproxy.ts';
import { buildImage, makeBaseImage, openPodman } from './support/podman.ts';

const IMAGE = 'animal-store-gateway';
const FOLDER = '/opt/animal-store-gateway';
const MEGABYTE = 1024 * 1024;
/** The manifests of third-party packages; links to this repository's own packages do not match. */
const MANIFEST = /\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

const podman = keptForFile(await openPodman());
const base = await makeBaseImage(podman);
await buildImage(podman, IMAGE);

/** Runs a program in a separate container without the service. */
const runInside = (program: string, ...args: readonly string[]) =>
  podman.run(['run', '--rm', '--user', 'root', '--entrypoint', program, IMAGE, ...args]);

test('the image contains no development tools, tests, npm settings or npm cache', async () => {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const tools = isJsonObject(manifest) ? manifest['devDependencies'] : undefined;
  const names = Object.keys(isJsonObject(tools) ? tools : {});
  // Some type packages are dependencies of packages that the service needs.
  const unwanted = new Set(names.filter((name) => !name.startsWith('@types/')));
  expect(unwanted).toContain('prisma');

  const files = (await runInside('find', FOLDER, '/root', '/home', '/usr/local/etc')).split('\n');
  expect(files).toContain(`${FOLDER}/prisma/generated/client.ts`);
  const faults = files.filter((file) => {
    const [, name = ''] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    const isOwnSetting = file === `${FOLDER}/.npmrc`;
    return (
      file.startsWith(`${FOLDER}/data`) ||
      unwanted.has(name) ||
      /^packages\/[^/]+\/test/.test(file.slice(FOLDER.length + 1)) ||
      (!isOwnSetting && /\/\.?npmrc$|\/\.npm\/|\/_cacache\/|\.env$/.test(file))
    );
  });
  expect(faults).toEqual([]);
});

test('the service adds at most 110 MB to its base image', async ({ annotate }) => {
  const [whole = 0, below = 0] = await Promise.all(
    [IMAGE, base].map(async (name) =>
      Number(await podman.run(['image', 'inspect', '--format', '{{.Size}}', name])),
    ),
  );
  const added = Math.round((whole - below) / MEGABYTE);
  const manifests = (await runInside('find', FOLDER, '-name', 'package.json')).split('\n');
  const packages = manifests.filter((file) => MANIFEST.test(file)).length;
  const [megabytes] = (await runInside('du', '-sm', `${FOLDER}/node_modules`)).split('\t');
  await annotate(
    `${added} MB on a base of ${Math.round(below / MEGABYTE)} MB; ${megabytes} MB in ${packages} packages`,
  );
  expect(added).toBeGreaterThan(20);
  expect(added).toBeLessThanOrEqual(110);
  expect(Number(megabytes)).toBeLessThanOrEqual(150);
  expect(packages).toBeGreaterThan(50);
  expect(packages).toBeLessThanOrEqual(200);
});

/** The options from docs/operations.md, and additionally no writable folder at all. */
const RESTRICTED =
  '--read-only --read-only-tmpfs=false --cap-drop=all --security-opt no-new-privileges'.split(' ');

const inShop = (command: readonly string[]) => podman.run(['exec', 'shop', ...command]);

test('the container runs without privileges, is healthy, creates a key, serves requests and stops gracefully', async () => {
  await using database = await startDatabaseProxy(await emptyDatabase());
  const databaseUrl = ['--env', `DATABASE_URL=${database.url}`];
  const migrating = ['--entrypoint', 'node', IMAGE, 'src/main.ts', 'migrate'];
  await podman.run(['run', '--rm', ...RESTRICTED, ...databaseUrl, ...migrating]);

  const port = await freePort();
  const settings = [...databaseUrl, '--env', 'MIGRATE=off', '--env', `PORT=${port}`];
  await using child = podman.start(['run', '--name', 'shop', ...RESTRICTED, ...settings, IMAGE]);
  await child.line('stdout', (line) => line.includes('"msg":"listening"'));
  const status = await inShop(['cat', '/proc/1/status']);
  expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
  expect(status).toMatch(/^CapBnd:\t0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  await expect(inShop(['touch', 'file'])).rejects.toThrow('Read-only file system');
  // A health check times out after 3 s, and a busy machine may need longer just to start Node.
  const health = () =>
    podman
      .run(['healthcheck', 'run', 'shop'])
      .then(() => podman.run(['inspect', '--format', '{{.State.Health.Status}}', 'shop']), String);
  await expect.poll(health, { timeout: 60_000 }).toBe('healthy');

  const url = `http://127.0.0.1:${port}`;
  const key = await inShop(['npm', 'run', '--silent', 'keys', '--', 'create', 'me']);
  const body = { name: 'Rex', categoryId: 1 };
  expect(await ask(url, key, 'POST /v1/pets', body)).toMatchObject({ status: 201 });
  expect((await ask(url, key, 'GET /v1/pets')).text).toContain('"name":"Rex"');

  const request = await openPost({ url, key }, '/v1/pets');
  const responded = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  child.kill('SIGTERM');
  await child.line('stdout', (line) => line.includes('"msg":"stopping"'));
  request.end(JSON.stringify(body));
  const response = await responded;
  expect(response.statusCode).toBe(201);
  expect(await text(response)).toContain('"name":"Rex"');
  expect(await child.exit).toEqual({ code: 0, signal: null });
});

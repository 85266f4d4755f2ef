import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';
import { documentedClients, installedVersion } from './table.ts';

const run = promisify(execFile);
const PROGRAMS = join(import.meta.dirname, 'graphql/programs');

/** Clients by their names in docs/graphql-client.md, with their packages and the program that exercises them. */
const CLIENTS: Readonly<Record<string, readonly [packages: readonly string[], program: string]>> = {
  'Apollo Client': [['@apollo/client'], 'apollo-client.ts'],
  urql: [['@urql/core'], 'urql.ts'],
  'urql with Graphcache': [['@urql/core', '@urql/exchange-graphcache'], 'graphcache.ts'],
  'urql with gql.tada': [['@urql/core', 'gql.tada'], 'gql-tada.ts'],
  'graphql-request': [['graphql-request'], 'graphql-request.ts'],
  Relay: [['relay-runtime'], 'relay.ts'],
};

async function reportOf(program: string): Promise<Record<string, unknown>> {
  const { url, key, post } = await startGateway();
  for (const name of ['Ada', 'Bo', 'Cy', 'Di', 'Ed']) {
    await post('/v1/pets', { name, categoryId: 1 });
  }
  const env = { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key };
  const { stdout, stderr } = await run(process.execPath, [join(PROGRAMS, program)], { env });
  expect(stderr).toBe('');
  const report: unknown = JSON.parse(stdout);
  return isJsonObject(report) ? report : {};
}

test('docs/graphql-client.md lists the version and the behaviour of each GraphQL client', async () => {
  const rows = await documentedClients('graphql-client.md');
  const actual: object[] = [];
  for (const [Client, [packages, program]] of Object.entries(CLIENTS)) {
    const versions = await Promise.all(packages.map(installedVersion));
    const { row, rest, statuses, isSame } = await reportOf(program);
    actual.push({ Client, Version: versions.join(' and '), ...(isJsonObject(row) && row) });
    // Statuses for data, data beside an error and invalid variables: with the client's own Accept and with each media type.
    const told: unknown[] = Array.isArray(statuses) ? statuses : [];
    const [own, response, json] = told;
    expect([Client, response, json]).toEqual([Client, [200, 294, 422], [200, 200, 200]]);
    expect([response, json]).toContainEqual(own);
    expect([Client, isSame]).toEqual([Client, true]);
    expect([Client, rest]).toEqual([
      Client,
      {
        prefers: Client === 'Relay' ? '*/*' : 'application/graphql-response+json',
        success: 'data',
        invalid: `${Client.startsWith('urql') ? '' : 'throws '}\`BAD_USER_INPUT\` input.categoryId`,
        names: 'Ada Bo Cy Di Ed',
        largest: '9223372036854775807',
      },
    ]);
  }
  expect(rows).toEqual(actual);
});

test('docs/graphql-client.md covers all clients in examples/graphql-client', async () => {
  const path = join(import.meta.dirname, '../../examples/graphql-client/package.json');
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  const asked = isJsonObject(manifest) ? manifest['devDependencies'] : undefined;
  const names = Object.keys(isJsonObject(asked) ? asked : {}).filter((name) =>
    /apollo|urql|tada/.test(name),
  );
  const tried = new Set(Object.values(CLIENTS).flatMap(([packages]) => packages));
  expect(names.filter((name) => !tried.has(name))).toEqual([]);
});

test('Apollo Client and urql send an unstored document’s text, even if it differs from the hashed text', async () => {
  const { url, key, post } = await startGateway();
  await post('/v1/pets', { name: 'Ada', categoryId: 1 });
  const env = { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key };
  const { stdout, stderr } = await run(process.execPath, [join(PROGRAMS, 'fallback.ts')], { env });
  expect(stderr).toBe('');
  const data = { __typename: 'Query', pets: [{ __typename: 'Pet', name: 'Ada' }] };
  expect(JSON.parse(stdout)).toEqual([data, data]);
});

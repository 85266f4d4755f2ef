import { Client, Connection, Pool } from 'pg';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { expectInternals, LOWEST_VERSION } from '../src/pg-internals.ts';

test('expectInternals throws an error that names the required members that pg lacks', () => {
  expectInternals();
  const pool = Object.defineProperties({}, Object.getOwnPropertyDescriptors(new Pool()));
  const connection = new Connection();
  Reflect.deleteProperty(connection, 'parsedStatements');
  expect(() => {
    expectInternals({ Client: new Client(), Connection: connection, Pool: pool });
  }).toThrow(
    /^pg \d+\.\d+\.\d+ lacks Connection\.parsedStatements and Pool\.query and Pool\.newClient and Pool\._pulseQueue and Pool\._remove, /,
  );
});

test('LOWEST_VERSION is the lowest version in the peer dependency range of pg', () => {
  expect(packageJson.peerDependencies.pg).toBe(`^${LOWEST_VERSION}`);
});

import { Client, Connection, Pool } from 'pg';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { expectInternals, LOWEST_VERSION } from '../src/pg-internals.ts';

test('a start fails if pg lacks a required member; the error names it', () => {
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

test('the error recommends the lowest version of the range', () => {
  expect(packageJson.peerDependencies.pg).toBe(`^${LOWEST_VERSION}`);
});

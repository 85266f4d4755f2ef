import { Client, Connection, Pool } from 'pg';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { expectInternals, LOWEST_VERSION } from '../src/pg-internals.ts';

test('a pg without a member that is used stops the start, which names it', () => {
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

test('the lowest release that is said to be enough is the lowest of the range', () => {
  expect(packageJson.peerDependencies.pg).toBe(`^${LOWEST_VERSION}`);
});

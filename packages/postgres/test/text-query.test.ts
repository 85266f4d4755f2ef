import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createPool } from '../src/pool.ts';
import { LendingPool } from '../src/lending-pool.ts';
import { runStatement } from '../src/statement.ts';

function openPool(timeouts = { connection: 5000, statement: 5000 }) {
  const pool = createPool(inject('postgresUrl'), { name: 'test', max: 2, timeouts });
  onTestFinished(() => pool.end());
  return pool;
}

const ECHO = {
  name: 'echo',
  text: 'SELECT $1::text, $2::text UNION ALL SELECT $2::text, $1::text',
};

test("statements with text parameters return PostgreSQL's text values, even when repeated or concurrent", async () => {
  const pool = openPool();
  expect(LendingPool.runsTexts(pool)).toBe(true);
  for (const text of ['a', '', 'é\u{1F600}', "'; --"]) {
    expect(await runStatement(pool, ECHO, [text, null])).toEqual([
      [text, null],
      [null, text],
    ]);
  }
  const many = Array.from({ length: 20 }, (_, index) =>
    runStatement(pool, ECHO, [String(index), 'x']),
  );
  expect((await Promise.all(many)).map(([row]) => row?.[0])).toEqual(
    many.map((_, index) => String(index)),
  );
});

test('statements whose names share the first 63 characters are prepared separately, without a warning', async () => {
  const pool = openPool();
  const warn = vi.spyOn(console, 'error');
  for (const value of ['one', 'two', 'one']) {
    const statement = { name: `${'x'.repeat(63)}.${value}`, text: `SELECT '${value}', $1::text` };
    expect(await runStatement(pool, statement, ['a'])).toEqual([[value, 'a']]);
    const ofBytes = { name: `${statement.name}.bytes`, text: `SELECT '${value}', $1::bytea` };
    expect(await runStatement(pool, ofBytes, [Buffer.of(1)])).toEqual([[value, String.raw`\x01`]]);
  }
  expect(warn).not.toHaveBeenCalled();
});

test('node-postgres converts parameters other than text', async () => {
  const list = { name: 'list', text: 'SELECT array_to_json($1::text[]), $2::bytea' };
  expect(await runStatement(openPool(), list, [['a', null, '"'], Buffer.of(1)])).toEqual([
    [String.raw`["a",null,"\""]`, String.raw`\x01`],
  ]);
});

test('a connection stays usable after a statement fails to be prepared or executed', async () => {
  const pool = openPool();
  const divide = { name: 'divide', text: 'SELECT 1 / $1::int' };
  await expect(runStatement(pool, divide, ['0'])).rejects.toMatchObject({ code: '22012' });
  expect(await runStatement(pool, divide, ['1'])).toEqual([['1']]);
  const wrong = { name: 'wrong', text: 'SELECT $1::nothing' };
  for (const attempt of [1, 2]) {
    await expect(runStatement(pool, wrong, ['1']), `attempt ${attempt}`).rejects.toMatchObject({
      code: '42704',
    });
  }
});

test('a different statement with the name of a prepared statement is rejected', async () => {
  const pool = openPool();
  await runStatement(pool, { name: 'same', text: 'SELECT $1::text' }, ['1']);
  await expect(runStatement(pool, { name: 'same', text: 'SELECT $1::int' }, ['1'])).rejects.toThrow(
    'cannot reach its database',
  );
  expect(await runStatement(pool, { name: 'same', text: 'SELECT $1::text' }, ['1'])).toEqual([
    ['1'],
  ]);
});

test('a statement that times out or loses its session fails with SERVICE_UNAVAILABLE', async () => {
  const pool = openPool({ connection: 5000, statement: 300 });
  const sleep = { name: 'sleep', text: 'SELECT pg_sleep($1::float8)' };
  await expect(runStatement(pool, sleep, ['60'])).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  const end = { name: 'end', text: 'SELECT pg_terminate_backend(pg_backend_pid(), $1::bigint)' };
  await expect(runStatement(pool, end, ['0'])).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  expect(await runStatement(pool, ECHO, ['1', '2'])).toHaveLength(2);
});

test('the pool keeps a connection after a rejected value, but not after the connection is lost', async () => {
  const pool = openPool();
  const pids = async () =>
    (await runStatement(pool, { name: 'pid', text: 'SELECT pg_backend_pid()' }, [])).join();
  const divide = { name: 'divide', text: 'SELECT 1 / $1::int' };
  const pid = await pids();
  const refused = { 0: '22012', x: '22P02', 99999999999: '22003' };
  for (const [value, code] of Object.entries(refused)) {
    await expect(runStatement(pool, divide, [value])).rejects.toMatchObject({ code });
    expect(await pids()).toBe(pid);
  }
  expect(await runStatement(pool, divide, ['1'])).toEqual([['1']]);
  const end = { name: 'end', text: 'SELECT pg_terminate_backend(pg_backend_pid())' };
  await expect(runStatement(pool, end, [])).rejects.toThrow('database');
  expect(await pids()).not.toBe(pid);
});

import { REQUEST_TIMEOUTS } from '@store-gateway/postgres';
import { openDatabase } from '../support/store-database.ts';
import { expect, onTestFinished, test } from 'vitest';
import { errorCode } from '@store-gateway/ops/errors';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { newDatabase } from '../support/new-database.ts';
import { ANSWER_TIMEOUT } from '../support/load-answers.ts';
import { measureStalls } from '../support/machine-stalls.ts';

const CALLERS = 5000;

test.each(['read', 'create'])(
  'thousands of calls that %s on a frozen database all fail within 2 s',
  async (action) => {
    const databaseUrl = await newDatabase();
    const proxy = await startDatabaseProxy(databaseUrl);
    const database = openDatabase(proxy.url, { timeouts: REQUEST_TIMEOUTS });
    onTestFinished(async () => {
      proxy.letGo();
      await database.$disconnect();
      await proxy[Symbol.asyncDispose]();
    });
    proxy.hold();
    await using stalls = await measureStalls();
    const asked = performance.now();
    const failures = await Promise.all(
      Array.from({ length: CALLERS }, async (_, index) => {
        const answer =
          action === 'read'
            ? database.pet.findUnique({ where: { id: BigInt(index) } })
            : database.pet.create({
                data: { name: 'Rex', categoryId: 1n, status: 'available' },
              });
        const code = await answer.then(() => undefined, errorCode);
        return { code, milliseconds: performance.now() - asked };
      }),
    );
    const stalled = await stalls.totalWithin(asked);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    const slowest = Math.max(...failures.map(({ milliseconds }) => milliseconds));
    expect(slowest - stalled).toBeLessThan(ANSWER_TIMEOUT);
  },
);

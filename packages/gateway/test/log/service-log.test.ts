import { expect, test } from 'vitest';
import { log, logRequest, redactKeysWith } from '@store-gateway/ops';
import { logFrom, writeLogTo } from '../../src/log/service-log.ts';

test('the log goes where it is told to, in redacted lines of JSON, until that is disposed of', () => {
  redactKeysWith('asg_');
  logFrom('info');
  const lines: unknown[] = [];
  let flushed = 0;
  const [first, second] = [0, 1].map(() =>
    writeLogTo({
      write: (line) => lines.push(JSON.parse(line)),
      flushSync: () => (flushed += 1),
    }),
  );
  log.info({ path: '/asg_0123456789' }, 'hello');
  logRequest({ path: '/v1', status: 200 });
  expect(lines).toEqual([
    expect.objectContaining({ level: 30, path: '/asg_…', msg: 'hello' }),
    expect.objectContaining({ level: 30, path: '/v1', status: 200, msg: 'request' }),
  ]);
  second?.[Symbol.dispose]();
  log.info('again');
  expect(lines).toHaveLength(3);
  first?.[Symbol.dispose]();
  expect(flushed).toBe(2);
});

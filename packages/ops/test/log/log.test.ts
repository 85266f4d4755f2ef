import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { droppedLines, log, logRequest, setLogger, stderrLog } from '../../src/log/log.ts';
import { redactKeys, redactKeysWith, redactTokens } from '../../src/log/redact-keys.ts';
import { requestContext, requestMembers } from '../../src/log/request-context.ts';

redactKeysWith('asg_');
redactTokens();

// Test files share the process, and some set a different logger.
beforeEach(() => {
  setLogger(stderrLog);
});
afterEach(() => {
  setLogger(undefined);
});

test('by default, warnings and errors are written to stderr with their request ID and redacted API keys', () => {
  const text = written(() => {
    log.debug('nobody cares');
    log.info({ port: 80 }, 'listening');
    log.warn('not yet');
    requestContext.run({ id: 'abc' }, () => {
      log.error({ err: new Error('no asg_0123456789') }, 'unexpected error');
    });
    log.fatal({ signal: 'SIGTERM' }, 'ended');
    logRequest({ path: '/things' });
  });
  const [first, second, ...rest] = text.split('\n');
  expect(first).toBe('warn: not yet');
  expect(second).toBe('error: unexpected error {');
  expect(rest.join('\n')).toMatch(/^ {2}requestId: 'abc',\n {2}err: Error: no asg_…\n +at .*/);
  expect(text.endsWith("fatal: ended { signal: 'SIGTERM' }\n")).toBe(true);
});

test('pino can be the logger, with request IDs and redacted API keys in its lines', () => {
  const lines: unknown[] = [];
  const write = (line: string) => lines.push(JSON.parse(line));
  setLogger(
    pino({ base: null, mixin: requestMembers, hooks: { streamWrite: redactKeys } }, { write }),
  );
  requestContext.run({ id: 'abc', traceId: 'def' }, () => {
    log.info({ path: '/asg_0123456789' }, 'hello');
  });
  log.fatal('the end');
  log.debug('nobody cares');
  logRequest({ requestId: 'ghi', traceId: undefined, status: 200 });
  const time: unknown = expect.any(Number);
  expect(lines).toEqual([
    { level: 30, time, requestId: 'abc', traceId: 'def', path: '/asg_…', msg: 'hello' },
    { level: 60, time, msg: 'the end' },
    { level: 30, time, requestId: 'ghi', status: 200, msg: 'request' },
  ]);
});

test('console can be the logger, and logs fatal lines as errors', () => {
  using shown = vi.spyOn(console, 'error').mockReturnValue();
  setLogger(console);
  log.fatal({ signal: 'SIGTERM' }, 'ended');
  log.error('alone');
  expect(shown.mock.calls).toEqual([[{ signal: 'SIGTERM' }, 'ended'], ['alone']]);
});

test('a logger can have a separate function for request lines, and can report dropped lines', () => {
  const requests: unknown[] = [];
  expect(droppedLines()).toBe(0);
  setLogger(stderrLog, {
    request: (members, message) => requests.push([members, message]),
    droppedLines: () => 3,
  });
  logRequest({ path: '/things' }, 'mutation');
  expect(requests).toEqual([[{ path: '/things' }, 'mutation']]);
  expect(droppedLines()).toBe(3);
});

test('without a logger, nothing is written', () => {
  setLogger(undefined);
  const text = written(() => {
    log.error('nobody listens');
    log.fatal({ err: new Error('x') }, 'nobody listens');
    logRequest({ path: '/things' });
  });
  expect([text, droppedLines()]).toEqual(['', 0]);
});

/** Runs `work`. @returns the text that it writes to stderr */
function written(work: () => void): string {
  using stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  work();
  return stderr.mock.calls.map(([text]) => String(text)).join('');
}

const percent = (text: string) =>
  Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');

const TOKEN = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.${'c2ln-bmF0_dXJl'.repeat(6)}`;

test.each([
  ['unencoded', TOKEN],
  ['percent-encoded', percent(TOKEN)],
  ['partly percent-encoded', `${TOKEN.slice(0, 30)}${percent(TOKEN.slice(30))}`],
  ['escaped as in JSON', TOKEN.replaceAll('.', '\\u002e')],
])('the claims and the signature of a JWT are redacted if it is %s', (_how, token) => {
  expect(redactKeys(`GET /things/${token}?x=1 ${token}`)).toBe('GET /things/eyJ…?x=1 eyJ…');
});

test('a short text that begins like a JWT is not redacted', () => {
  expect(redactKeys('GET /things?after=eyJpZCI6MTIzfQ')).toBe('GET /things?after=eyJpZCI6MTIzfQ');
});

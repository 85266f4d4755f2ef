import { expect, test } from 'vitest';
import { captureLog } from '../../../test/support/captured-log.ts';
import { warnOfPlaintext } from '../src/connection-options.ts';

const log = captureLog();

test.each([
  ['203.0.113.7', {}, true],
  ['::ffff:203.0.113.7', {}, true],
  ['2001:db8::1', {}, true],
  ['203.0.113.7', { encrypted: true }, false],
  ['127.0.0.2', {}, false],
  ['::ffff:127.0.0.1', {}, false],
  ['::1', {}, false],
  // A Unix socket has no remote address.
  [undefined, {}, false],
])(
  'a connection to %s over the stream %j logs a plaintext warning: %s',
  (remoteAddress, stream, isWarned) => {
    const before = log.text().length;
    warnOfPlaintext({ remoteAddress }, stream);
    const warning = `"address":"${remoteAddress}","msg":"the connection to the database is not encrypted: set sslmode=verify-full in its URL"`;
    const logged = log.text().slice(before);
    expect([logged.includes(warning), logged === '']).toEqual([isWarned, !isWarned]);
  },
);

import { inspect } from 'node:util';
import type { Logger, LogMethod } from './logger.ts';
import { redactKeys } from './redact-keys.ts';
import { requestMembers } from './request-context.ts';

/** Readable lines of warnings and errors on stderr, without API keys. */
export const stderrLog: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: methodOf('warn'),
  error: methodOf('error'),
  fatal: methodOf('fatal'),
};

function methodOf(level: string): LogMethod {
  return (line: object | string, message: string = '') => {
    const [text, own] = typeof line === 'string' ? [line, {}] : [message, line];
    const members = { ...requestMembers(), ...own };
    const told = Object.keys(members).length === 0 ? '' : ` ${inspect(members)}`;
    process.stderr.write(`${redactKeys(`${level}: ${text}${told}`)}\n`);
  };
}

import { setLogger, type RequestMembers, redactKeys, requestMembers } from '@store-gateway/ops';
import { pino } from 'pino';
import { output } from './output.ts';

const logger = pino(
  {
    base: null,
    // Redacts whole lines, so that no field is missed: a path or an error may contain a key.
    hooks: { streamWrite: redactKeys },
    mixin: requestMembers,
  },
  output,
);

/**
 * Has this process log as a service does: lines of JSON on stdout, or readable ones if that is a terminal, without API keys.
 *
 * @param level the lowest that is logged
 */
export function logFrom(level = 'info'): void {
  logger.level = level;
  setLogger(logger, { request: logRequest, droppedLines: output.dropped });
}

/** JSON members of each line of this process. */
let bound = '';

/** Says in each line of this process which one it is, where several share a log. */
export function logProcessId(): void {
  logger.setBindings({ pid: process.pid });
  bound = `,"pid":${process.pid}`;
}

/** Logs a line as `log.info` would: pino looks at each member by itself, which takes twice as long. */
function logRequest(members: RequestMembers, message: string): void {
  if (logger.isLevelEnabled('info')) {
    const time = Date.now();
    output.writeLater(() => {
      const { info } = logger.levels.values;
      const text = JSON.stringify(members).slice(1, -1);
      return redactKeys(`{"level":${info},"time":${time}${bound},${text},"msg":"${message}"}\n`);
    });
  }
}

import type { Answer } from '../ask.ts';

/**
 * What an answer of either surface says of its request. What is unknown may have been done, or may be yet: on a machine
 * with too much to do the database may answer too late, and that tells a client nothing.
 */
export type StoreOutcome = 'done' | 'absent' | 'mismatched' | 'unknown' | 'failed';

const OF_STATUS: Readonly<Record<number, StoreOutcome>> = {
  200: 'done',
  201: 'done',
  204: 'done',
  304: 'done',
  404: 'absent',
  412: 'mismatched',
  503: 'unknown',
};

const OF_CODE: Readonly<Record<string, StoreOutcome>> = {
  NOT_FOUND: 'absent',
  PRECONDITION_FAILED: 'mismatched',
  SERVICE_UNAVAILABLE: 'unknown',
};

export function storeOutcomeOf({ call, status, text }: Answer): StoreOutcome {
  if (call.endsWith('/graphql') && text.includes('"errors":')) {
    const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? [];
    return OF_CODE[code] ?? 'failed';
  }
  return OF_STATUS[status] ?? 'failed';
}

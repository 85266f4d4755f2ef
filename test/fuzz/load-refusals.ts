import { ERROR_KINDS } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import type { WireAnswer } from '../support/http-answers.ts';

/**
 * What is refused for the load that there is, and not for what was asked: on a machine that has too much to do the
 * database may answer too late. No other 5xx is right, and of these there may be 2 in 100 (limits.ts).
 */
const CODES = ['OVERLOADED', 'SERVICE_UNAVAILABLE'] as const;
const HAS_CODE = new RegExp(`"code":"(?:${CODES.join('|')})"`);

/** Whether an answer refuses, in whole or in part, because of the load. GraphQL may have got a part of the data. */
export function refusesForLoad({ status, body }: Pick<WireAnswer, 'status' | 'body'>): boolean {
  return status === 503 || HAS_CODE.test(body.toString('latin1'));
}

/** What is wrong about the form of such an answer. */
export function loadRefusalFaults(
  { status, headers, body }: WireAnswer,
  isHead: boolean,
): string[] {
  const text = body.toString();
  const told = `${status} ${JSON.stringify(text.slice(0, 300))}`;
  if (status !== 503) {
    return status === 200 && isPartOfData(text)
      ? []
      : [`refused for load, but not by 503: ${told}`];
  }
  return [
    ...(/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
      ? []
      : [`503 without Retry-After: ${told}`]),
    ...(isHead || saysNotReady(text) || errorsIn(text).some(isOfLoad)
      ? []
      : [`503 in no shape of a surface: ${told}`]),
  ];
}

/** As /readyz does, which is of no surface. */
export function saysNotReady(text: string): boolean {
  return text.startsWith('not ready: ');
}

function isPartOfData(text: string): boolean {
  const answer = parsed(text);
  return isJsonObject(answer) && isJsonObject(answer['data']) && errorsIn(text).some(isOfLoad);
}

/** The errors of an answer in the shape of either surface, each as REST tells it. */
function errorsIn(text: string): unknown[] {
  const answer = parsed(text);
  return isJsonObject(answer) && Array.isArray(answer['errors'])
    ? answer['errors'].map((error: unknown) =>
        isJsonObject(error) && isJsonObject(error['extensions'])
          ? { message: error['message'], ...error['extensions'] }
          : error,
      )
    : [answer];
}

function isOfLoad(error: unknown): boolean {
  return (
    isJsonObject(error) &&
    Object.keys(error).toSorted().join() === 'code,message,status' &&
    error['status'] === 503 &&
    CODES.some(
      (code) => error['code'] === code && error['message'] === ERROR_KINDS[code].constantText,
    )
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

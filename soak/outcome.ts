import type { Call } from '../bench/load/calls.ts';
import type { Surface } from '../bench/load/requests.ts';
import { type Animal, animalsIn } from '../bench/animals.ts';
import { isJsonObject } from '@store-gateway/ops';

/** The outcome of a request. */
export type Outcome =
  /** The requested animals, in time. */
  | 'good'
  /** A 503 with the right code and a Retry-After, in time. */
  | 'unavailable'
  /** No process listened, or the connection ended before the response was complete. */
  | 'unanswered'
  /** Any other response: with errors, wrong, or later than 2 s. */
  | 'wrong';

/** A call on one of the surfaces. */
export interface Asked {
  readonly surface: Surface;
  readonly call: Call;
}

export interface Received {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Milliseconds within which every request must be answered. */
export const ANSWER_TIMEOUT = 2000;

/** Returns the outcome of a request that was answered after some milliseconds. */
export function outcomeOf(asked: Asked, received: Received, milliseconds: number): Outcome {
  if (milliseconds > ANSWER_TIMEOUT) return 'wrong';
  const { surface, call } = asked;
  const { status, retryAfter, body } = received;
  if (status === (surface === 'rest' && call.does === 'create' ? 201 : 200)) {
    return answersCall(call, animalsOf(body)) ? 'good' : 'wrong';
  }
  return status === 503 && Number(retryAfter) > 0 && tellsUnavailable(surface, parse(body))
    ? 'unavailable'
    : 'wrong';
}

/** The animals in the body of a response; none if it is anything else, or has errors. */
export function animalsOf(body: string): readonly Animal[] {
  try {
    const told: unknown = JSON.parse(body);
    return isJsonObject(told) && 'errors' in told ? [] : animalsIn(told);
  } catch {
    return [];
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Whether the animals are the requested ones. Animals are never removed, and there are plenty of each status, so no page is
 * short and no requested animal is missing.
 */
function answersCall(call: Call, animals: readonly Animal[]): boolean {
  if (call.does === 'list') {
    return animals.length === call.limit && animals.every(({ status }) => status === call.status);
  }
  const [animal, ...others] = animals;
  if (animal === undefined || others.length > 0) return false;
  if (call.does === 'get') return animal.id === String(call.id);
  return (
    call.does === 'create' &&
    animal.name === call.name &&
    animal.categoryId === String(call.categoryId) &&
    animal.status === call.status
  );
}

function tellsUnavailable(surface: Surface, told: unknown): boolean {
  if (!isJsonObject(told)) return false;
  const errors: readonly unknown[] =
    surface === 'rest' ? [told] : Array.isArray(told['errors']) ? told['errors'] : [];
  return (
    errors.length > 0 &&
    errors.every((error) => {
      const coded = surface === 'rest' ? error : isJsonObject(error) && error['extensions'];
      return isJsonObject(coded) && coded['code'] === 'SERVICE_UNAVAILABLE';
    })
  );
}

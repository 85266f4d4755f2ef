import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { createCoalescer } from '@gateway/coalescing/coalesce';
import { recorder } from '@gateway/telemetry/recorder';
import { tracer } from '@gateway/telemetry/tracer';
import { memoizePerOperation } from './memoize-per-operation.ts';
import { selectedFields } from './selected-fields.ts';

type Executor = (args: ExecutionArgs) => Promise<ExecutionResult>;

/**
 * Coalesces identical queries, same variables included, whose root fields are all marked `sameForEveryone`
 * (packages/pothos-plugins). Their callers share one result object, which must not be changed.
 */
export function createCoalescedReads(execute: Executor): Executor {
  const coalesce = tracer.coalescer(
    createCoalescer<ExecutionResult>((leads) => {
      recorder.add('shared_calls_total', 1, {
        place: 'operations',
        role: leads ? 'led' : 'joined',
      });
    }),
  );
  return (args) => {
    const operation = coalescingId(args);
    const variables = operation && exactText(args.variableValues ?? {});
    return variables === undefined
      ? execute(args)
      : coalesce(`${operation} ${variables}`, () => execute(args));
  };
}

let coalescedOperations = 0;

/** Identifies an operation that may be coalesced for as long as it is cached; undefined for one that may not. */
const coalescingId = memoizePerOperation((operation) => {
  const { schema } = operation;
  const mayBeCoalesced = selectedFields(operation).every(({ parent, field }) =>
    parent === schema.getQueryType()
      ? field.extensions.sameForEveryone === true
      : parent !== schema.getMutationType(),
  );
  if (!mayBeCoalesced) {
    return undefined;
  }
  coalescedOperations += 1;
  return String(coalescedOperations);
});

/** Variables as a text that is different for different values, or undefined where JSON has none. */
function exactText(variables: object): string | undefined {
  if (Object.values(variables).every(isExact)) {
    // A replacer, called for every value, would take five times as long.
    return JSON.stringify(variables);
  }
  let hasText = true;
  const text = JSON.stringify(variables, (_name, value: unknown) => {
    hasText &&= typeof value === 'object' || isExact(value);
    return typeof value === 'bigint' ? null : value;
  });
  return hasText ? text : undefined;
}

/** JSON writes null for a number that isn't finite, such as 1e400. */
function isExact(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

import { VARIABLE_NAMES } from './config.ts';

/** Finds variables that look like misspelled settings: one character differs, is missing or is extra, or two are swapped. */
export function mistakenVariables(
  environment: NodeJS.ProcessEnv,
): { readonly variable: string; readonly setting: string }[] {
  return Object.keys(environment).flatMap((variable) => {
    const setting = VARIABLE_NAMES.has(variable)
      ? undefined
      : [...VARIABLE_NAMES].find((name) => isNear(variable, name));
    return setting === undefined ? [] : [{ variable, setting }];
  });
}

function isNear(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) {
    end += 1;
  }
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && left === `${right[1] ?? ''}${right[0] ?? ''}`)
  );
}

import type { Plugin } from 'graphql-yoga';
import { parseWithinBounds } from './parse.ts';
import { validateWithinBounds } from './validate.ts';

/** Rejects documents that are beyond a bound; how complex an operation is depends on its variables (../execution.ts). */
export function useBounds(): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn(parseWithinBounds),
    onValidate: ({ setValidationFn }) => setValidationFn(validateWithinBounds),
  };
}

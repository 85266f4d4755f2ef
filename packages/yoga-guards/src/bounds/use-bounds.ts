import type { Plugin } from 'graphql-yoga';
import { complexityFault } from './complexity.ts';
import { parseWithinBounds } from './parse.ts';
import { validateWithinBounds } from './validate.ts';

/** Rejects operations that are beyond a bound before they are executed. */
export function useBounds(): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn(parseWithinBounds),
    onValidate: ({ setValidationFn }) => setValidationFn(validateWithinBounds),
    onExecute({ args, setResultAndStopExecution }) {
      const fault = complexityFault(args);
      if (fault !== undefined) {
        setResultAndStopExecution({ errors: [fault] });
      }
    },
  };
}

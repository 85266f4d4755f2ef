import type { Plugin } from 'graphql-yoga';
import { complexityFault } from './complexity.ts';
import { parseWithinBounds } from './parse.ts';
import { validateWithinBounds } from './validate.ts';

/** Refuses, before it is executed, an operation that is beyond one of the bounds. */
export function useBounds(): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithinBounds);
    },
    onValidate({ setValidationFn }) {
      setValidationFn(validateWithinBounds);
    },
    onExecute({ args, setResultAndStopExecution }) {
      const fault = complexityFault(args);
      if (fault !== undefined) {
        setResultAndStopExecution({ errors: [fault] });
      }
    },
  };
}

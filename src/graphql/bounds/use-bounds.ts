import type { Plugin } from 'graphql-yoga';
import { withComparisonsNamed } from './comparisons.ts';
import { complexityFault } from './complexity.ts';
import { parseWithinBounds } from './parse.ts';
import { ShapeWithinBoundsRule } from './shape-rule.ts';

/** Refuses, before it is executed, an operation that is beyond one of the bounds. */
export function useBounds(): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithinBounds);
    },
    onValidate({ addValidationRule }) {
      addValidationRule(ShapeWithinBoundsRule);
      return ({ result, setResult }) => {
        setResult(withComparisonsNamed(result));
      };
    },
    onExecute({ args, setResultAndStopExecution }) {
      const fault = complexityFault(args);
      if (fault !== undefined) {
        setResultAndStopExecution({ errors: [fault] });
      }
    },
  };
}

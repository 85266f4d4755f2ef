import { TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { perOperation } from '@gateway/graphql-execution/memoize-per-operation';
import { nameOperation } from '@gateway/log/log';

/**
 * Names what is executed after the field of Query or Mutation that it asks for: a client's own name of an
 * operation could be any text.
 */
export function useRootFields(): Plugin {
  return {
    onExecute({ args }) {
      nameOperation(rootFieldOf(args));
    },
  };
}

const rootFieldOf = perOperation((document, schema) => {
  const names = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: ({ name }) => {
        const parent = typeInfo.getParentType();
        if (parent === schema.getQueryType() || parent === schema.getMutationType()) {
          names.add(name.value);
        }
      },
    }),
  );
  const [name = 'none', another] = names;
  // All combinations together would be too many to be told apart.
  return another === undefined ? name : 'several';
});

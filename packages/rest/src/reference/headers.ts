import { componentOf, nodeOf, textOf, type OpenApi } from './openapi.ts';
import type { Operation } from './operations.ts';

/** A response header that is a component. */
export interface Header {
  /** The fragment that leads to it. */
  readonly id: string;
  /** As responses have it, which may differ from the component's. */
  readonly name: string;
  readonly description: string;
  readonly example: unknown;
  /** The operations that have it, unless all do. */
  readonly users: readonly Operation[];
}

export function headersOf({ root }: OpenApi, operations: readonly Operation[]): Header[] {
  const uses = operations.flatMap((operation) =>
    operation.responses.flatMap(({ headers }) =>
      Object.entries(headers).map(([name, header]) => ({
        operation,
        name,
        component: componentOf(header),
      })),
    ),
  );
  return Object.entries(nodeOf(nodeOf(root['components'])['headers'])).map(
    ([component, header]) => {
      const { description, example } = nodeOf(header);
      const used = uses.filter((use) => use.component === component);
      const users = new Set(used.map(({ operation }) => operation));
      return {
        id: `/headers/${component}`,
        name: used[0]?.name ?? component,
        description: textOf(description),
        example,
        users: users.size === operations.length ? [] : [...users],
      };
    },
  );
}

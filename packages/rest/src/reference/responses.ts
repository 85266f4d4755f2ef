import { examplesOf } from './examples.ts';
import { componentOf, nodeOf, textOf, type Node, type OpenApi } from './openapi.ts';

export interface Response {
  readonly status: string;
  readonly description: string;
  /** Whether other operations have the same, by reference. */
  readonly isShared: boolean;
  /** As they are in the document, by name. */
  readonly headers: Node;
  readonly hasBody: boolean;
  readonly schema: unknown;
  readonly examples: readonly unknown[];
}

/** The components that are responses of more than one operation. */
export function sharedResponses({ root }: OpenApi): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const operation of Object.values(nodeOf(root['paths'])).map(nodeOf).flatMap(Object.values)) {
    for (const response of Object.values(nodeOf(nodeOf(operation)['responses']))) {
      const name = componentOf(response);
      if (name !== undefined) {
        (seen.has(name) ? shared : seen).add(name);
      }
    }
  }
  return shared;
}

/** @param shared from `sharedResponses` */
export function responsesOf(
  { resolve }: OpenApi,
  { responses }: Node,
  shared: ReadonlySet<string>,
): Response[] {
  return Object.entries(nodeOf(responses)).map(([status, value]) => {
    const node = resolve(value);
    const [content] = Object.values(nodeOf(node['content']));
    return {
      status,
      description: textOf(node['description']),
      isShared: shared.has(componentOf(value) ?? ''),
      headers: nodeOf(node['headers']),
      hasBody: content !== undefined,
      schema: nodeOf(content)['schema'],
      examples: examplesOf(nodeOf(content)),
    };
  });
}

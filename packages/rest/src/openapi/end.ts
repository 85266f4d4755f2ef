import { NOT_NULL, deprecationSentences, type NamedDeprecation } from '@store-gateway/graphql';
import { successorsOf } from '../deprecation.ts';
import type { Value } from '../members.ts';
import type { Rest } from '../rest.ts';

/** A description that also says when what it describes is removed, and what to use instead. */
export function withEnd(
  description: string,
  deprecation: NamedDeprecation | undefined,
  rest: Rest,
): string {
  if (deprecation === undefined) {
    return description;
  }
  const calls = successorsOf(rest, deprecation).map((successor) => `\`GET ${successor}\``);
  return `${description}\n\n${deprecationSentences(deprecation, calls)}`.trim();
}

/** The description of a parameter or a member, which says when it is removed. */
export function described(
  { description, extensions: { deprecation } }: Value,
  preset = '',
): { readonly description: string; readonly deprecated?: true } {
  // JSON Schema says itself what can't be null.
  const words = (description ?? '').replace(NOT_NULL, '') + preset;
  return deprecation === undefined
    ? { description: words }
    : {
        description: `${words}\n\n${deprecationSentences(deprecation, [])}`.trim(),
        deprecated: true,
      };
}

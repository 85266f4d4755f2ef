import { parseExactly, isJsonObject } from '@store-gateway/ops';
import type { Answer } from './gateway.ts';
import { headerFaults } from './header-faults.ts';
import { schemaFaults } from './json-schema.ts';
import { document, object, type DocumentedOperation } from './openapi.ts';

/** Headers of every response that the contract doesn't describe. */
export const UNTOLD: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
]);

/**
 * What is documented of an operation's answers of a status. What announces its end is on all but those that nobody has read,
 * and told with its success.
 */
export function documentedOf({ responses }: DocumentedOperation, status: number) {
  const response = responses.get(status);
  const success = responses.get(200)?.headers ?? {};
  const announcing = 'deprecation' in success ? ['deprecation', 'sunset', 'link'] : [];
  const announced: Record<string, unknown> = Object.fromEntries(
    announcing.map((name) => [name, { ...object(success[name]), required: false }]),
  );
  return response && { ...response, headers: { ...announced, ...response.headers } };
}

/** Only of a replay, if a body's encoding or type is refused, and of what a request has beyond its operation. */
const SOMETIMES = new Set([
  'idempotent-replayed',
  'accept-encoding',
  'accept-patch',
  'ignored-parameters',
  'preference-applied',
]);

/** What of an answer is otherwise than the document says. */
export function answerFaults(
  operation: DocumentedOperation,
  answer: Omit<Answer, 'json'>,
): string[] {
  const { status, headers, text } = answer;
  const documented = documentedOf(operation, status);
  if (documented === undefined) {
    return [`${status}: ${text}`];
  }
  const told = [...headers].filter(([name]) => !UNTOLD.has(name));
  const body: unknown = text === '' ? undefined : parseExactly(text);
  return [
    ...told.flatMap(([name, value]) => headerFaults(name, value, documented.headers[name])),
    ...Object.entries(documented.headers)
      .filter(([name]) => !headers.has(name) && !SOMETIMES.has(name))
      .filter(([, header]) => !(isUnread(text) && isOptional(header)))
      .map(([name]) => `${status}: no ${name}`),
    ...(documented.schema === undefined && body === undefined
      ? []
      : schemaFaults(document, documented.schema, body)),
    ...(headers.get('Content-Type') ===
    (body === undefined ? null : 'application/json; charset=utf-8')
      ? []
      : [`${status}: Content-Type`]),
  ];
}

/** Whether a request was refused before anyone looked at whose it is, or what it wants. */
function isUnread(text: string): boolean {
  return text.includes('"code":"OVERLOADED"') || text.includes('cannot reach its database');
}

function isOptional(header: unknown): boolean {
  return isJsonObject(header) && header['required'] === false;
}

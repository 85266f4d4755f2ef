import type { Example, Preparation, SampleRequest } from '../../../browser/sample.js';
import { LANGUAGES } from '../../../browser/samples.js';
import { headersOf, targetOf } from '../../../browser/request.js';
import { html, type Html } from '@store-gateway/http';
import { inLine, nodeOf } from '../openapi.ts';
import type { Operation } from '../operations.ts';

/**
 * Renders code samples with radio buttons, so that choosing a language needs no script. The samples read the key from
 * `API_KEY`.
 */
export function renderSamples(operation: Operation, server: string): Html {
  const example = exampleOf(operation, server);
  return html`<div class="samples" data-example="${JSON.stringify(example)}">
    <fieldset>
      <legend class="unseen">Code sample in</legend>
      ${LANGUAGES.map(
        ([language], index) =>
          html`<label
            ><input
              type="radio"
              name="language ${operation.id}"
              value="${language}"
              ${index === 0 ? html` checked` : undefined}
            />${language}</label
          >`,
      )}
      <button type="button" class="copy" hidden>Copy</button>
    </fieldset>
    ${LANGUAGES.map(
      ([language, write]) =>
        html`<pre data-language="${language}"><code>${write(example)}</code></pre>`,
    )}
  </div>`;
}

/** Returns an operation's request, with one request for each resource that must be added first, directly or indirectly. */
function exampleOf(operation: Operation, server: string): Example {
  const variables = new Map<Operation, string>();
  const preparations: Preparation[] = [];
  const requestOf = (each: Operation): SampleRequest => {
    const members = Object.keys(nodeOf(each.body?.example));
    const ids = new Map<string, string>();
    for (const { member, addedBy } of each.prerequisites) {
      if (members.includes(member) && addedBy !== operation) {
        const taken = [...variables.values()];
        const free = taken.includes(member) ? `${member}${taken.length + 1}` : member;
        const variable = variables.get(addedBy) ?? free;
        if (!variables.has(addedBy)) {
          variables.set(addedBy, variable);
          preparations.push({ variable, request: requestOf(addedBy) });
        }
        ids.set(member, variable);
      }
    }
    return exampleRequest(each, server, ids);
  };
  return { server, request: requestOf(operation), preparations };
}

/**
 * Returns a request with the required parameters, and those with a default.
 *
 * @param ids the variables whose values are the ids for members of the body
 */
function exampleRequest(
  { method, path, parameters, body, responses }: Operation,
  server: string,
  ids: ReadonlyMap<string, string>,
): SampleRequest {
  const fields = [
    ...(body ? [{ place: 'body', name: body.mediaType, value: '' }] : []),
    ...parameters,
  ];
  return {
    method,
    url: server + targetOf(path, fields),
    headers: headersOf(fields),
    body: body && bodyWith(body.example, ids),
    hasResult: responses.some(({ status, hasBody }) => hasBody && status.startsWith('2')),
  };
}

/** A character that no example contains. */
const MARK = '\u{F0000}';

function bodyWith(example: unknown, ids: ReadonlyMap<string, string>): readonly string[] {
  const marked = Object.entries(nodeOf(example)).map(([name, value]) => {
    const variable = ids.get(name);
    return [name, variable === undefined ? value : MARK + variable + MARK] as const;
  });
  const text = inLine(ids.size === 0 ? example : Object.fromEntries(marked));
  return text.split(new RegExp(`"?${MARK}"?`, 'u'));
}

import { type Html, html } from '@store-gateway/http';
import {
  componentOf,
  inlineYaml,
  inLines,
  membersOf,
  nodeOf,
  type Operation,
  valuesOf,
} from './openapi.ts';
import {
  renderBadge,
  type Rendering,
  renderMeanings,
  renderMembers,
  renderType,
  splitEnd,
} from './members.ts';
import type { Example, Preparation, SampleRequest } from '../../browser/sample.js';
import { LANGUAGES } from '../../browser/samples.js';
import { headersOf, targetOf } from '../../browser/request.js';

type Parameter = Operation['parameters'][number];
type Response = Operation['responses'][number];

/** Renders what an operation accepts and returns and, next to that, code samples, an example and a form to try it. */
export function renderOperation(operation: Operation, rendering: Rendering): Html {
  const { id, method, path, summary, responses } = operation;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}/title">
    <header>
      <h3 id="${id}/title"><a href="#${id}">${summary}</a>${renderBadges(operation)}</h3>
      <p class="address">
        <span class="method ${method}">${method}</span> <code>${rendering.basePath}${path}</code>
        ${renderScopes(operation)}
      </p>
    </header>
    <div class="contract">
      ${renderDescription(operation, rendering)} ${renderParameters(operation, rendering)}
      ${renderBody(operation, rendering)}
    </div>
    <div class="panel">
      ${renderSamples(operation, rendering.server)}
      ${responses.slice(0, 1).map(
        ({ status, hasBody, examples }) =>
          html`<figure>
            <figcaption>
              Response <span class="status" data-class="${status.slice(0, 1)}">${status}</span>${
                hasBody ? undefined : html` <span class="facts">without a body</span>`
              }
            </figcaption>
            ${examples.slice(0, 1).map((each) => html`<pre><code>${inLines(each)}</code></pre>`)}
          </figure>`,
      )}
      ${renderTryIt(operation, rendering)}
    </div>
    ${renderResponses(responses, rendering)}
  </section>`;
}

function renderScopes({ scopes }: Operation): Html | undefined {
  return scopes.length === 0
    ? undefined
    : html`<span class="facts"
        >${scopes.length === 1 ? 'scope' : 'scopes'} <code>${scopes.join(' ')}</code></span
      >`;
}

/** Renders an operation's stability, unless it is stable, and whether it is deprecated. */
export function renderBadges({ stability, deprecated }: Operation): readonly Html[] {
  const words = [
    ...(stability === '' || stability === 'stable' ? [] : [stability]),
    ...(deprecated ? ['deprecated'] : []),
  ];
  return words.map(renderBadge);
}

/** Renders an operation's description, with its deprecation (`Deprecated since …`) set apart. */
function renderDescription(operation: Operation, { markdown }: Rendering): Html {
  const { end, rest } = splitEnd(operation);
  return html`${
      operation.deprecated
        ? html`<div class="deprecation" role="note">
            ${markdown.paragraphs(end || 'Deprecated.')}
          </div>`
        : undefined
    }
    <div class="prose">${markdown.paragraphs(rest)}</div>`;
}

function renderParameters({ parameters }: Operation, rendering: Rendering): Html | undefined {
  return parameters.length === 0
    ? undefined
    : html`<h4>Parameters</h4>
        ${renderMembers(parameters, rendering)}`;
}

function renderBody({ body }: Operation, rendering: Rendering): Html | undefined {
  return (
    body &&
    html`<h4>
        Request body <span class="facts">${renderType(body.schema)}${body.mediaType}</span>
      </h4>
      ${renderMembers(membersOf(rendering.openApi, body.schema), rendering)}`
  );
}

/**
 * Renders the responses, each as a line that expands. Responses shared with other operations are collapsed into one extra line,
 * because listing them would fill several screens.
 */
function renderResponses(responses: readonly Response[], rendering: Rendering): Html {
  const shared = responses.filter(({ isShared }) => isShared);
  return html`<div class="responses">
    <h4>Responses</h4>
    ${responses.map((each) => (each.isShared ? undefined : renderResponse(each, rendering)))}
    ${
      shared.length === 0
        ? undefined
        : html`<details>
            <summary>
              <span
                >Shared with other operations:
                ${shared.map(
                  ({ status }) =>
                    html`<span class="status" data-class="${status.slice(0, 1)}">${status}</span> `,
                )}</span
              >
            </summary>
            ${shared.map((each) => renderResponse(each, rendering))}
          </details>`
    }
  </div>`;
}

function renderResponse(response: Response, rendering: Rendering): Html {
  const { status, description } = response;
  return html`<details>
    <summary>
      <span class="status" data-class="${status.slice(0, 1)}">${status}</span>
      <span>${rendering.markdown.line(description)}</span>
    </summary>
    ${renderCodes(response, rendering)} ${renderExamples(response)} ${renderHeaders(response)}
  </details>`;
}

/** Renders the meanings of the enum values in a response's examples, such as error codes. */
function renderCodes({ schema, examples }: Response, rendering: Rendering): readonly Html[] {
  return membersOf(rendering.openApi, schema).flatMap(({ name, schema: ofMember }) => {
    const only = new Set(examples.map((example) => nodeOf(example)[name]));
    const table = { component: componentOf(ofMember) ?? '', heading: name, only };
    return renderMeanings(table, ofMember, rendering) ?? [];
  });
}

function renderExamples({ hasBody, schema, examples }: Response): Html {
  return hasBody
    ? html`<p class="facts">Body: ${renderType(schema)}application/json</p>
        <pre><code>${examples.map(inlineYaml).join('\n')}</code></pre>`
    : html`<p class="facts">No body.</p>`;
}

/** Renders the names of a response's headers. Headers that are components link to their description. */
function renderHeaders({ headers }: Response): Html | undefined {
  const names = Object.entries(headers).map(([name, header]) => {
    const component = componentOf(header);
    return component === undefined
      ? html`<code>${name}</code> `
      : html`<a href="#/headers/${component}"><code>${name}</code></a> `;
  });
  return names.length === 0 ? undefined : html`<p class="facts">Headers: ${names}</p>`;
}

/**
 * Renders code samples with radio buttons, so that choosing a language doesn't need a script. The samples read the key from the
 * environment variable `API_KEY`.
 */
function renderSamples(operation: Operation, server: string): Html {
  const example = exampleOf(operation, server);
  return html`<div class="samples" data-example="${JSON.stringify(example)}">
    <fieldset>
      <legend class="unseen">Language of the code sample</legend>
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

/** Returns an operation's request, preceded by a request for each resource that must be added first, directly or indirectly. */
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
 * Returns a request with the parameters that are required or have a default.
 *
 * @param ids the names of the variables that contain ids, by the member of the body that takes the id
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

/** A separator that no example contains. */
const MARK = '\u{F0000}';

function bodyWith(example: unknown, ids: ReadonlyMap<string, string>): readonly string[] {
  const marked = Object.entries(nodeOf(example)).map(([name, value]) => {
    const variable = ids.get(name);
    return [name, variable === undefined ? value : MARK + variable + MARK] as const;
  });
  const text = inlineYaml(ids.size === 0 ? example : Object.fromEntries(marked));
  return text.split(new RegExp(`"?${MARK}"?`, 'u'));
}

/** Renders the form to try an operation. The page's script shows the form and sends its request. */
function renderTryIt(
  { id, method, path, scopes, parameters, body }: Operation,
  rendering: Rendering,
): Html {
  return html`<details class="try-it" hidden>
    <summary>Try it</summary>
    <form
      class="controls"
      data-method="${method}"
      data-path="${path}"
      data-scopes="${scopes.join(' ')}"
      aria-labelledby="${id}/title"
      autocomplete="off"
    >
      ${parameters.map((parameter) => renderField(id, parameter, rendering))}
      ${
        body &&
        html`<label for="${id}/body">Request body</label>
          <textarea
            id="${id}/body"
            data-place="body"
            name="${body.mediaType}"
            rows="${inLines(body.example).split('\n').length}"
            spellcheck="false"
          >
${inLines(body.example)}</textarea>`
      }
      <p class="without-key" hidden>
        Without an API key, the response is 401. <a href="#api-key">Enter a key</a>
      </p>
      <p class="without-scopes" role="status" hidden></p>
      <button type="submit">Send</button>
    </form>
    <p class="outcome" role="status"></p>
    <details class="received" hidden>
      <summary>Response headers</summary>
      <pre><code></code></pre>
    </details>
    <pre
      class="body"
      role="region"
      aria-label="Response body"
      tabindex="0"
      hidden
    ><code></code></pre>
  </details>`;
}

function renderField(
  operation: string,
  { name, place, schema, value, required }: Parameter,
  { openApi }: Rendering,
): Html {
  const id = `${operation}/${name}`;
  const values = valuesOf(openApi, schema);
  return html`<label for="${id}">${name}</label> ${
      values.length > 0
        ? html`<select id="${id}" data-place="${place}" name="${name}">
            ${['', ...values].map(
              (each) =>
                html`<option${each === value ? html` selected` : undefined}>${each}</option>`,
            )}
          </select>`
        : html`<input
            id="${id}"
            data-place="${place}"
            name="${name}"
            value="${value}"
            autocomplete="off"
            spellcheck="false"
            ${required ? html` required` : undefined}
          />`
    }`;
}

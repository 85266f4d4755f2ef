import { html, type Html } from '@store-gateway/http';
import { inLines } from '../openapi.ts';
import type { Operation, Parameter } from '../operations.ts';
import { valuesOf } from '../schemas.ts';
import type { Rendering } from './rendering.ts';

/** Renders a form that the page's script shows and sends. */
export function renderTryIt(
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

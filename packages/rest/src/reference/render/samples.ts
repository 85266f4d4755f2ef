import { LANGUAGES } from '../../../browser/samples.js';
import { exampleOf } from '../example.ts';
import { html, type Html } from '@store-gateway/http';
import type { Operation } from '../operations.ts';

/** Code samples behind radio buttons, so that choosing a language needs no script. They read the key from `API_KEY`. */
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

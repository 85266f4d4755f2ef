import { html, type Html } from '../html.ts';
import type { Operation } from '../operations.ts';
import { samplesOf } from '../samples/samples.ts';

/** Code samples behind radio buttons, so that choosing a language needs no script. */
export function renderSamples(operation: Operation, server: string): Html {
  const samples = samplesOf(operation, server);
  return html`<div class="samples">
    <fieldset>
      <legend class="unseen">Code sample in</legend>
      ${samples.map(
        ({ language }, index) =>
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
    ${samples.map(
      ({ language, code }) => html`<pre data-language="${language}"><code>${code}</code></pre>`,
    )}
  </div>`;
}

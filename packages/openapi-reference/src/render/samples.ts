import { html, type Html } from '../html.ts';
import type { Operation } from '../operations.ts';
import { curlSample } from '../samples/curl.ts';
import { exampleOf } from '../samples/example-request.ts';
import { goSample } from '../samples/go.ts';
import { javascriptSample } from '../samples/javascript.ts';
import { pythonSample } from '../samples/python.ts';

const LANGUAGES = [
  ['curl', curlSample],
  ['JavaScript', javascriptSample],
  ['Python', pythonSample],
  ['Go', goSample],
] as const;

/** Code samples behind radio buttons, so that choosing a language needs no script. They read the key from `API_KEY`. */
export function renderSamples(operation: Operation, server: string): Html {
  const example = exampleOf(operation, server);
  return html`<div class="samples">
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

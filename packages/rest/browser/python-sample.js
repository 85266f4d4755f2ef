import { concatenated } from './sample.js';

/** @param {import('./sample.js').Example} example */
export function pythonSample({ preparations, request }) {
  const added = preparations.map(
    ({ variable, request: each }) => `${requestOf(each)}
with urlopen(request) as response:
    ${variable} = json.dumps(json.load(response)["id"])

`,
  );
  const modules = request.hasResult || added.length > 0 ? 'json, os' : 'os';
  return `import ${modules}
from urllib.request import Request, urlopen

${added.join('')}${requestOf(request)}
with urlopen(request) as response:
    print(response.status${request.hasResult ? ', json.load(response)' : ''})`;
}

/** @param {import('./sample.js').SampleRequest} request */
function requestOf({ method, url, headers, body }) {
  return `request = Request(
    ${quote(url)},
    method=${quote(method)},
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],${headers
          .map(([name, value]) => `\n        ${quote(name)}: ${quote(value)},`)
          .join('')}
    },${body === undefined ? '' : `\n    data=${bytesOf(body)},`}
)`;
}

/** @param {readonly string[]} body */
function bytesOf(body) {
  const text = concatenated(body, quote, ' + ');
  return body.length === 1 ? `${text}.encode()` : `(${text}).encode()`;
}

/**
 * Quotes a string for Python. Double quotes are usual, but single quotes make JSON easier to read.
 *
 * @param {string} text
 */
function quote(text) {
  const mark = text.includes('"') ? "'" : '"';
  const escaped = text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll(mark, `\\${mark}`)
    .replaceAll('\n', String.raw`\n`);
  return mark + escaped + mark;
}

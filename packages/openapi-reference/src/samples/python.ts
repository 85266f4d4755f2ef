import { concatenated, type Example, type ExampleRequest } from './example-request.ts';

export function pythonSample({ preparations, request }: Example): string {
  const added = preparations.map(
    ({ variable, request: each }) => `${requestOf(each)}
with urlopen(request) as response:
    ${variable} = json.dumps(json.load(response)["id"])

`,
  );
  return `import json, os
from urllib.request import Request, urlopen

${added.join('')}${requestOf(request)}
with urlopen(request) as response:
    print(response.status, json.load(response))`;
}

function requestOf({ method, url, headers, body }: ExampleRequest): string {
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

function bytesOf(body: readonly string[]): string {
  const text = concatenated(body, quote, ' + ');
  return body.length === 1 ? `${text}.encode()` : `(${text}).encode()`;
}

/** Double quotes are usual, but in JSON single ones are easier to read. */
function quote(text: string): string {
  const mark = text.includes('"') ? "'" : '"';
  return mark + text.replaceAll('\\', String.raw`\\`).replaceAll(mark, `\\${mark}`) + mark;
}

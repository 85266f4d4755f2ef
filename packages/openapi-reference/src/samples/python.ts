import type { ExampleRequest } from './example-request.ts';

export function pythonSample({ method, url, headers, body }: ExampleRequest): string {
  return `import json, os
from urllib.request import Request, urlopen

request = Request(
    ${quote(url)},
    method=${quote(method)},
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],${headers
          .map(([name, value]) => `\n        ${quote(name)}: ${quote(value)},`)
          .join('')}
    },${body === undefined ? '' : `\n    data=${quote(body)}.encode(),`}
)
with urlopen(request) as response:
    print(response.status, json.load(response))`;
}

/** Double quotes are usual, but in JSON single ones are easier to read. */
function quote(text: string): string {
  const mark = text.includes('"') ? "'" : '"';
  return mark + text.replaceAll('\\', String.raw`\\`).replaceAll(mark, `\\${mark}`) + mark;
}

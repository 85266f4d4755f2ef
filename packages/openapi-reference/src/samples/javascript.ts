import type { ExampleRequest } from './example-request.ts';

export function javascriptSample({ method, url, headers, body }: ExampleRequest): string {
  return `const response = await fetch(${quote(url)}, {${method === 'GET' ? '' : `\n  method: ${quote(method)},`}
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,${headers
      .map(([name, value]) => `\n    ${quote(name)}: ${quote(value)},`)
      .join('')}
  },${body === undefined ? '' : `\n  body: ${quote(body)},`}
});
// Large integers as bigints: JSON.parse alone would round them.
const result = JSON.parse(await response.text(), (_key, value, { source }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value,
);
console.log(response.status, result);`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}

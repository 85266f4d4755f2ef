import { concatenated, type Example, type ExampleRequest } from './example-request.ts';

export function javascriptSample({ preparations, request }: Example): string {
  const added = preparations.map(
    ({ variable, request: each }) => `const ${variable} = await idOf(${fetchOf(each)});\n`,
  );
  return `${added.length === 0 ? '' : ID_OF}${added.join('')}const response = await ${fetchOf(request)};
// Large integers as bigints: JSON.parse alone would round them.
const result = JSON.parse(await response.text(), (_key, value, { source }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value,
);
console.log(response.status, result);`;
}

const ID_OF = `// As it is in JSON, with all digits.
async function idOf(answer) {
  const [, id] = (await (await answer).text()).match(/"id":("[^"]*"|-?\\d+)/);
  return id;
}
`;

function fetchOf({ method, url, headers, body }: ExampleRequest): string {
  return `fetch(${quote(url)}, {${method === 'GET' ? '' : `\n  method: ${quote(method)},`}
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,${headers
      .map(([name, value]) => `\n    ${quote(name)}: ${quote(value)},`)
      .join('')}
  },${body === undefined ? '' : `\n  body: ${concatenated(body, quote, ' + ')},`}
})`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}

import { concatenated } from './sample.js';

/** @param {import('./sample.js').Example} example */
export function javascriptSample({ preparations, request }) {
  const added = preparations.map(
    ({ variable, request: each }) => `const ${variable} = await idOf(${fetchOf(each)});\n`,
  );
  return `${added.length === 0 ? '' : ID_OF}${added.join('')}const response = await ${fetchOf(request)};
${request.hasResult ? SHOW_RESULT : 'console.log(response.status);'}`;
}

const SHOW_RESULT = `// Large integers as bigints: JSON.parse alone would round them.
const result = JSON.parse(await response.text(), (_key, value, { source }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value,
);
console.log(response.status, result);`;

const ID_OF = `// As it is in JSON, with all digits.
async function idOf(answer) {
  const [, id] = (await (await answer).text()).match(/"id":("[^"]*"|-?\\d+)/);
  return id;
}
`;

/** @param {import('./sample.js').SampleRequest} request */
function fetchOf({ method, url, headers, body }) {
  return `fetch(${quote(url)}, {${method === 'GET' ? '' : `\n  method: ${quote(method)},`}
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,${headers
      .map(([name, value]) => `\n    ${quote(name)}: ${quote(value)},`)
      .join('')}
  },${body === undefined ? '' : `\n  body: ${concatenated(body, quote, ' + ')},`}
})`;
}

/** @param {string} text */
function quote(text) {
  const escaped = text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`);
  return `'${escaped}'`;
}

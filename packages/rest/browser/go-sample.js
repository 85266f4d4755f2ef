import { concatenated } from './sample.js';

/** @param {import('./sample.js').Example} example */
export function goSample({ preparations, request }) {
  const isPrepared = preparations.length > 0;
  const imports = [
    ...(isPrepared ? ['encoding/json'] : []),
    'io',
    'net/http',
    'os',
    ...(request.body === undefined ? [] : ['strings']),
  ];
  const added = preparations.map(
    ({ variable, request: each }) => `\t{
${requestOf(each).replaceAll(/^/gm, '\t')}
\t\tvar added struct{ ID json.RawMessage }
\t\tif err := json.NewDecoder(response.Body).Decode(&added); err != nil {
\t\t\tpanic(err)
\t\t}
\t\t${variable} = string(added.ID)
\t}
`,
  );
  const variables = preparations.map(({ variable }) => variable).join(', ');
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
${isPrepared ? `\t// As they are in JSON.\n\tvar ${variables} string\n` : ''}${added.join('')}${requestOf(request)}
\tio.Copy(os.Stdout, response.Body)
}`;
}

/** @param {import('./sample.js').SampleRequest} request */
function requestOf({ method, url, headers, body }) {
  const reader =
    body === undefined ? 'nil' : `strings.NewReader(${concatenated(body, quote, '+')})`;
  return `\trequest, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(url)}, ${reader})
\tif err != nil {
\t\tpanic(err)
\t}
\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
${headers.map(([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`).join('')}\tresponse, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer response.Body.Close()`;
}

/**
 * Quotes a string for Go. A raw string can't contain a backquote.
 *
 * @param {string} text
 */
function quote(text) {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}

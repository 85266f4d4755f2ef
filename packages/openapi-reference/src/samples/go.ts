import type { ExampleRequest } from './example-request.ts';

export function goSample({ method, url, headers, body }: ExampleRequest): string {
  const imports = ['io', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
\trequest, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(url)}, ${
    body === undefined ? 'nil' : `strings.NewReader(${quote(body)})`
  })
\tif err != nil {
\t\tpanic(err)
\t}
\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
${headers.map(([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`).join('')}\tresponse, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer response.Body.Close()
\tio.Copy(os.Stdout, response.Body)
}`;
}

/** Raw strings can't have their own mark within. */
function quote(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}

import type { Example, ExampleRequest } from './example-request.ts';

export function curlSample({ preparations, request }: Example): string {
  const added = preparations.map(
    ({ variable, request: each }) =>
      `${variable}=$(${curlOf(each)} |\n  grep -o '"id":[^,}]*' | head -n 1 | cut -d : -f 2)`,
  );
  return [...added, curlOf(request)].join('\n');
}

function curlOf({ method, url, headers, body }: ExampleRequest): string {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${quote(url)}`,
    '-H "Authorization: Bearer $API_KEY"',
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${body.map(pieceOf).join('')}`]),
  ].join(' \\\n  ');
}

function pieceOf(piece: string, index: number): string {
  return index % 2 === 0 ? quote(piece) : `"$${piece}"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

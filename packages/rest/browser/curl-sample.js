/** @param {import('./sample.js').Example} example */
export function curlSample({ preparations, request }) {
  const added = preparations.map(
    ({ variable, request: each }) =>
      `${variable}=$(${curlOf(each)} |\n  grep -o '"id":[^,}]*' | head -n 1 | cut -d : -f 2)`,
  );
  return [...added, curlOf(request)].join('\n');
}

/** @param {import('./sample.js').SampleRequest} request */
function curlOf({ method, url, headers, body, hasResult }) {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  const options = [
    // If the response has no body, curl prints nothing without `-i`.
    ...(hasResult ? [] : ['-i']),
    ...(isImplied ? [] : [`-X ${method}`]),
  ];
  return [
    ['curl', ...options, quote(url)].join(' '),
    '-H "Authorization: Bearer $API_KEY"',
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${body.map(pieceOf).join('')}`]),
  ].join(' \\\n  ');
}

/**
 * @param {string} piece
 * @param {number} index
 */
function pieceOf(piece, index) {
  return index % 2 === 0 ? quote(piece) : `"$${piece}"`;
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

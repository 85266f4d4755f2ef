import { writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { parseArgs } from 'node:util';

// A stand-in for curl on a machine that lacks it, with the features that the pages use.
const { values, positionals } = parseArgs({
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    silent: { type: 'boolean', short: 's' },
    'dump-header': { type: 'string', short: 'D' },
    output: { type: 'string', short: 'o' },
  },
  allowPositionals: true,
});

const method = values.data === undefined ? 'GET' : 'POST';
const sent = request(positionals[0] ?? '', { method });
for (const line of values.header) {
  const [name = '', value = ''] = line.split(': ');
  sent.setHeader(name, value);
}
sent.end(values.data);
const response = await new Promise<IncomingMessage>((resolve, reject) => {
  sent.once('response', resolve).once('error', reject);
});
const { statusCode = 0, rawHeaders } = response;
if (values['dump-header'] !== undefined) {
  const lines = rawHeaders.map((part, index) => part + (index % 2 === 0 ? ': ' : '\r\n'));
  writeFileSync(1, `HTTP/1.1 ${statusCode}\r\n${lines.join('')}\r\n`);
}
writeFileSync(values.output ?? 1, Buffer.concat(await response.toArray()));
// Like --fail-with-body.
process.exitCode = statusCode < 400 ? 0 : 22;

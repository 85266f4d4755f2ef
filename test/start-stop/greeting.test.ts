import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { runOnTerminal, type ChildEntry } from '../support/process.ts';
import { newDatabase } from '../support/new-database.ts';

/** A store that already has a key. */
const { databaseUrl } = await startGateway();

/** Starts the service on a terminal, without a log, until Ctrl-C; returns its output. */
async function start(
  env: NodeJS.ProcessEnv,
  whileItRuns = async (_url: string, _child: ChildEntry) => {},
) {
  await using child = runOnTerminal('src/main.ts', {
    env: { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent', ...env },
  });
  await child.line('stdout', (line) => line.startsWith('Stop:'));
  await whileItRuns(urlOf(child.stdout()), child);
  child.type('\u0003');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  return child.stdout().replaceAll('\r\n', '\n').replace(/\^C$/, '');
}

function urlOf(shown: string): string {
  return /http:\/\/[\d.:]+/.exec(shown)?.[0] ?? '';
}

function addresses(url: string): string {
  return `
The store:           ${url}/
GraphiQL:            ${url}/graphql
REST documentation:  ${url}/docs
OpenAPI:             ${url}/v1/openapi.json
GraphQL schema:      ${url}/schema.graphql

Create a key:        npm run --silent keys -- create NAME
Stop:                Ctrl-C

`;
}

test('the first start on a terminal shows a new key and the addresses', async () => {
  const shown = await start({ DATABASE_URL: await newDatabase(), NO_COLOR: '1' });
  const url = urlOf(shown);
  const [, key = ''] = /^ {2}API_KEY=(asg_\w+)$/m.exec(shown) ?? [];
  expect(shown).toBe(`
This is a new store. Its first API key, shown only once:

  API_KEY=${key}

After pasting that line into a shell, list the animals (there are none yet):

  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/pets

Or open this link to the store in a browser:

  ${url}/#API_KEY=${key}
${addresses(url)}`);
});

test('a later start on a terminal shows the addresses, which all work, and a log line for each request', async () => {
  const paths = ['/', '/graphql', '/docs', '/v1/openapi.json', '/schema.graphql'];
  const shown = await start({ NO_COLOR: '1', LOG_LEVEL: 'info' }, async (url, child) => {
    const told = Array.from(addresses(url).matchAll(/http:\S+/g), ([address]) => address);
    expect(told).toEqual(paths.map((path) => url + path));
    for (const address of told) {
      const answer = await fetch(address, { headers: { Accept: 'text/html, */*' } });
      await answer.arrayBuffer();
    }
    // On Ctrl-C, a terminal discards output that it has not shown yet.
    await child.line('stdout', (line) => line.includes(`GET ${paths.at(-1)} 200`));
  });
  const lines = shown.split('\n');
  const logged = lines.filter((line) => line.includes('INFO: '));
  expect(lines.filter((line) => !logged.includes(line)).join('\n')).toBe(addresses(urlOf(shown)));
  const requests = paths.map((path) => `INFO: GET ${path} 200`);
  expect(
    logged
      .slice(-requests.length - 1)
      .map((line) =>
        line.replace(/^.*\[[\d:.]+\] /, '').replace(/ [\d.]+ ms \{"requestId":"[\w-]+"\}$/, ''),
      ),
  ).toEqual([...requests, 'INFO: stopping']);
});

test("on a color terminal, URLs are bold, and GRAPHQL_INTROSPECTION=off hides the schema's URL", async () => {
  const coloured = await start({ TERM: 'xterm-256color', GRAPHQL_INTROSPECTION: 'off' });
  const url = urlOf(coloured);
  const bold = new RegExp(`${RegExp.escape(url)}/\\S*`, 'g');
  const told = addresses(url).replace(/^GraphQL schema:.*\n/m, '');
  expect(coloured).toBe(told.replaceAll(bold, '\u001B[1m$&\u001B[22m'));
});

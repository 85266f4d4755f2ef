import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, inject, onTestFinished, test } from 'vitest';
import { environmentFor, startCollector } from '../support/collector.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService } from '../support/service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

async function start(env: NodeJS.ProcessEnv) {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const service = await startService({ DATABASE_URL: url, ...env });
  const Authorization = `Bearer ${await firstKey(service)}`;
  return {
    service,
    send: async (headers: Record<string, string> = {}) => {
      const answer = await fetch(`${service.url}/v1/pets`, {
        headers: { Authorization, ...headers },
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    /** Tells the service to stop; expects that it does so in good order, and tells its log. */
    stop: async () => {
      service.child.kill('SIGTERM');
      expect(await service.child.exit).toEqual({ code: 0, signal: null });
      return service.child.stdout().split('\n');
    },
  };
}

/** Tells on stderr at its end what a process has loaded of OpenTelemetry. */
const TELL_LOADED = `--import data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (url.includes('@opentelemetry') && loaded.push(url), next(url, context)) });
  process.on('exit', () => process.stderr.write('loaded: ' + loaded.length + '\\n'));
`)}`;

test.each([
  { what: 'without a variable', env: () => ({}) },
  {
    what: 'with OTEL_SDK_DISABLED',
    env: (url: NodeJS.ProcessEnv) => ({ ...url, OTEL_SDK_DISABLED: 'TRUE' }),
  },
  {
    what: 'with OTEL_TRACES_EXPORTER=none',
    env: (url: NodeJS.ProcessEnv) => ({ ...url, OTEL_TRACES_EXPORTER: 'none' }),
  },
])(
  '$what nothing is loaded or exported, and the log has the trace of a client',
  async ({ env }) => {
    await using collector = await startCollector();
    const { service, send, stop } = await start({
      ...env(collector.env),
      NODE_OPTIONS: TELL_LOADED,
    });
    await send({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
    await send({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01-` });
    const requests = (await stop()).filter((line) => line.includes('"msg":"request"'));
    const traces = requests.map((line) => /"traceId":"(\w+)"/.exec(line)?.[1]);
    expect(traces).toEqual([TRACE, undefined]);
    expect(service.child.stderr()).toContain('loaded: 0\n');
    expect(collector.received()).toBe('');
  },
);

test('the last spans are exported before the end', async () => {
  await using collector = await startCollector();
  const { send, stop } = await start({
    ...collector.env,
    OTEL_BSP_SCHEDULE_DELAY: '60000',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  await send();
  expect(collector.received()).toBe('');
  const lines = await stop();
  expect(collector.spans().map(({ name }) => name)).toContain('GET /v1/pets');
  expect(collector.resource()).toMatchObject({
    'service.name': 'shop',
    'deployment.environment.name': 'test',
  });
  expect(lines.filter((line) => line.includes('"level":40'))).toEqual([]);
});

/** The address of a server that answers so; undefined if it is to be gone. */
async function addressOf(listener: RequestListener | undefined): Promise<string> {
  const server = createServer(listener ?? (() => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (listener === undefined) {
    server.close();
    await once(server, 'close');
  } else {
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test.each<{ what: string; listener: RequestListener | undefined }>([
  { what: 'is away', listener: undefined },
  { what: 'never answers', listener: () => undefined },
])('a collector that $what harms no request, and holds up no end', async ({ listener }) => {
  const { send, stop } = await start(environmentFor(await addressOf(listener)));
  for (let request = 0; request < 20; request += 1) {
    expect(await send()).toBe(200);
  }
  const warnings = (await stop()).filter((line) => line.includes('"level":40'));
  expect(warnings.at(-1)).toContain('the last traces are not exported');
});

test('a collector that refuses everything is told of in a few lines', async () => {
  const refused: unknown[] = [];
  const listener: RequestListener = (request, response) => {
    response.writeHead(400).end('{"message":"no"}');
    refused.push(request.url);
  };
  const { send, stop } = await start({
    ...environmentFor(await addressOf(listener)),
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  while (refused.length < 10) {
    expect(await send()).toBe(200);
  }
  const trouble = (await stop()).filter((line) => line.includes('trouble with traces'));
  expect(trouble.length).toBeGreaterThan(0);
  expect(trouble.length).toBeLessThanOrEqual(3);
  expect(trouble[0]).toContain('"reason":"Bad Request');
  // They are not on behalf of any request.
  expect(trouble.filter((line) => line.includes('requestId'))).toEqual([]);
});

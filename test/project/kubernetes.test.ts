import { readdir, readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { DEFAULT_POOL_SIZE, VARIABLE_NAMES } from '../../packages/gateway/src/config/config.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { createDatabase } from '../support/database.ts';
import { at, manifestFaults, readManifest, variablesOf } from '../support/kubernetes.ts';
import { runEntry } from '../support/process.ts';
import { startPatientService } from '../support/service.ts';

const FOLDER = new URL('../../deploy/kubernetes/', import.meta.url);
const FILES = (await readdir(FOLDER)).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
);

const deployment = await readManifest('deployment.yaml');
const pod = at(deployment, 'spec/template/spec');
const gateway = at(pod, 'containers/0');
const migration = at(pod, 'initContainers/0');
const containerfile = await readFile(new URL('../Containerfile', FOLDER), 'utf8');

/** A shutdown takes as long at most (packages/http/src/shutdown-signal.ts, docs/operations.md). */
const SHUTDOWN_SECONDS = 10;

/** Of PostgreSQL's default max_connections, without those that it reserves for superusers. */
const BACKENDS = 100 - 3;
const BACKENDS_OF_COMMAND = 5;

test.each(FILES)('%s is what the schema of Kubernetes allows', async (name) => {
  expect(manifestFaults(await readManifest(name))).toEqual([]);
});

test('a wrong type, a missing and an unknown member are found', () => {
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
  expect(manifestFaults({ ...budget, spec: { selector: 'all', maxUnavailble: 1 } })).toEqual([
    expect.stringContaining('/spec/selector'),
    '/spec/maxUnavailble is unknown',
  ]);
  expect(manifestFaults({ apiVersion: 'apps/v1', kind: 'Deployment', spec: {} })).toEqual([
    expect.stringContaining('selector'),
    expect.stringContaining('template'),
  ]);
});

test('the kustomization names all manifests, and the image of both containers', async () => {
  const kustomization = await readManifest('kustomization.yaml');
  expect(at(kustomization, 'resources')).toEqual(expect.arrayContaining(FILES));
  expect(at(kustomization, 'resources')).toHaveLength(FILES.length);
  expect([at(gateway, 'image'), at(migration, 'image')]).toEqual(
    Array(2).fill(at(kustomization, 'images/0/name')),
  );
});

test('service, budget, autoscaler and spread mean the pods of the deployment', async () => {
  const labels = at(deployment, 'spec/template/metadata/labels');
  const service = await readManifest('service.yaml');
  const budget = await readManifest('disruption-budget.yaml');
  expect([
    at(deployment, 'spec/selector/matchLabels'),
    at(service, 'spec/selector'),
    at(budget, 'spec/selector/matchLabels'),
    at(pod, 'topologySpreadConstraints/0/labelSelector/matchLabels'),
    at(pod, 'topologySpreadConstraints/1/labelSelector/matchLabels'),
  ]).toEqual(Array(5).fill(labels));
  const autoscaler = await readManifest('autoscaler.yaml');
  expect(at(autoscaler, 'spec/scaleTargetRef')).toEqual({
    apiVersion: at(deployment, 'apiVersion'),
    kind: at(deployment, 'kind'),
    name: at(deployment, 'metadata/name'),
  });
});

test('the network policy and the pod monitor mean the pods and ports of the deployment', async () => {
  const labels = at(deployment, 'spec/template/metadata/labels');
  const policy = await readManifest('network-policy.yaml');
  const monitor = await readManifest('prometheus-operator/pod-monitor.yaml');
  expect([
    at(policy, 'spec/podSelector/matchLabels'),
    at(monitor, 'spec/selector/matchLabels'),
  ]).toEqual(Array(2).fill(labels));
  expect([
    at(policy, 'spec/ingress/0/ports/0/port'),
    at(policy, 'spec/ingress/1/ports/0/port'),
    at(monitor, 'spec/podMetricsEndpoints/0/port'),
  ]).toEqual(['http', 'metrics', 'metrics']);
  // By which alerts and dashboard know the service.
  expect(labels).toHaveProperty([String(at(monitor, 'spec/jobLabel'))], 'animal-store-gateway');
});

test('each variable is one that the program knows', () => {
  const names = [gateway, migration].flatMap((container) => Object.keys(variablesOf(container)));
  expect(names.filter((name) => !VARIABLE_NAMES.has(name))).toEqual([]);
});

test('ports and user are those of the program and its image', async () => {
  const { PORT, METRICS_PORT } = variablesOf(gateway);
  expect(at(gateway, 'ports')).toEqual([
    { name: 'http', containerPort: Number(PORT) },
    { name: 'metrics', containerPort: Number(METRICS_PORT) },
  ]);
  expect(at(await readManifest('service.yaml'), 'spec/ports/0/targetPort')).toBe('http');
  expect(containerfile).toContain(`EXPOSE ${PORT}`);
  const [, user = ''] = /^USER (\S+)$/m.exec(containerfile) ?? [];
  // The user "node" of Node's images has the number 1000.
  expect(at(pod, 'securityContext/runAsUser')).toBe(user === 'node' ? 1000 : Number(user));
});

test('a pod has the time for its shutdown', () => {
  const waiting = Number(at(gateway, 'lifecycle/preStop/sleep/seconds'));
  expect(Number(at(pod, 'terminationGracePeriodSeconds'))).toBeGreaterThan(
    waiting + SHUTDOWN_SECONDS,
  );
});

test('PostgreSQL has connections for the most pods, one more of an update, and a command', async () => {
  const pods = Number(at(await readManifest('autoscaler.yaml'), 'spec/maxReplicas'));
  const surge = Number(at(deployment, 'spec/strategy/rollingUpdate/maxSurge'));
  const poolSize = Number(variablesOf(gateway)['POOL_SIZE'] ?? DEFAULT_POOL_SIZE);
  expect((pods + surge) * (poolSize + 1) + BACKENDS_OF_COMMAND).toBeLessThanOrEqual(BACKENDS);
});

test('the init container migrates; of the probes of the service, only readiness depends on the database', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  expect(at(migration, 'command')).toEqual(['node', 'src/main.ts', 'migrate']);
  await using migrate = runEntry('src/main.ts migrate', { env: { DATABASE_URL: databaseUrl } });
  expect(await migrate.exit).toEqual({ code: 0, signal: null });

  await using proxy = await startDatabaseProxy(databaseUrl);
  const env = { ...variablesOf(gateway), DATABASE_URL: proxy.url, PORT: '0', METRICS_PORT: '0' };
  await using service = await startPatientService(env);
  const statuses = () =>
    Promise.all(
      ['startupProbe', 'livenessProbe', 'readinessProbe'].map(async (probe) => {
        const path = String(at(gateway, `${probe}/httpGet/path`));
        return (await fetch(`${service.url}${path}`)).status;
      }),
    );
  expect(await statuses()).toEqual([200, 200, 200]);
  await proxy[Symbol.asyncDispose]();
  await expect.poll(statuses).toEqual([200, 200, 503]);
});

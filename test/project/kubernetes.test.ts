import { readdir, readFile } from 'node:fs/promises';
import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as validateAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as validateNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as validateBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject } from '@store-gateway/ops';
import { VARIABLE_NAMES, DEFAULT_POOL_SIZE } from '../../packages/gateway/src/config/config.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { runEntry } from '../support/process.ts';
import { startPatientService } from '../support/service.ts';

type Validate = (data: unknown) => boolean;

/** Compiled from the OpenAPI document that Kubernetes publishes. */
const SCHEMAS: Readonly<Record<string, Validate>> = {
  'apps/v1 Deployment': validateDeployment,
  'autoscaling/v2 HorizontalPodAutoscaler': validateAutoscaler,
  'v1 Service': validateService,
  'networking.k8s.io/v1 NetworkPolicy': validateNetworkPolicy,
  'policy/v1 PodDisruptionBudget': validateBudget,
};

const FOLDER = new URL('../../deploy/kubernetes/', import.meta.url);
const FILES = (await readdir(FOLDER)).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
);

const deployment = await readManifest('deployment.yaml');
const pod = at(deployment, 'spec/template/spec');
const gateway = at(pod, 'containers/0');
const migration = at(pod, 'initContainers/0');
const containerfile = await readFile(new URL('../Containerfile', FOLDER), 'utf8');

/** The maximum duration of a shutdown (packages/http/src/shutdown-signal.ts, docs/operations.md). */
const SHUTDOWN_SECONDS = 10;

/** PostgreSQL's default max_connections, minus the connections reserved for superusers. */
const BACKENDS = 100 - 3;
const BACKENDS_OF_COMMAND = 5;

test.each(FILES)('%s is valid according to the Kubernetes schema', async (name) => {
  expect(manifestFaults(await readManifest(name))).toEqual([]);
});

test("the kustomization lists all manifests and both containers' image", async () => {
  const kustomization = await readManifest('kustomization.yaml');
  expect(at(kustomization, 'resources')).toEqual(expect.arrayContaining(FILES));
  expect(at(kustomization, 'resources')).toHaveLength(FILES.length);
  expect([at(gateway, 'image'), at(migration, 'image')]).toEqual(
    Array(2).fill(at(kustomization, 'images/0/name')),
  );
});

test("all manifests select the deployment's pods and ports", async () => {
  const labels = at(deployment, 'spec/template/metadata/labels');
  const policy = await readManifest('network-policy.yaml');
  const monitor = await readManifest('prometheus-operator/pod-monitor.yaml');
  const autoscaler = await readManifest('autoscaler.yaml');
  expect([
    at(deployment, 'spec/selector/matchLabels'),
    at(await readManifest('service.yaml'), 'spec/selector'),
    at(await readManifest('disruption-budget.yaml'), 'spec/selector/matchLabels'),
    at(pod, 'topologySpreadConstraints/0/labelSelector/matchLabels'),
    at(pod, 'topologySpreadConstraints/1/labelSelector/matchLabels'),
    at(policy, 'spec/podSelector/matchLabels'),
    at(monitor, 'spec/selector/matchLabels'),
  ]).toEqual(Array(7).fill(labels));
  expect(at(autoscaler, 'spec/scaleTargetRef')).toEqual({
    apiVersion: at(deployment, 'apiVersion'),
    kind: at(deployment, 'kind'),
    name: at(deployment, 'metadata/name'),
  });
  expect([
    at(policy, 'spec/ingress/0/ports/0/port'),
    at(policy, 'spec/ingress/1/ports/0/port'),
    at(monitor, 'spec/podMetricsEndpoints/0/port'),
  ]).toEqual(['http', 'metrics', 'metrics']);
  // The label by which alerts and the dashboard identify the service.
  expect(labels).toHaveProperty([String(at(monitor, 'spec/jobLabel'))], 'animal-store-gateway');
});

test('each environment variable is a setting', () => {
  const names = [gateway, migration].flatMap((container) => Object.keys(variablesOf(container)));
  expect(names.filter((name) => !VARIABLE_NAMES.has(name))).toEqual([]);
});

test('the ports and the user match those of the program and its image', async () => {
  const { PORT, METRICS_PORT } = variablesOf(gateway);
  expect(at(gateway, 'ports')).toEqual([
    { name: 'http', containerPort: Number(PORT) },
    { name: 'metrics', containerPort: Number(METRICS_PORT) },
  ]);
  expect(at(await readManifest('service.yaml'), 'spec/ports/0/targetPort')).toBe('http');
  expect(containerfile).toContain(`EXPOSE ${PORT}`);
  const [, user = ''] = /^USER (\S+)$/m.exec(containerfile) ?? [];
  // The user "node" in Node's images has the id 1000.
  expect(at(pod, 'securityContext/runAsUser')).toBe(user === 'node' ? 1000 : Number(user));
});

test('a pod has enough time to shut down', () => {
  const waiting = Number(at(gateway, 'lifecycle/preStop/sleep/seconds'));
  expect(Number(at(pod, 'terminationGracePeriodSeconds'))).toBeGreaterThan(
    waiting + SHUTDOWN_SECONDS,
  );
});

test('PostgreSQL has enough connections for all pods during an update, plus a command', async () => {
  const pods = Number(at(await readManifest('autoscaler.yaml'), 'spec/maxReplicas'));
  const surge = Number(at(deployment, 'spec/strategy/rollingUpdate/maxSurge'));
  const poolSize = Number(variablesOf(gateway)['POOL_SIZE'] ?? DEFAULT_POOL_SIZE);
  expect((pods + surge) * (poolSize + 1) + BACKENDS_OF_COMMAND).toBeLessThanOrEqual(BACKENDS);
});

test('the init container runs the migrations, and only the readiness probe depends on the database', async () => {
  const databaseUrl = await emptyDatabase();
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

/** Reads a file from deploy/kubernetes. */
async function readManifest(name: string): Promise<unknown> {
  // Kubernetes' own parser merges `<<`, too.
  return parse(await readFile(new URL(name, FOLDER), 'utf8'), { merge: true });
}

/**
 * Returns a manifest's schema violations, and the members that the schema does not define: a Kubernetes API server
 * drops those silently unless validation is strict.
 */
function manifestFaults(manifest: unknown): string[] {
  const { apiVersion, kind } = isJsonObject(manifest) ? manifest : {};
  const type = `${String(apiVersion)} ${String(kind)}`;
  const validate = SCHEMAS[type];
  if (validate === undefined) {
    return [`there is no schema of ${type}`];
  }
  const unread = new Set<string>();
  validate(watched(manifest, '', unread));
  const errors: unknown = Reflect.get(validate, 'errors') ?? [];
  return [
    ...(Array.isArray(errors) ? errors : [errors]).map((error) => JSON.stringify(error)),
    ...Array.from(unread, (path) => `${path} is unknown`),
  ];
}

/** Copies a value; reading a member of the copy removes the member's path from `unread`. */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => watched(item, `${path}/${index}`, unread));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const memberPath = `${path}/${name}`;
    unread.add(memberPath);
    const inner = watched(member, memberPath, unread);
    Object.defineProperty(copy, name, {
      enumerable: true,
      get: () => {
        unread.delete(memberPath);
        return inner;
      },
    });
  }
  return copy;
}

/** Returns the value at a path such as `spec/template/0/name`; throws if a step does not exist. */
function at(value: unknown, path: string): unknown {
  return path.split('/').reduce((parent, name) => {
    const member: unknown =
      typeof parent === 'object' && parent !== null ? Reflect.get(parent, name) : undefined;
    if (member === undefined) {
      throw new Error(`there is no ${name} of ${path}`);
    }
    return member;
  }, value);
}

/** Returns a container's environment variables, except those from a Secret. */
function variablesOf(container: unknown): Record<string, string | undefined> {
  const list = at(container, 'env');
  return Object.fromEntries(
    (Array.isArray(list) ? list : []).map((variable: unknown) => {
      const { name, value } = isJsonObject(variable) ? variable : {};
      return [String(name), typeof value === 'string' ? value : undefined];
    }),
  );
}

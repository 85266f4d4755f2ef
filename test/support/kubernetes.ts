import { readFile } from 'node:fs/promises';
import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as validateAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as validateNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as validateBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { parse } from 'yaml';
import { isJsonObject } from '@store-gateway/ops';

type Validate = (data: unknown) => boolean;

/** Compiled from the OpenAPI document that Kubernetes publishes. */
const SCHEMAS: Readonly<Record<string, Validate>> = {
  'apps/v1 Deployment': validateDeployment,
  'autoscaling/v2 HorizontalPodAutoscaler': validateAutoscaler,
  'v1 Service': validateService,
  'networking.k8s.io/v1 NetworkPolicy': validateNetworkPolicy,
  'policy/v1 PodDisruptionBudget': validateBudget,
};

/** A file of deploy/kubernetes. */
export async function readManifest(name: string): Promise<unknown> {
  const path = new URL(`../../deploy/kubernetes/${name}`, import.meta.url);
  // Kubernetes' own parser merges `<<`, too.
  return parse(await readFile(path, 'utf8'), { merge: true });
}

/**
 * What a manifest has against Kubernetes' schema, and the members that the schema doesn't know: an API server that isn't
 * told to be strict drops them without a word.
 */
export function manifestFaults(manifest: unknown): string[] {
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

/** A copy of a value that takes what is read of it off `unread`. */
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

/** What is at a path such as `spec/template/0/name`, of which each step is there. */
export function at(value: unknown, path: string): unknown {
  return path.split('/').reduce((parent, name) => {
    const member: unknown =
      typeof parent === 'object' && parent !== null ? Reflect.get(parent, name) : undefined;
    if (member === undefined) {
      throw new Error(`there is no ${name} of ${path}`);
    }
    return member;
  }, value);
}

/** The environment variables of a container, but for those from a Secret. */
export function variablesOf(container: unknown): Record<string, string | undefined> {
  const list = at(container, 'env');
  return Object.fromEntries(
    (Array.isArray(list) ? list : []).map((variable: unknown) => {
      const { name, value } = isJsonObject(variable) ? variable : {};
      return [String(name), typeof value === 'string' ? value : undefined];
    }),
  );
}

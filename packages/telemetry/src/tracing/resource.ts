import { diag } from '@opentelemetry/api';
import { getStringListFromEnv } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  osDetector,
  processDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
  type ResourceDetector,
} from '@opentelemetry/resources';

/** By their names in OTEL_NODE_RESOURCE_DETECTORS; what a later one finds takes precedence. */
const DETECTORS: ReadonlyMap<string, ResourceDetector> = new Map<string, ResourceDetector>([
  ['serviceinstance', serviceInstanceIdDetector],
  ['process', processDetector],
  ['host', hostDetector],
  ['os', osDetector],
  ['env', envDetector],
]);

/** What is said of the process beside its spans. The environment takes precedence over `serviceName`. */
export function readResource(serviceName: string): Resource {
  const own = defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName }));
  return own.merge(detectResources({ detectors: readDetectors() }));
}

function readDetectors(): ResourceDetector[] {
  const names = getStringListFromEnv('OTEL_NODE_RESOURCE_DETECTORS') ?? [];
  if (names.length === 0 || names.includes('all')) {
    return [...DETECTORS.values()];
  }
  return names.flatMap((name) => {
    const detector = DETECTORS.get(name);
    if (detector === undefined && name !== 'none') {
      diag.warn(`OTEL_NODE_RESOURCE_DETECTORS: there is no "${name}"`);
    }
    return detector ?? [];
  });
}

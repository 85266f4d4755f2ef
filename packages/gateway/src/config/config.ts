import { StartupFailure } from '@store-gateway/ops';
import { itemsOf, type Setting, settings } from './settings.ts';

/** The value of each setting (settings.ts), and whether OpenTelemetry's variables turn traces on. */
export type Config = Readonly<ReturnType<typeof settings>> & { readonly tracing: boolean };

/** By their variables, in the order of help. */
export const SETTINGS: ReadonlyMap<string, Setting<unknown>> = all();

/** The environment variables that are settings of the gateway. */
export const VARIABLE_NAMES: ReadonlySet<string> = new Set(SETTINGS.keys());

function all(): Map<string, Setting<unknown>> {
  const found = new Map<string, Setting<unknown>>();
  settings((setting) => {
    found.set(setting.variable, setting);
    return setting.read(setting.fallback);
  });
  return found;
}

/** @returns what is wrong with values, by their variables; an empty one counts as unset */
export function faultsOf(values: NodeJS.ProcessEnv): string[] {
  return [...SETTINGS.values()].flatMap(({ variable, check }) => {
    const value = values[variable];
    return value ? check(variable, value) : [];
  });
}

/**
 * Reads and checks the environment; the one place that does. An empty variable counts as unset.
 *
 * @throws StartupFailure that names every fault
 */
export function readConfig(
  environment: NodeJS.ProcessEnv,
  defaults: NodeJS.ProcessEnv = {},
): Config {
  const config = {
    ...settings(({ variable, fallback, read }) =>
      read(environment[variable] || defaults[variable] || fallback),
    ),
    tracing: isTracingConfigured(environment),
  };
  const faults = faultsOf(environment);
  const { port, metricsPort, databaseUrl, databaseDirectUrl, replicaUrls } = config;
  // Otherwise listening would fail with a message about another process. 0 is another free port each time.
  if (metricsPort === port && port !== 0) {
    faults.push('METRICS_PORT and PORT must be different');
  }
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    faults.push('DATABASE_DIRECT_URL needs a DATABASE_URL');
  }
  if (replicaUrls.length > 0 && databaseUrl === undefined) {
    faults.push('DATABASE_REPLICA_URLS needs DATABASE_URL, the URL of their primary');
  }
  const { oidcIssuer, oidcAudience, oidcClientId } = config;
  if (oidcIssuer !== undefined && oidcAudience === undefined) {
    faults.push(
      'OIDC_ISSUER needs OIDC_AUDIENCE: without it, tokens for other services would be valid',
    );
  }
  if (oidcAudience !== undefined && oidcIssuer === undefined) {
    faults.push('OIDC_AUDIENCE needs an OIDC_ISSUER');
  }
  if (oidcClientId !== undefined && oidcIssuer === undefined) {
    faults.push('OIDC_CLIENT_ID needs an OIDC_ISSUER');
  }
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  return config;
}

/**
 * Whether OpenTelemetry's variables name a destination for traces
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Without one, its SDK would try a
 * collector on this machine.
 */
function isTracingConfigured(environment: NodeJS.ProcessEnv): boolean {
  const trimmed = (name: string): string => environment[name]?.trim() ?? '';
  const exporters = itemsOf(trimmed('OTEL_TRACES_EXPORTER'));
  const endpoint =
    trimmed('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || trimmed('OTEL_EXPORTER_OTLP_ENDPOINT');
  return (
    trimmed('OTEL_SDK_DISABLED').toLowerCase() !== 'true' &&
    !exporters.includes('none') &&
    (exporters.length > 0 || endpoint !== '')
  );
}

/** Finds variables that look like misspelled settings: one character differs, is missing or is extra, or two are swapped. */
export function mistakenVariables(
  environment: NodeJS.ProcessEnv,
): { readonly variable: string; readonly setting: string }[] {
  return Object.keys(environment).flatMap((variable) => {
    const setting = VARIABLE_NAMES.has(variable)
      ? undefined
      : [...VARIABLE_NAMES].find((name) => isNear(variable, name));
    return setting === undefined ? [] : [{ variable, setting }];
  });
}

function isNear(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) {
    end += 1;
  }
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && left === `${right[1] ?? ''}${right[0] ?? ''}`)
  );
}

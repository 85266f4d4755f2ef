import { readFileSync } from 'node:fs';
import { getStringFromEnv, parseKeyPairsIntoRecord } from '@opentelemetry/core';

/** Where to export to, and how to be let in. */
export type Collector = ReturnType<typeof readCollector>;

/**
 * Reads OTEL_EXPORTER_OTLP_… as the specification of the OTLP exporter has it for gRPC.
 *
 * @throws Error for an address that can't be called, or a certificate that can't be read
 */
export function readCollector() {
  const endpoint = setting('ENDPOINT') ?? 'http://localhost:4317';
  const scheme = setting('INSECURE')?.toLowerCase() === 'true' ? 'http' : 'https';
  const url = new URL(/^\w+:\/\//.test(endpoint) ? endpoint : `${scheme}://${endpoint}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`${endpoint} is neither http:// nor https://`);
  }
  const ca = file('CERTIFICATE');
  const cert = file('CLIENT_CERTIFICATE');
  const key = file('CLIENT_KEY');
  return {
    /** Such as http://localhost:4317. */
    origin: url.origin,
    headers: {
      ...parseKeyPairsIntoRecord(getStringFromEnv('OTEL_EXPORTER_OTLP_HEADERS')),
      ...parseKeyPairsIntoRecord(getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    },
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  };
}

function setting(name: string): string | undefined {
  const value =
    getStringFromEnv(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ??
    getStringFromEnv(`OTEL_EXPORTER_OTLP_${name}`);
  return value?.trim();
}

function file(name: string): Buffer | undefined {
  const path = setting(name);
  return path === undefined ? undefined : readFileSync(path);
}

import type { Meter } from '@opentelemetry/api';
import packageJson from '../../../../package.json' with { type: 'json' };

export function tellBuild(meter: Meter): void {
  meter
    .createObservableGauge('animal_store_build_info', {
      description: 'Always 1; the labels tell which program this is.',
    })
    .addCallback((result) => {
      result.observe(1, { version: packageJson.version, nodejs_version: process.versions.node });
    });
}

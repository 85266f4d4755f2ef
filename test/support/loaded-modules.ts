/** To be imported before an entry (`node --import`): tells on stderr, when the process ends, which modules of OpenTelemetry it has loaded. */
import { registerHooks } from 'node:module';

const loaded = new Set<string>();

registerHooks({
  load: (url, context, nextLoad) => {
    const [, name] = /node_modules\/(@opentelemetry\/[^/]+)/.exec(url) ?? [];
    if (name !== undefined) {
      loaded.add(name);
    }
    return nextLoad(url, context);
  },
});
process.on('exit', () => {
  process.stderr.write(`loaded: ${JSON.stringify([...loaded])}\n`);
});

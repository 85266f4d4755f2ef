/**
 * Imported before an entry point (`node --import`): when the process exits, this writes to stderr which OpenTelemetry
 * modules it loaded.
 */
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

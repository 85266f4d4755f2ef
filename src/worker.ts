import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// The program of a worker process; as in main.ts.
enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/animal-store-gateway', import.meta.url)),
);
await import('./commands/serve-worker.ts');

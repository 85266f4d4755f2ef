import { run } from '../../src/gateway.ts';

// Runs the gateway from its sources, not its bundle, because layers are recognized by their files.
await run([]);

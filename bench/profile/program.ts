import { run } from '../../src/gateway.ts';

// The gateway from its sources, not its bundle: layers are told apart by their files.
await run([]);

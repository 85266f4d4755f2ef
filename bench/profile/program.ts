import { run } from '../../src/gateway.ts';

// The gateway from its sources, not its bundle: layers are recognised by their files.
await run([]);

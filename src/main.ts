// Imported by its path, because it must run even if no packages are installed.
import '../packages/gateway/preflight.cjs';
import { runProgram } from '@store-gateway/gateway/program';

await runProgram(import.meta.url, () => import('./gateway.ts'));

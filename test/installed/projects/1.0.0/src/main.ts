import '@store-gateway/gateway/preflight';
import { runProgram } from '@store-gateway/gateway/program';

await runProgram(import.meta.url, () => import('./gateway.ts'));

import { runProgram } from '@gateway/gateway/program';

await runProgram(import.meta.url, () => import('./gateway.ts'));

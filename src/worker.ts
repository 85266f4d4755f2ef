import './preflight.cjs';
import { runProgram } from './program.ts';

// The program of a worker process.
await runProgram('serve-worker');

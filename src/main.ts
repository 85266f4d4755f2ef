import './preflight.cjs';
import { runProgram } from './program.ts';

await runProgram('serve');

export { createCommand } from './create.ts';

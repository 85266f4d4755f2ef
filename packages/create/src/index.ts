export { createCommand, type Ask } from './create.ts';

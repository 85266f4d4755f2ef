export { renderReference } from './reference/render/render-reference.ts';

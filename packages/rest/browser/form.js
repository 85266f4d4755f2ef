/*
 * Reads the form of an operation.
 */
import { headersOf, targetOf } from './request.js';

/**
 * What a form asks for, as it is typed: through JSON.parse, large integers of the body would lose their digits.
 *
 * @param {HTMLFormElement} form
 */
export function readForm(form) {
  const { method = '', path = '' } = form.dataset;
  const fields = Array.from(form.elements, (element) => ({
    place: element.getAttribute('data-place') ?? '',
    name: element.getAttribute('name') ?? '',
    value: 'value' in element ? String(element.value) : '',
  }));
  return {
    method,
    target: targetOf(path, fields),
    headers: headersOf(fields),
    body: fields.find(({ place }) => place === 'body')?.value ?? null,
  };
}

/** The messages of UNAUTHENTICATED. */
export const REFUSALS = {
  noKey: 'An API key is required: Authorization: Bearer <API_KEY>',
  invalidKey: 'The API key is not valid',
} as const;

/** Only the owner of the key sees this: the key was looked up by its hash. */
export function expiredMessage(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split('T');
  return `The API key expired on ${date} at ${time.slice(0, 5)} UTC`;
}

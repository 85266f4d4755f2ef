/** Numbers as the tables and the plot show them; empty if there was no measurement. */

export function count(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en');
}

export function ratio(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(2)} ×`;
}

/** Formats milliseconds. */
export function milliseconds(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1);
}

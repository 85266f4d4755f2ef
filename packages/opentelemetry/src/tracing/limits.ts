import { getNumberFromEnv } from '@opentelemetry/core';
import type { SpanLimits } from '@opentelemetry/sdk-trace';

/** The variables for each bound of a span; the first that is set counts. */
const VARIABLES: Readonly<Record<keyof SpanLimits, readonly string[]>> = {
  attributeCountLimit: ['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_COUNT_LIMIT'],
  attributeValueLengthLimit: [
    'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
    'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  ],
  eventCountLimit: ['OTEL_SPAN_EVENT_COUNT_LIMIT'],
  linkCountLimit: ['OTEL_SPAN_LINK_COUNT_LIMIT'],
  attributePerEventCountLimit: [
    'OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT',
    'OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT',
  ],
  attributePerLinkCountLimit: [
    'OTEL_LINK_ATTRIBUTE_COUNT_LIMIT',
    'OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT',
  ],
};

/** The bounds of a span that the environment sets. */
export function readSpanLimits(): SpanLimits {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([bound, names]) => {
      const set = names.map((name) => getNumberFromEnv(name)).find((value) => value !== undefined);
      return set === undefined ? [] : [[bound, set]];
    }),
  );
}

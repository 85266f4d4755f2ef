import { isJsonObject } from '@store-gateway/ops';

type Check = (value: unknown, limit: unknown) => boolean;

const FORMATS: Readonly<Record<string, (value: unknown) => boolean>> = {
  int32: (value) => Number(value) === (Number(value) | 0),
  int64: (value) => {
    const integer = BigInt(String(value));
    return BigInt.asIntN(64, integer) === integer;
  },
  date: (value) => {
    const day = new Date(`${String(value)}T00:00:00Z`);
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${String(value)}T`);
  },
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(String(value)) &&
    !Number.isNaN(Date.parse(String(value))),
  double: (value) => Number.isFinite(value),
  float: (value) => Number.isFinite(value),
  uuid: (value) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(value)),
  'uri-reference': (value) => URL.canParse(String(value), 'http://store'),
};

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, types) => [types].flat().includes(typeOf(value)),
  format: (value, format) => FORMATS[String(format)]?.(value) === true,
  enum: (value, values) => Array.isArray(values) && values.includes(value),
  minimum: (value, minimum) => Number(value) >= Number(minimum),
  maximum: (value, maximum) => Number(value) <= Number(maximum),
  minLength: (value, minimum) => Array.from(String(value)).length >= Number(minimum),
  maxLength: (value, maximum) => Array.from(String(value)).length <= Number(maximum),
  maxItems: (value, maximum) => Array.isArray(value) && value.length <= Number(maximum),
  pattern: (value, pattern) => new RegExp(String(pattern), 'u').test(String(value)),
};
const SAY_NOTHING_OF_A_VALUE = new Set([
  'description',
  'default',
  'examples',
  'x-enumDescriptions',
]);

/**
 * What a value has against a JSON schema of an OpenAPI document, its numbers exact. A keyword that it
 * doesn't know is a fault too, so that nothing passes unjudged.
 */
export function schemaFaults(
  document: unknown,
  schema: unknown,
  value: unknown,
  at = '$',
): string[] {
  if (!isJsonObject(schema)) {
    return [`${at}: no schema`];
  }
  const { $ref, anyOf, allOf = [], properties = {}, required = [], items, ...rest } = schema;
  const parts = [typeof $ref === 'string' ? resolve(document, $ref) : [], allOf].flat();
  // A schema that refers to another one leaves members and items to that.
  const own = parts.length === 0 && anyOf === undefined ? value : undefined;
  const alternatives = (Array.isArray(anyOf) ? anyOf : []).map((one) =>
    schemaFaults(document, one, value, at),
  );
  const members = isJsonObject(own) ? own : {};
  return [
    ...parts.flatMap((part) => schemaFaults(document, part, value, at)),
    ...(alternatives.some((faults) => faults.length === 0) ? [] : alternatives.flat()),
    ...Object.entries(rest)
      .filter(([keyword]) => !SAY_NOTHING_OF_A_VALUE.has(keyword))
      .filter(([keyword, limit]) => !isMet(keyword, limit, value))
      .map(([keyword, limit]) => `${at}: ${keyword} ${String(limit)}`),
    ...(Array.isArray(required) ? required : [])
      .filter((name) => !Object.hasOwn(members, String(name)))
      .map((name) => `${at}: ${String(name)} is missing`),
    // A member that is told but not described is a fault: clients would not know it.
    ...Object.entries(members).flatMap(([name, member]) =>
      schemaFaults(
        document,
        isJsonObject(properties) ? properties[name] : undefined,
        member,
        `${at}.${name}`,
      ),
    ),
    ...(Array.isArray(own) ? own : []).flatMap((item, index) =>
      schemaFaults(document, items, item, `${at}[${index}]`),
    ),
  ];
}

/** Keywords of strings and numbers have nothing to say of null. */
function isMet(keyword: string, limit: unknown, value: unknown): boolean {
  const check = CHECKS[keyword];
  const isJudged = value !== null || keyword === 'type' || keyword === 'enum';
  return check !== undefined && (!isJudged || check(value, limit));
}

/** What "#/components/schemas/Pet" is about. */
export function resolve(document: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((value, name) => (isJsonObject(value) ? value[name] : undefined), document);
}

function typeOf(value: unknown): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) {
    return 'integer';
  }
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : typeof value;
}

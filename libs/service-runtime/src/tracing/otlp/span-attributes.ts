import type { SpanFacts } from '../payment-tracing';

/** Matches codes and topic names, and no sentence, address, token or payload. */
const code = /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/;

const attributeNames: Record<keyof SpanFacts, string> = {
  attempt: 'paycode.attempt',
  outcome: 'paycode.outcome',
  httpStatus: 'http.response.status_code',
  topic: 'messaging.destination.name',
  group: 'messaging.consumer.group.name',
  errorCode: 'error.type',
};

/** Attributes of a span: the names above and no other; text only when it is a code, else `unprintable`. */
export function attributesOf(facts: SpanFacts | undefined): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const name of Object.keys(attributeNames) as (keyof SpanFacts)[]) {
    const value: unknown = facts?.[name];
    if (typeof value === 'number' && Number.isFinite(value)) attributes[attributeNames[name]] = value;
    else if (typeof value === 'string') attributes[attributeNames[name]] = code.test(value) ? value : 'unprintable';
  }
  return attributes;
}

import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { JsonSchema, ParseResult } from '../schema/rule';
import { eventSamples } from '../testing';
import { ackReceivedSchema, parseAckReceived } from './ack-received.schema';
import { parseReversalRequested, reversalRequestedSchema } from './reversal-requested.schema';
import { parseTransactionTerminal, transactionTerminalSchema } from './transaction-terminal.schema';

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
addFormats(ajv);

interface Contract {
  name: string;
  schema: JsonSchema;
  parse: (data: unknown) => ParseResult<object>;
}

const contracts: Contract[] = [
  { name: 'transaction-terminal', schema: transactionTerminalSchema, parse: parseTransactionTerminal },
  { name: 'ack-received', schema: ackReceivedSchema, parse: parseAckReceived },
  { name: 'reversal-requested', schema: reversalRequestedSchema, parse: parseReversalRequested },
];

const samplesOf = (name: string): [string, object][] =>
  Object.entries(eventSamples()).filter(([sample]) => sample.startsWith(`${name}.`)) as [string, object][];

// Values near every border of the rules: wrong kinds, ends of ranges, instants that do not exist.
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, '', 0, -1, 1, 1.5, 2 ** 53, 2 ** 53 - 1, NaN, '7000001', [], {}),
  fc.constantFrom(
    '2025-02-30T00:00:00Z',
    '2025-06-01T10:00:00+02:00',
    '2024-02-29T23:59:59.999Z',
    '2025-06-01',
    'a.b.c',
    'a..b.c.d',
  ),
  fc.constantFrom('PURCHASE', 'TIMEOUT_X', 'TIMEOUT_', 'END_BANK_DECLINE', 'SUCCESS', 'WEBHOOK', 'BACKSTOP', 'purchase'),
  fc.string(),
);

describe.each(contracts)('$name', ({ name, schema, parse }) => {
  const isBySchema = ajv.compile(schema);
  const samples = samplesOf(name);

  it('has golden samples, and reads each as it is', () => {
    expect(samples.length).toBeGreaterThan(0);
    for (const [, data] of samples) expect(parse(data)).toEqual({ ok: true, value: data });
  });

  it('the JSON Schema and the validator agree on every change of a golden sample (T-19)', () => {
    const fields = Object.keys(samples[0]![1]);
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.constantFrom(...fields), odd, ([, data], field, value) => {
        // As on the wire: undefined is a missing field, NaN is null.
        const changed = JSON.parse(JSON.stringify({ ...data, [field]: value })) as unknown;
        const isAccepted = parse(changed).ok;
        // A calendar date is finer than the schema's pattern; format date-time knows it too.
        expect({ field, value, ok: isAccepted }).toEqual({ field, value, ok: isBySchema(changed) });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([[null], [undefined], [[]], ['text'], [7]])('%j is no event data', data => {
    expect(parse(data)).toEqual({ ok: false, reason: 'data: must be an object' });
  });

  it('a field more is ignored and dropped: a newer producer does no harm', () => {
    const [, data] = samples[0]!;
    expect(parse({ ...data, addedLater: 'x' })).toEqual({ ok: true, value: data });
  });

  it('a reason names the field and never a value (T-16)', () => {
    const [, data] = samples[0]!;
    for (const field of Object.keys(data)) {
      const result = parse({ ...data, [field]: { secret: 'personal data' } });
      expect(result.ok).toBe(false);
      expect((result as { reason: string }).reason).toMatch(new RegExp(`^${field}: must be `));
      expect((result as { reason: string }).reason).not.toContain('personal');
    }
  });
});

describe('the sealed notification of transaction-terminal (T-16)', () => {
  const isAccepted = (notification: unknown) =>
    parseTransactionTerminal({ ...(eventSamples()['transaction-terminal.purchase'] as object), notification }).ok;

  it.each([
    ['of 64 KiB', 'a..b.c.'.padEnd(64 * 1024, 'd'), true],
    ['of more', 'a..b.c.'.padEnd(64 * 1024 + 1, 'd'), false],
    ['of four parts', 'a..b.c', false],
    ['in a list', ['a..b.c.d'], false],
  ])('%s: accepted %j', (...[, notification, isFine]) => {
    expect(isAccepted(notification)).toBe(isFine);
  });
});

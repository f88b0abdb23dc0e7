import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import Ajv from 'ajv/dist/2020';
import fc from 'fast-check';
import * as dto from '..';
import { eventSamples } from '../testing';
import type { EventDefinition } from './define-event';
import {
  deadLetterTopic,
  deadLetterTopics,
  eventName,
  events,
  eventTypes,
  isDeadLetterTopic,
  topicCatalog,
  topics,
} from './events';

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
addFormats(ajv);

const registered: EventDefinition[] = Object.values(events);

const samplesOf = (event: EventDefinition): [string, object][] =>
  Object.entries(eventSamples()).filter(([sample]) => sample.startsWith(`${eventName(event)}.`)) as [string, object][];

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

describe('the registry of events', () => {
  it('has its contracts published with that of the notification, and no other (libs/dto/contracts)', () => {
    const names = Object.keys(dto.publishedContracts()).map(name => `${name}.schema.json`);
    expect(readdirSync(join(__dirname, '../../contracts')).sort()).toEqual(names.sort());
  });

  it('has an entry for each definition in this folder, and each entry is exported', () => {
    const defined = readdirSync(__dirname).flatMap(file => /^(.*)\.event\.ts$/.exec(file)?.[1] ?? []);
    expect(registered.map(eventName).sort()).toEqual(defined.sort());
    expect(Object.entries(events).filter(([name, event]) => (dto as Record<string, unknown>)[name] !== event)).toEqual([]);
  });

  it('has no two events of one type or topic, nor a consumer group with two topics, for a Kafka group spans topics', () => {
    const groups = registered.flatMap(({ topic }) => topic.consumers.map(({ group }) => group));
    const names = registered.flatMap(({ type, topic }) => [type, topic.name]);
    for (const all of [groups, names]) expect(new Set(all).size).toBe(all.length);
    expect(Object.values(topics)).toEqual(registered.map(({ topic }) => topic.name));
    expect(Object.values(eventTypes)).toEqual(registered.map(({ type }) => type));
  });

  it('has golden samples of its events and of nothing else', () => {
    const sampled = Object.keys(eventSamples()).map(sample => sample.split('.')[0]);
    expect([...new Set(sampled)].sort()).toEqual(registered.map(eventName).sort());
  });
});

describe.each(registered)('$type', event => {
  const { schema, parse } = event;
  const isBySchema = ajv.compile(schema);
  const samples = samplesOf(event);

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

  it('an unknown field is dropped, so that a newer producer does no harm', () => {
    const [, data] = samples[0]!;
    expect(parse({ ...data, addedLater: 'x' })).toEqual({ ok: true, value: data });
  });

  it('the key is a field of every sample', () => {
    for (const [, data] of samples) expect(data).toHaveProperty(event.key);
  });

  const secret = 'personal data';
  it.each<[string, unknown]>([
    ['a text', secret],
    ['a long text', secret.repeat(10_000)],
    ['a list', [secret]],
    ['an object', { secret }],
    ['a name of an object', { [secret]: 1 }],
  ])('a reason names the field and never a value: %s (T-16)', (_, planted) => {
    for (const [, data] of samples)
      for (const field of Object.keys(data)) {
        const result = parse({ ...data, [field]: planted });
        expect(result.ok).toBe(false);
        expect((result as { reason: string }).reason).toMatch(new RegExp(`^${field}: must be `));
        expect(JSON.stringify(result)).not.toContain('personal');
      }
  });

  it('if every field holds a secret, the reason tells nothing but the first field (T-16)', () => {
    const [, data] = samples[0]!;
    const all = Object.fromEntries(Object.keys(data).map(field => [field, secret]));
    expect(JSON.stringify(parse({ ...all, [secret]: secret }))).not.toContain('personal');
    expect(JSON.stringify(parse(secret))).not.toContain('personal');
  });
});

describe('the sealed notification of transaction-terminal (T-16)', () => {
  const isAccepted = (notification: unknown) =>
    events.transactionTerminal.parse({ ...(eventSamples()['transaction-terminal.purchase'] as object), notification }).ok;

  it.each([
    ['of 64 KiB', 'a..b.c.'.padEnd(64 * 1024, 'd'), true],
    ['of more', 'a..b.c.'.padEnd(64 * 1024 + 1, 'd'), false],
    ['of four parts', 'a..b.c', false],
    ['in a list', ['a..b.c.d'], false],
  ])('%s: accepted %j', (...[, notification, isFine]) => {
    expect(isAccepted(notification)).toBe(isFine);
  });
});

describe('the topic catalog', () => {
  it('has one dead-letter topic of one partition per topic and group', () => {
    const { transactionTerminal, ackReceived } = events;
    expect(
      deadLetterTopics([transactionTerminal.topic, ackReceived.topic]).map(({ name, partitions }) => `${name} ${partitions}`),
    ).toEqual([
      'paycode.transaction.terminal.v1.webhook-dispatcher.dlq 1',
      'paycode.transaction.terminal.v1.reversal-scheduler-audit.dlq 1',
      'paycode.transaction.terminal.v1.recipient-messages.dlq 1',
      'paycode.transaction.terminal.v1.portal.dlq 1',
      'paycode.transaction.ack-received.v1.reversal-scheduler.dlq 1',
      'paycode.transaction.ack-received.v1.portal-acks.dlq 1',
    ]);
  });

  it('the service that parks there writes a dead-letter topic, and no group reads it', () => {
    const services = topicCatalog.flatMap(({ consumers }) => consumers.map(({ service }) => service));
    expect(deadLetterTopics(topicCatalog).map(({ producers, consumers }) => [producers, consumers])).toStrictEqual(
      services.map(service => [[service], []]),
    );
  });

  it('knows a dead-letter topic by its name', () => {
    const names = [deadLetterTopic('paycode.a.v1', 'group'), 'paycode.a.v1', '.dlq.paycode.a.v1'];
    expect(names.map(isDeadLetterTopic)).toEqual([true, false, false]);
  });

  it('keeps shard % 64 equal to the partition of TransactionTerminal', () => {
    expect(256 % events.transactionTerminal.topic.partitions).toBe(0);
  });
});

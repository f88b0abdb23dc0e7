import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf } from '../testing/collector';
import { type LogAppend, recordsOf, type Segment, segmentsOf } from './segment';

const topic = { id: 3, name: 't', partitions: 4 };
const other = { id: 5, name: 'u', partitions: 1 };
const ofText = (text: string, over: Partial<LogAppend> = {}): LogAppend => ({
  topic,
  partition: 1,
  raw: { ...encodeCloudEvent(eventOf('t', 'k', 0)), value: text },
  ...over,
});
const inOneTopic = (records: readonly LogAppend[]): Segment[] => segmentsOf(records).flatMap(({ segments }) => segments);
const storedOf = ({ type, source, headers, payloads }: Segment) => ({
  first_position: '40',
  ce_type: type,
  ce_source: source,
  headers,
  payloads,
  age_ms: 1_000,
});

describe('a segment', () => {
  it('gives each record back as it was appended, with its own position', () => {
    const traced = { ...eventOf('t', 'k', 1), traceparent: '00-1-2-01' };
    const [plain, second] = [encodeCloudEvent(eventOf('t', 'é"☕', 0)), encodeCloudEvent(traced)];
    const letter = { ...second, headers: { ...second.headers, dlq_reason: 'unknown "merchant"' } };
    const [segment, ...more] = inOneTopic([plain, second, letter].map((raw, partition) => ({ topic, partition, raw })));
    expect(more).toEqual([]);
    const records = recordsOf(storedOf(segment!), 5_000);
    expect(records.map(({ partition, offset, publishedAtMs }) => [partition, offset, publishedAtMs])).toEqual([
      [0, 40n, 4_000],
      [1, 41n, 4_000],
      [2, 42n, 4_000],
    ]);
    for (const [at, { key, value, headers }] of [plain, second, letter].entries()) {
      const { 'content-type': _type, ce_specversion: _version, ...kept } = headers as Record<string, string>;
      expect(records[at]!.raw).toEqual({ key, value: value.toString(), headers: kept });
    }
  });

  it('ends where a page is full, and a larger event is one of its own', () => {
    const lengths = [3_000, 3_000, 3_000, 200_000, 10].map(length => ofText('x'.repeat(length)));
    const segments = inOneTopic(lengths);
    expect(segments.map(({ records }) => records)).toEqual([2, 1, 1, 1]);
    for (const { headers, payloads, bytes, records } of segments) {
      expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(headers) + Buffer.byteLength(payloads));
      if (records > 1) expect(bytes).toBeLessThan(8_000);
    }
  });

  it('holds records of one topic, type and source, in the order of the topic', () => {
    const typed = (type: string, n: number) => ({
      topic,
      partition: 0,
      raw: encodeCloudEvent({ ...eventOf('t', 'k', n), type }),
    });
    const segments = segmentsOf([typed('A', 0), ofText('{}', { topic: other, partition: 0 }), typed('A', 1), typed('B', 2)]);
    const held = segments.flatMap(({ topicId, segments: some }) => some.map(({ type, records }) => [topicId, type, records]));
    expect(held).toEqual([
      [3, 'A', 2],
      [3, 'B', 1],
      [5, eventOf('t', 'k', 0).type, 1],
    ]);
  });

  it('keeps a payload on its line', () => {
    const [segment] = inOneTopic([ofText('{\n"a": 1}'), ofText('2')]);
    expect(recordsOf(storedOf(segment!), 0).map(({ raw }) => raw.value)).toEqual(['{ "a": 1}', '2']);
  });

  it('refuses a record of a partition that its topic does not have, and with it the others', () => {
    expect(() => segmentsOf([ofText('1'), ofText('2', { partition: 4 })])).toThrow('unknown partition 4 of t');
  });
});

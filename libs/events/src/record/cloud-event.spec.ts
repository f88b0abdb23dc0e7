import type { EventToPublish } from '../event-transport';
import { decodeCloudEvent, encodeCloudEvent } from './cloud-event';

const event: EventToPublish = {
  topic: 'paycode.transaction.terminal.v1',
  key: '42',
  id: 'terminal-42',
  type: 'TransactionTerminal',
  source: 'payment-simulator',
  time: '2026-11-20T10:00:00.000Z',
  data: { transactionId: 42, merchantName: 'Café ☕' },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

const received = () => {
  const record = encodeCloudEvent(event);
  const headers = Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, Buffer.from(value)]));
  return { key: Buffer.from(record.key), value: record.value, headers: headers as Record<string, Buffer | undefined> };
};

describe('CloudEvents in Kafka binary mode', () => {
  it('carries the attributes in ce_ headers and the data alone in the value', () => {
    expect(encodeCloudEvent(event).headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: 'terminal-42',
      ce_type: 'TransactionTerminal',
      ce_source: 'payment-simulator',
      ce_time: '2026-11-20T10:00:00.000Z',
      traceparent: event.traceparent,
    });
    expect(JSON.parse(encodeCloudEvent(event).value.toString())).toEqual(event.data);
  });

  it('reads back what it wrote', () => {
    const { topic: _topic, ...rest } = event;
    expect(decodeCloudEvent(received())).toEqual({ ok: true, event: rest });
  });

  it.each(['ce_id', 'ce_type', 'ce_source', 'ce_time'])('refuses a record without %s', name => {
    const record = received();
    delete record.headers[name];
    expect(decodeCloudEvent(record)).toEqual({ ok: false, reason: `header ${name} missing` });
  });

  it('names the defect of an undecodable value without quoting it (T-16)', () => {
    const decoded = decodeCloudEvent({ ...received(), value: Buffer.from('{"clientMsisdn":"27820000001"') });
    expect(decoded).toEqual({ ok: false, reason: 'value is not JSON' });
  });

  it.each([
    ['without key', { key: null }, 'key missing'],
    ['without value', { value: null }, 'value is not JSON'],
  ])('refuses a record %s', (_name, defect, reason) => {
    expect(decodeCloudEvent({ ...received(), ...defect })).toEqual({ ok: false, reason });
  });

  it('refuses another content type', () => {
    const record = received();
    record.headers['content-type'] = Buffer.from('application/avro');
    expect(decodeCloudEvent(record)).toEqual({ ok: false, reason: 'content-type is not application/json' });
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaConnectionOf } from './kafka-client';
import { isStaleMembership, isTransient, protocolCodeOf } from './kafka-errors';

const open = { brokers: ['broker:9092'], caFile: null, username: null, password: null };

describe('the Kafka connection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-client-'));
  const caFile = join(folder, 'ca.pem');
  beforeAll(() => writeFileSync(caFile, 'PEM'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is secured by settings only', () => {
    const secured = { ...open, caFile, username: 'dispatcher', password: 'secret' };
    expect(kafkaConnectionOf(secured)).toEqual({
      brokers: ['broker:9092'],
      tlsCa: 'PEM',
      sasl: { username: 'dispatcher', password: 'secret' },
    });
  });

  it('needs brokers', () => {
    expect(() => kafkaConnectionOf({ ...open, brokers: [] })).toThrow('KAFKA_BROKERS');
  });

  it('never sends a password without TLS (T-16)', () => {
    const exposed = { ...open, username: 'dispatcher', password: 'secret' };
    expect(() => kafkaConnectionOf(exposed)).toThrow('KAFKA_TLS_CA_FILE');
  });

  it('refuses a user without a password', () => {
    expect(() => kafkaConnectionOf({ ...open, caFile, username: 'x' })).toThrow('go together');
  });
});

describe('errors of kafkajs', () => {
  const failure = (name: string, fields: object = {}, cause?: Error) =>
    Object.assign(new Error(name, { cause }), { name, ...fields });
  const wrapped = (cause: Error) => failure('KafkaJSNonRetriableError', { retriable: false }, cause);

  it('are read through their wrappers', () => {
    expect(protocolCodeOf(wrapped(failure('KafkaJSProtocolError', { type: 'ILLEGAL_GENERATION' })))).toBe('ILLEGAL_GENERATION');
  });

  it('tell a lost membership from a broken connection', () => {
    expect(isStaleMembership(wrapped(failure('KafkaJSProtocolError', { type: 'UNKNOWN_MEMBER_ID' })))).toBe(true);
    expect(isStaleMembership(failure('KafkaJSConnectionError'))).toBe(false);
  });

  it('are retried when brokers are away, and not when access is refused', () => {
    expect(isTransient(wrapped(failure('KafkaJSConnectionError')))).toBe(true);
    expect(isTransient(failure('KafkaJSProtocolError', { type: 'GROUP_AUTHORIZATION_FAILED', retriable: true }))).toBe(false);
    expect(isTransient(new TypeError('a bug'))).toBe(false);
  });
});

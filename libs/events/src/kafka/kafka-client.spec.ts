import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from 'kafkajs/package.json';
import { kafkaConnectionOf } from './kafka-client';
import { isStaleMembership, isTransient, protocolCodeOf } from './kafka-errors';
import { kafkajsInternals, repairKafkajs, type RequestQueueInternals } from './kafkajs-repairs';

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

function queue(state: Partial<RequestQueueInternals>): RequestQueueInternals {
  const made = Object.create(kafkajsInternals().RequestQueue.prototype) as RequestQueueInternals;
  return Object.assign(made, { pending: [], throttledUntil: -1, throttleCheckTimeoutId: null, ...state });
}

describe('the repairs of kafkajs', () => {
  beforeAll(() => {
    repairKafkajs();
    repairKafkajs();
  });
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are written for the installed version', () => {
    expect(version).toBe('2.2.4');
  });

  it('set no timer while nothing waits (no polling, no negative timeouts)', () => {
    const idle = queue({});
    idle.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('look at a waiting request again soon', () => {
    const busy = queue({ pending: [{}] });
    busy.checkPendingRequests = jest.fn();
    busy.scheduleCheckPendingRequests();
    busy.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(10);
    expect(busy.checkPendingRequests).toHaveBeenCalledTimes(1);
  });

  it('wait for the end of a throttle', () => {
    const throttled = queue({ throttledUntil: Date.now() + 500 });
    throttled.checkPendingRequests = jest.fn();
    throttled.scheduleCheckPendingRequests();
    jest.advanceTimersByTime(499);
    expect(throttled.checkPendingRequests).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(throttled.checkPendingRequests).toHaveBeenCalledTimes(1);
  });
});

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { symbols } from 'pino';
import { DomainError } from './domain-error';
import { createLogger, type Logger, NestLogger } from './logger';

/** Names under which a payload, a credential or personal data could be handed in by mistake. */
const forbidden = [
  'body', 'payload', 'authorization', 'headers', 'cookie', 'notification', 'plaintext', 'password', 'token', 'accessToken', 'secret',
  'key', 'sealedKey', 'challenge', 'solution', 'identity', 'clientMsisdn', 'msisdn', 'msisdns', 'destination', 'reference', 'amount',
  'bin', 'last4', 'binLast4', 'cardInfo', 'cardHolderName', 'clientContact', 'firstName', 'lastName', 'emailAddress', 'phoneNumber',
  'clientBilling', 'clientShipping', 'email', 'emails', 'recipient', 'recipients', 'content', 'text', 'data', 'url', 'query', 'params',
  'request', 'response', 'req', 'res', 'sql', 'parameters', 'error', 'stack',
]; // prettier-ignore
const secretText = 'hunter2';

describe('the log', () => {
  let logger: Logger;
  let lines: Record<string, unknown>[];

  beforeEach(() => {
    logger = createLogger('test', 'trace');
    lines = [];
    const stream = (logger as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];
    jest.spyOn(stream!, 'write').mockImplementation(line => void lines.push(JSON.parse(line) as Record<string, unknown>));
  });
  afterEach(() => jest.restoreAllMocks());

  describe('as in R-2.5-19, R-5.4-3, T-17', () => {
    it.each(forbidden)('%s is dropped, whatever it holds', name => {
      for (const value of [secretText, { deep: secretText }, [secretText], Buffer.from(secretText)]) {
        logger.info({ [name]: value, transactionId: 7 }, 'delivered');
      }
      expect(lines).toHaveLength(4);
      for (const line of lines) {
        expect(Object.keys(line).sort()).toEqual(['level', 'msg', 'service', 'time', 'transactionId']);
        expect(line).toMatchObject({ level: 'info', msg: 'delivered', service: 'test', transactionId: 7 });
      }
    });
  });

  it('a field that is not on the list is dropped (R-2.5-19)', () => {
    logger.warn({ neverHeardOf: secretText, verdict: 'ACKED_HTTP' }, 'said');
    expect(lines).toEqual([{ level: 'warn', time: expect.any(String), service: 'test', verdict: 'ACKED_HTTP', msg: 'said' }]);
  });

  it('of an error the log has name, code, message, place and cause, and nothing else that it carries (T-17)', () => {
    const cause = Object.assign(new TypeError('inner'), { config: { password: secretText } });
    const error = Object.assign(new Error('x'.repeat(1_000), { cause }), { code: 'E_TEST', request: { body: secretText } });
    logger.error({ err: error }, 'failed');
    logger.error({ err: { password: secretText } }, 'failed');
    expect(JSON.stringify(lines)).not.toContain(secretText);
    const place: unknown = expect.any(String);
    expect(lines.map(({ err }) => err)).toEqual([
      {
        name: 'Error',
        code: 'E_TEST',
        message: 'x'.repeat(300),
        stack: place,
        cause: { name: 'TypeError', message: 'inner', stack: place },
      },
      { name: 'NonError', message: 'object' },
    ]);
  });

  it('of a refusal the reason is written, by a name of its own: `code` is what callers see', () => {
    logger.error({ err: new DomainError({ status: 503, reason: 'NO_ROOM', message: 'later' }) }, 'refused');
    expect(lines).toMatchObject([{ err: { name: 'DomainError', reason: 'NO_ROOM', message: 'later' } }]);
    expect(lines[0]!['err']).not.toHaveProperty('code');
  });

  it('regression: a fault that comes again has one warning a minute for each cause and place, with its count', () => {
    const away = Object.assign(new Error('no answer'), { code: 'ECONNREFUSED' });
    const fault = { event: 'notices-not-handed-over', err: away };
    for (let tries = 0; tries < 12; tries++) logger.warn(fault, 'notices wait');
    logger.warn({ ...fault, err: Object.assign(new Error('slow'), { code: 'ETIMEDOUT' }) }, 'notices wait');
    logger.warn(fault, 'messages wait');
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    logger.warn(fault, 'notices wait');
    expect(lines.map(({ msg, count, err }) => [msg, count, (err as { code: string }).code])).toEqual([
      ['notices wait', 1, 'ECONNREFUSED'],
      ['notices wait', 1, 'ETIMEDOUT'],
      ['messages wait', 1, 'ECONNREFUSED'],
      ['notices wait', 12, 'ECONNREFUSED'],
    ]);
  });

  it('errors, warnings without a fault and lines that have a count are all written', () => {
    for (let times = 0; times < 2; times++) {
      logger.error({ err: new Error('bug') }, 'failed');
      logger.warn({ count: 2, err: new Error('away') }, 'paced by its writer');
      logger.warn({ verdict: 'ACKED_HTTP' }, 'said');
    }
    expect(lines).toHaveLength(6);
  });

  it('messages of the framework are logged as shortened text only (T-17)', () => {
    const nest = new NestLogger(logger);
    nest.error({ password: secretText }, { body: secretText }, 'Router');
    nest.warn('y'.repeat(1_000), 'Router');
    expect(JSON.stringify(lines)).not.toContain(secretText);
    expect(lines).toMatchObject([
      { source: 'Router', msg: 'object' },
      { source: 'Router', msg: 'y'.repeat(300) },
    ]);
  });
});

/** The first write fails, and the process ends by itself after it has noticed that. */
const program = `
  import { write } from 'node:fs';
  import { createLogger } from './logger';
  const logger = createLogger('test');
  logger.info('nobody reads it');
  write(1, 'x', () => setImmediate(() => {
    logger.error('nor this');
    process.stderr.write('works');
    process.exit(0);
  }));`;

/** Linux has it: it refuses every byte, as a full disk does. */
const fullDisk = '/dev/full';

/** proves: F-18 */
(existsSync(fullDisk) ? describe : describe.skip)('a disk that has no room for log lines', () => {
  let full: number;
  beforeEach(() => (full = openSync(fullDisk, 'a')));
  afterEach(() => closeSync(full));

  it('regression: fails no work of one process of all services (F-18)', () => {
    const logger = createLogger('test', 'info', full);
    expect(() => logger.info('nobody reads it')).not.toThrow();
    expect(() => logger.fatal('nor this')).not.toThrow();
  });

  it('regression: neither ends a process nor keeps it from ending (F-18)', () => {
    const stdin = { contents: program, resolveDir: __dirname, loader: 'ts' } as const;
    const built = buildSync({ stdin, bundle: true, platform: 'node', format: 'cjs', write: false });
    const input = built.outputFiles[0]!.text;
    const { status, stderr } = spawnSync(process.execPath, ['-'], { input, stdio: ['pipe', full, 'pipe'], timeout: 60_000 });
    expect([status, String(stderr)]).toEqual([0, 'works']);
  });
});

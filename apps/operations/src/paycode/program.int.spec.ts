import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';

interface Seen {
  method?: string;
  url?: string;
  authorization?: string;
  body: string;
}

describe('npm run -s paycode', () => {
  let folder: string;
  let seen: Seen[];
  let answer: { status: number; body: unknown };
  class Listener extends FakeServer {
    protected override handle(
      { method, url, headers: { authorization } }: IncomingMessage,
      response: ServerResponse,
      body: string,
    ) {
      // A platform of one cell: the lists of services ask for the map first.
      if (`${method} ${url}` === 'GET /internal/cells') return answerJson(response, { cells: [], entries: [] });
      seen.push({ method, url, authorization, body });
      answerJson(response, answer.body, answer.status);
    }
  }
  const listener = new Listener();

  beforeAll(async () => {
    await listener.listen();
    folder = mkdtempSync(join(tmpdir(), 'paycode-cli-'));
    const services = [
      'auth-session',
      'notification-config',
      'webhook-dispatcher',
      'reversal-scheduler',
      'recipient-messages',
      'payment-simulator',
      'portal',
    ];
    writeFileSync(join(folder, 'operator.token'), 'the-token\n');
    const internal = Object.fromEntries(services.map(name => [name, listener.url]));
    // As npm start writes it: relative to the folder in which it was started.
    writeFileSync(join(folder, 'standalone.json'), JSON.stringify({ internal, operatorTokenFile: '.paycode/operator.token' }));
  });
  afterAll(async () => {
    await listener.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    seen = [];
    answer = { status: 200, body: { username: 'psp-9', roles: ['EXTERNAL'] } };
  });

  const paycode = (...args: string[]) => paycodeReading('', ...args);

  function paycodeReading(input: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const env = { ...process.env, PAYCODE_HOME: folder, KAFKA_BROKERS: '', NODE_OPTIONS: '' };
    return new Promise(resolve => {
      const child = execFile(process.execPath, [join(__dirname, '../paycode.ts'), ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
      child.stdin!.end(input);
    });
  }

  it.each([
    [['accounts', 'create', 'psp', '--id', '9'], 'POST /internal/accounts {"type":"PSP","id":9}'],
    [['accounts', 'show', 'stk/1'], 'GET /internal/accounts/stk%2F1 '],
    [['accounts', 'password', 'psp-9'], 'POST /internal/accounts/psp-9/password '],
    [['sessions', 'list', 'psp-9'], 'GET /internal/accounts/psp-9/sessions '],
    [['sessions', 'end-all', 'psp-9'], 'POST /internal/accounts/psp-9/sessions/end-all '],
    [['accounts', 'enable-bearer', 'psp-9'], 'POST /internal/accounts/psp-9/bearer '],
    [['limits', 'show'], 'GET /internal/limits '],
    [['limits', 'show', 'stk/1'], 'GET /internal/limits/stk%2F1 '],
    [['limits', 'set', 'psp-9', '--per-second', '40'], 'PUT /internal/limits/psp-9 {"perSecond":40}'],
    [['limits', 'set', 'psp-9', '--default'], 'PUT /internal/limits/psp-9 {"perSecond":null}'],
    [['accounts', 'service-public-key'], 'GET /internal/service-public-key '],
    [
      ['merchants', 'set', '7', '--name', 'Seven', '--acquirer', 'Bank', '--psp', '9'],
      'PUT /internal/merchants/7 {"merchantName":"Seven","pspId":9,"acquirer":"Bank","status":"ACTIVE"}',
    ],
    [['merchants', 'encryption', '7', 'AES-128-GCM'], 'PUT /internal/merchants/7/encryption {"profile":"AES-128-GCM"}'],
    [['notifications', 'remove', '7', 'email', 'a@b.c'], 'DELETE /internal/merchants/7/notifications/EMAIL/a%40b.c '],
    [['check', '7'], 'POST /internal/merchants/7/check '],
    [['send-test', '7'], 'POST /internal/merchants/7/test-notification {}'],
    [['send-test', '7', '--asked-by', 'T. Nkosi'], 'POST /internal/merchants/7/test-notification {"askedBy":"T. Nkosi"}'],
    [['keys', 'reseal'], 'POST /internal/webhook-keys/reseal '],
    [['deliveries', 'show', '12'], 'GET /internal/deliveries/12 '],
    [['deliveries', 'list', '--merchant', '7'], 'GET /internal/deliveries?state=open&limit=50&merchantId=7 '],
    [['deliveries', 'redeliver', '12'], 'POST /internal/deliveries/12/redeliver '],
    [['dead-letters', 'list', 'recipient-messages', '--before', '9'], 'GET /internal/dead-letters?before=9 '],
    [['dead-letters', 'redrive', 'webhook-dispatcher', '3', '4'], 'POST /internal/dead-letters/redrive {"letterIds":[3,4]}'],
    [['endpoints', 'show', '7', '8'], 'POST /internal/endpoints {"merchantIds":[7,8]}'],
    [['endpoints', 'pauses'], 'GET /internal/endpoints/pauses '],
    [
      ['endpoints', 'pause', '7', '--minutes', '5', '--reason', 'server is moved'],
      'POST /internal/endpoints/pauses {"merchantId":7,"durationS":300,"reason":"server is moved"}',
    ],
    [['endpoints', 'resume', '3'], 'POST /internal/endpoints/pauses/3/end '],
    [
      ['owners', 'ask', 'merchant', '7', '--email', 'n@shop.example', '--name', 'Nandi', '--reason', 'ticket 12'],
      'POST /internal/owner-recoveries {"tenantType":"MERCHANT","tenantId":"7","email":"n@shop.example","name":"Nandi","reason":"ticket 12"}',
    ],
    [['owners', 'list'], 'GET /internal/owner-recoveries '],
    [['owners', 'confirm', 'a/b'], 'POST /internal/owner-recoveries/a%2Fb/confirm '],
    [['owners', 'withdraw', 'a'], 'POST /internal/owner-recoveries/a/withdraw '],
    [
      ['cells', 'add', 'b', '--dispatcher', 'http://d:1', '--scheduler', 'http://s:1'],
      'PUT /internal/cells/b {"dispatcherUrl":"http://d:1","schedulerUrl":"http://s:1"}',
    ],
    [['keys', 'rotate'], 'POST /internal/keys/rotate '],
    [['keys', 'replace'], 'POST /internal/keys/replace '],
    [['keys', 'reseal'], 'POST /internal/webhook-keys/reseal '],
    [['reversals', 'show', '12'], 'GET /internal/reversals/12 '],
    [['transactions', 'show', '12'], 'GET /internal/transactions/12 '],
    [
      ['transactions', 'complete', '--merchant', '7', '--amount', '110.10'],
      'POST /internal/transactions [{"merchantId":7,"amount":110.10,"currencyCode":"ZAR"}]',
    ],
    [
      [
        'transactions',
        'complete',
        '--merchant',
        '7',
        '--amount',
        '1',
        '--kind',
        'REVERSAL',
        '--of',
        '12',
        '--state',
        'END_REVERSED',
      ],
      'POST /internal/transactions [{"merchantId":7,"amount":1,"currencyCode":"ZAR","txState":"END_REVERSED","kind":"REVERSAL","referenceTransactionId":12}]',
    ],
  ])('architecture 8: %j', async (args, call) => {
    expect((await paycode(...args)).code).toBe(0);
    expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([call]);
    expect(seen[0]!.authorization).toBe('Bearer the-token');
  });

  it('shows answers for people and, on request, as JSON', async () => {
    expect((await paycode('accounts', 'show', 'psp-9')).out).toBe('username  psp-9\nroles     EXTERNAL\n');
    expect(JSON.parse((await paycode('accounts', 'show', 'psp-9', '--json')).out)).toEqual(answer.body);
  });

  describe('in a pod, where standard input is the only input', () => {
    const key = ['--token-file', '-', 'accounts', 'public-key', 'psp-9', '-'];

    it('takes the operator token from its first line, and a file from the lines behind it (T-27)', async () => {
      expect((await paycodeReading('a-token\nMIIC\nIjAN\n', ...key)).code).toBe(0);
      expect(seen).toMatchObject([{ authorization: 'Bearer a-token', body: '{"publicKey":"MIICIjAN"}' }]);
    });

    it('without a file behind the token it says so and sends nothing', async () => {
      for (const input of ['a-token\n', 'a-token', 'a-token\n \n'])
        expect(await paycodeReading(input, ...key)).toMatchObject({
          code: 1,
          err: expect.stringContaining('standard input ends behind the token') as string,
        });
      expect(seen).toEqual([]);
    });

    it('takes the whole input for the file when the token has one of its own', async () => {
      expect((await paycodeReading('MIIC\nIjAN\n', 'accounts', 'public-key', 'psp-9', '-')).code).toBe(0);
      expect(seen).toMatchObject([{ authorization: 'Bearer the-token', body: '{"publicKey":"MIICIjAN"}' }]);
    });
  });

  it('prints the reason of a refusal and exits 1', async () => {
    answer = { status: 400, body: { message: 'type is wrong', errors: [{ field: 'type', message: 'must be one of …' }] } };
    const { code, err } = await paycode('accounts', 'create', 'pirate');
    expect([code, err]).toEqual([1, 'auth-session refused (400): type is wrong\n  type: must be one of …\n']);
  });

  it('prints the remedy when no platform runs', async () => {
    const unused = await paycode('--url', 'auth-session=http://127.0.0.1:1', 'accounts', 'show', 'x');
    expect([unused.code, unused.err]).toEqual([
      1,
      expect.stringContaining('does not answer (ECONNREFUSED). Is the platform running? npm start'),
    ]);
    const nowhere = await paycode('--home', join(folder, 'none'), 'accounts', 'show', 'x');
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('Start it with npm start')]);
  });

  it.each([
    [['rewind', 'recipient-messages', '--to', '2026-11-21T19:00:00Z'], /^<group> must be one of .*, not recipient-messages\n$/],
    [
      ['rewind', 'portal', '--to', '2026-11-21T19:00:00'],
      /^--to must be a past instant in UTC such as 2026-11-21T19:00:00Z, not/,
    ],
    [['rewind', 'portal', '--to', '2999-11-21T19:00:00Z'], /^--to must be a past instant/],
    [['show', 'nobody'], /^<group> must be one of .*recipient-messages/],
    [['show', 'webhook-dispatcher@B!'], /^<group> must be one of webhook-dispatcher\[@cell\], .*, not webhook-dispatcher@B!\n$/],
    [['show', 'portal@b'], /^<group> must be one of .*, not portal@b\n$/],
    [['rewind', 'webhook-dispatcher@b', '--to', '2999-11-21T19:00:00Z'], /^--to must be a past instant/],
    [['show'], /^KAFKA_BROKERS is not set/],
  ])(
    'a group that no restore may set back, and a time that nobody can mean, are refused before Kafka is asked: %j',
    async (args, text) => {
      expect(await paycode('groups', ...args)).toMatchObject({ code: 1, err: expect.stringMatching(text) as string });
    },
  );

  describe('operators are persons with short-lived tokens (T-27)', () => {
    const keys = () => join(folder, 'secrets/token-keys');
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
        sub: string;
        jti: string;
        iat: number;
        exp: number;
      };
    const revocations = () => JSON.parse(readFileSync(join(keys(), 'operator-revocations.json'), 'utf8')) as unknown;
    const kidsIn = (file: string) =>
      (JSON.parse(readFileSync(join(keys(), file), 'utf8')) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

    it('a token is issued in the name of a person, for 8 h at most, and revoked', async () => {
      expect((await paycode('keys', 'make', '--folder', keys())).code).toBe(0);
      const { out } = await paycode('operators', 'issue', '--subject', 'alice', '--hours', '2');
      const claims = claimsOf(out);
      expect([claims.sub, claims.exp - claims.iat]).toEqual(['alice', 7_200]);
      expect(await paycode('operators', 'issue', '--subject', 'alice', '--hours', '9')).toMatchObject({ code: 1 });
      expect(await paycode('operators', 'issue', '--subject', 'al ice')).toMatchObject({ code: 1 });
      writeFileSync(join(folder, 'alice.token'), out);
      await paycode('operators', 'revoke', '--token', join(folder, 'alice.token'));
      await paycode('operators', 'revoke', '--subject', 'bob');
      expect(revocations()).toEqual({ tokens: [claims.jti], issuedUntil: { bob: expect.any(Number) as number } });
      expect(await paycode('operators', 'revoke')).toMatchObject({ code: 1 });
    });

    it('a key is renewed beside the old one, which is then retired', async () => {
      await paycode('keys', 'make', '--folder', keys());
      const ownKids = () => kidsIn('service-public-keys.json').filter(kid => kid.startsWith('api-gateway:'));
      const [before] = ownKids();
      expect((await paycode('keys', 'retire', before!, '--folder', keys())).err).toContain('first: keys renew api-gateway');
      await paycode('keys', 'renew', 'api-gateway', '--folder', keys());
      expect(ownKids()).toEqual([before, expect.any(String)]);
      await paycode('keys', 'retire', before!, '--folder', keys());
      expect(ownKids()).toHaveLength(1);
      expect(ownKids()).not.toContain(before);
      expect((await paycode('keys', 'renew', 'ledger', '--folder', keys())).err).toContain('ledger is none of');
    });
  });

  it('refuses malformed ids, and a limit that is both or neither, before it sends anything', async () => {
    for (const rate of [[], ['--default', '--per-second', '4']])
      expect(await paycode('limits', 'set', 'psp-9', ...rate)).toMatchObject({
        code: 1,
        err: 'limits set needs either --per-second or --default\n',
      });
    expect((await paycode('reversals', 'show', '12x')).err).toBe('transactionId must be a positive integer, not 12x\n');
    expect(seen).toEqual([]);
  });
});

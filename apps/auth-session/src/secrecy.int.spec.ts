import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { basic, type CreatedAccount, TestAuthSession } from './testing/test-service';
import { type BearerAccount, type Challenge, LoginClient, tokenOf } from './testing/login-client';
import type { ServiceProcess } from './testing/service-process';

/** Every secret or private text that the service receives or sends during the run. */
class Canaries {
  readonly planted = new Map<string, string>();

  /** A new text to send, stored under its kind. */
  plant(what: string): string {
    const text = `marker${randomBytes(12).toString('hex')}`;
    this.planted.set(text, what);
    return text;
  }

  /** Remembers a secret that came from elsewhere. */
  keep(what: string, secret: string): string {
    this.planted.set(secret, what);
    return secret;
  }

  /** The kinds whose texts occur in the given text: plain, as base64 or URL-encoded. */
  foundIn(text: string): string[] {
    return [...this.planted]
      .filter(([secret]) =>
        [secret, Buffer.from(secret).toString('base64').slice(0, -4), encodeURIComponent(secret)].some(form =>
          text.includes(form),
        ),
      )
      .map(([, what]) => what);
  }
}

const canaries = new Canaries();
const service = TestAuthSession.ofSpec({}, 0);
const client = new LoginClient(service);
let process_: ServiceProcess;
let bearer: BearerAccount;
let basicAccount: CreatedAccount;
/** Bodies of all refusals. */
let refusals = '';

beforeAll(async () => {
  process_ = await service.addProcess();
  bearer = await client.bearerAccount({ type: 'PSP', id: 1 });
  basicAccount = await service.create({ type: 'PSP', id: 2 });
  canaries.keep('API password', basicAccount.apiPassword);
  canaries.keep('API password', bearer.password);
  await authorizeTraffic();
  await loginTraffic();
  await operatorTraffic();
});

const plant = (what: string) => canaries.plant(what);

async function authorizeTraffic(): Promise<void> {
  const jwtLike = `${plant('JWT header')}.${plant('JWT claims')}.${plant('JWT signature')}`;
  const lines = [
    [basic(plant('Basic username'), plant('Basic password'))],
    [basic(basicAccount.username, plant('Basic password'))],
    [basic(basicAccount.username, basicAccount.apiPassword)],
    [`Basic ${plant('Basic rubbish')}`],
    [`Bearer ${jwtLike}`],
    [`Bearer ${plant('Bearer rubbish')}`],
    [plant('scheme'), `Token ${plant('other scheme')}`],
    [`Bearer ${jwtLike}`, basic(plant('second username'), plant('second password'))],
  ];
  for (const authorization of lines) {
    const path = `/pluto/code/create?access_token=${plant('query string')}`;
    const answer = await service.authorize({ path, authorization });
    if (!answer.allowed) refusals += answer.body + JSON.stringify(answer.headers);
    else canaries.keep('identity assertion', answer.identity!);
  }
}

async function loginTraffic(): Promise<void> {
  const plaintext = randomBytes(64);
  const sent = await client.encryptToService(plaintext);
  canaries.keep('client challenge', sent);
  const challenge = (await client.challenge(bearer.username, plaintext)).data as Challenge;
  const answer = client.answer(bearer.privateKey, challenge);
  canaries.keep('challenge response', answer.base64EncodedChallengeResponse);
  canaries.keep('server challenge', challenge.base64EncodedChallenge);
  canaries.keep('proof', createHash('sha256').update(plaintext).digest('base64'));
  const good = { identity: bearer.username, password: bearer.password, ...answer };
  const bodies = [
    { identity: plant('login identity'), password: plant('login password') },
    { identity: bearer.username, password: plant('login password') },
    { ...good, password: plant('login password') },
    { ...good, base64EncodedChallengeHash: plant('challenge hash'), base64EncodedChallengeResponse: plant('challenge response') },
    { ...good, base64EncodedChallengeHash: plant('lonely challenge hash'), base64EncodedChallengeResponse: undefined },
    { identity: { nested: plant('identity of another type') }, password: [plant('password of another type')] },
    { identity: plant('long identity').repeat(40), password: plant('long password').repeat(400) },
    { [plant('key of a field')]: plant('unknown field') },
  ];
  for (const body of bodies) refusals += JSON.stringify((await client.login(body)).data);
  const session = await client.passwordLogin(bearer);
  canaries.keep('access token', tokenOf(session));
  const renewed = (await post('renew', { jwt: tokenOf(session) })) as { headerValue: string };
  canaries.keep('access token', renewed.headerValue.slice('Bearer '.length));
  for (const jwt of [plant('renew jwt'), `a.${plant('renew jwt claims')}.b`, { nested: plant('renew jwt of another type') }]) {
    refusals += JSON.stringify(await post('renew', { jwt }));
    refusals += JSON.stringify(await post('logout', { jwt }));
  }
  refusals += JSON.stringify(await post('login', `{"identity":"x","password":"${plant('password in broken JSON')}"`));
  refusals += JSON.stringify(await post('login', `{"password":"a","password":"${plant('password in duplicate key')}"}`));
  await service.client('POST', '/authentication/logout', { headers: { authorization: renewed.headerValue } });
  for (const query of [
    `identity=${plant('challenge identity')}&clientChallenge=${plant('clientChallenge')}`,
    `identity=${plant('challenge identity')}`,
    `identity=x&clientChallenge=${plant('clientChallenge')}&clientChallenge=${plant('clientChallenge')}`,
  ]) {
    refusals += JSON.stringify((await service.client('GET', `/authentication/login-challenges?${query}`)).data);
  }
}

async function post(path: string, data: unknown): Promise<unknown> {
  return (await service.client('POST', `/authentication/${path}`, { data })).data;
}

async function operatorTraffic(): Promise<void> {
  const { data } = await service.operator('POST', `/internal/accounts/${basicAccount.username}/password`);
  canaries.keep('API password', (data as { apiPassword: string }).apiPassword);
  const publicKey = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'der', type: 'spki' });
  const put = (body: object) => service.operator('PUT', `/internal/accounts/${basicAccount.username}/public-key`, body);
  for (const body of [{ publicKey: publicKey.toString('base64') }, { publicKey: plant('public key') }]) {
    refusals += JSON.stringify((await put(body)).data);
  }
  await service.operator('POST', '/internal/keys/rotate');
}

describe('passwords, tokens, keys and challenges of a whole run (T-17, R-5.4-3)', () => {
  it('are planted, and the search finds them', () => {
    expect(canaries.planted.size).toBeGreaterThan(50);
    const [[secret]] = canaries.planted as unknown as [[string]];
    expect(canaries.foundIn(`x ${secret} y`)).toHaveLength(1);
    expect(process_.output).toContain('service started');
  });

  it('appear in no log line', () => {
    expect(canaries.foundIn(process_.output)).toEqual([]);
  });

  it('appear in no error answer', () => {
    // A refusal may repeat the name of a known field, but never an unknown name or a value.
    expect(refusals).toContain('Bad Credentials');
    expect(canaries.foundIn(refusals)).toEqual([]);
  });

  it('appear in no metric', async () => {
    const metrics = await fetch(`${service.url('internal')}/metrics`);
    const text = await metrics.text();
    expect(text).toContain('paycode_auth_session_failures_total');
    expect(canaries.foundIn(text)).toEqual([]);
  });

  it('appear in no table', async () => {
    const { dataSource } = service.database;
    const tables = await dataSource.query<{ name: string }[]>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    let dump = '';
    for (const { name } of tables) {
      const rows = await dataSource.query<{ row: string }[]>(`select to_jsonb(t)::text as row from "${name}" t`);
      dump += rows.map(({ row }) => row).join('\n');
    }
    expect(dump).toContain(basicAccount.username);
    expect(canaries.foundIn(dump)).toEqual([]);
  });
});

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import jsonwebtoken from 'jsonwebtoken';
import { TestTokenKeys } from '../testing';
import { ServiceTokenSigner } from './service-token';
import { ServiceTokenKeys } from './service-token-keys';
import { newPrivateKey, publicJwkOf, signingKeyOf, signOperatorToken } from './token-keys';

const tokenKeys = new TestTokenKeys();
const { files } = tokenKeys;
const settings = {
  servicePublicKeysFile: files.servicePublicKeys,
  operatorPublicKeysFile: files.operatorPublicKeys,
  operatorRevocationsFile: files.operatorRevocations,
  operatorLifetimeMaxS: 28_800,
};
const keys = new ServiceTokenKeys('reversal-scheduler', settings);
const callerOf = (token: string, verifier = keys) => {
  const key = verifier.keyFor(token);
  return key && verifier.callerOf(jsonwebtoken.verify(token, key, { algorithms: ['ES256'], complete: true }));
};
const keyOf = (file: string, owner: string) => signingKeyOf(owner, readFileSync(file, 'utf8'));
const dispatcher = keyOf(files.services['webhook-dispatcher'], 'webhook-dispatcher');
const scheduler = keyOf(files.services['reversal-scheduler'], 'reversal-scheduler');
const operator = keyOf(files.operator, 'operator');

interface Forgery {
  key?: { kid: string; privateKey: KeyObject };
  kid?: string;
  typ?: string;
  claims?: object;
  lifetimeS?: number;
}
const genuine = { iss: 'webhook-dispatcher', aud: 'reversal-scheduler', jti: 'token-1' };
const forge = ({ key = dispatcher, kid = key.kid, typ = 'paycode-service+jwt', claims = genuine, lifetimeS = 60 }: Forgery) =>
  jsonwebtoken.sign(claims, key.privateKey, {
    algorithm: 'ES256',
    keyid: kid,
    header: { alg: 'ES256', typ },
    expiresIn: lifetimeS,
  });

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('service tokens', () => {
  it('name the service whose key signed them', () => {
    expect(callerOf(tokenKeys.signer('webhook-dispatcher').tokenFor('reversal-scheduler'))).toMatchObject({
      name: 'webhook-dispatcher',
      subject: null,
    });
    expect(callerOf(forge({}))).toMatchObject({ name: 'webhook-dispatcher' });
  });

  it('one is signed per audience and 50 s', () => {
    const startMs = Math.ceil(Date.now() / 1_000) * 1_000;
    jest.useFakeTimers({ now: startMs, doNotFake: ['performance'] });
    const signer = tokenKeys.signer('webhook-dispatcher');
    const first = signer.tokenFor('auth-session');
    expect(signer.tokenFor('auth-session')).toBe(first);
    expect(signer.tokenFor('notification-config')).not.toBe(first);
    jest.setSystemTime(startMs + 49_999);
    expect(signer.tokenFor('auth-session')).toBe(first);
    jest.setSystemTime(startMs + 50_000);
    expect(signer.tokenFor('auth-session')).not.toBe(first);
  });

  it.each<[string, Forgery]>([
    ['a service that speaks for another one', { claims: { ...genuine, iss: 'notification-config' } }],
    [
      'a service that speaks for an operator',
      { claims: { ...genuine, iss: 'operator', aud: 'paycode-internal', sub: 'mallory' } },
    ],
    ['an operator that speaks for a service', { key: operator }],
    ['a key that claims the id of another one', { key: scheduler, kid: scheduler.kid, claims: genuine }],
    ['another audience', { claims: { ...genuine, aud: 'auth-session' } }],
    ['several audiences', { claims: { ...genuine, aud: ['reversal-scheduler', 'auth-session'] } }],
    ['another kind of token', { typ: 'paycode-identity+jwt' }],
    ['a life of more than a minute', { lifetimeS: 61 }],
    ['no token id', { claims: { iss: genuine.iss, aud: genuine.aud } }],
  ])('is refused: %s (T-27)', (_what, forgery) => {
    expect(callerOf(forge(forgery))).toBeUndefined();
  });

  it('a token under an unpublished key and a text that is no token are refused (T-08)', () => {
    const stranger = { kid: 'webhook-dispatcher:unknown', privateKey: createPrivateKey(newPrivateKey()) };
    expect(keys.keyFor(forge({ key: stranger }))).toBeUndefined();
    expect(keys.keyFor('not-a-token')).toBeUndefined();
    expect(() => callerOf(forge({ key: stranger, kid: dispatcher.kid }))).toThrow('invalid signature');
  });
});

describe('operator tokens', () => {
  const issued = (lifetimeS: number, subject = 'alice') => signOperatorToken(operator, { subject, lifetimeS });

  it('name a person and live for 8 h at most (T-27)', () => {
    expect(callerOf(issued(28_800))).toMatchObject({ name: 'operator', subject: 'alice' });
    expect(callerOf(issued(28_801))).toBeUndefined();
    const standalone = new ServiceTokenKeys('reversal-scheduler', { ...settings, operatorLifetimeMaxS: 315_360_000 });
    expect(callerOf(issued(315_360_000), standalone)).toMatchObject({ subject: 'alice' });
  });

  it.each<[string, Forgery]>([
    ['nobody', { claims: { iss: 'operator', aud: 'paycode-internal', jti: '1' } }],
    ['a name that would break a log line', { claims: { iss: 'operator', aud: 'paycode-internal', jti: '1', sub: 'a\nb' } }],
    ['no id to revoke it by', { claims: { iss: 'operator', aud: 'paycode-internal', sub: 'alice' } }],
  ])('is refused: %s (T-27)', (_what, forgery) => {
    expect(callerOf(forge({ key: operator, typ: 'paycode-operator+jwt', ...forgery }))).toBeUndefined();
    expect(() => issued(60, '')).toThrow('subject must be');
  });

  it('one token, one person or everybody is revoked while the service runs (T-27)', () => {
    const revoking = new TestTokenKeys();
    const { operatorRevocations } = revoking.files;
    const own = new ServiceTokenKeys('auth-session', {
      servicePublicKeysFile: revoking.files.servicePublicKeys,
      operatorPublicKeysFile: revoking.files.operatorPublicKeys,
      operatorRevocationsFile: operatorRevocations,
      operatorLifetimeMaxS: 28_800,
    });
    const callers = ['alice', 'bob'].map(subject => callerOf(revoking.operatorToken({ subject }), own)!);
    const [alice, bob] = callers as [(typeof callers)[0], (typeof callers)[0]];
    let seconds = 0;
    const afterWriting = (revocations: object) => {
      writeFileSync(operatorRevocations, JSON.stringify(revocations));
      // The file is looked at once a second.
      jest.spyOn(performance, 'now').mockReturnValue((seconds += 10) * 1_000_000);
      return [alice, bob].map(caller => own.isRevoked(caller));
    };
    expect(afterWriting({ tokens: [], issuedUntil: {} })).toEqual([false, false]);
    expect(afterWriting({ tokens: [alice.tokenId], issuedUntil: {} })).toEqual([true, false]);
    expect(afterWriting({ tokens: [], issuedUntil: { bob: bob.issuedAtS } })).toEqual([false, true]);
    expect(afterWriting({ tokens: [], issuedUntil: { bob: bob.issuedAtS - 1 } })).toEqual([false, false]);
    expect(afterWriting({ tokens: [], issuedUntil: { '*': bob.issuedAtS } })).toEqual([true, true]);
    expect(afterWriting({ token: ['a slip of the pen revokes nothing, so it changes nothing'] })).toEqual([true, true]);
  });
});

describe('rotation', () => {
  it('two keys of one service are valid; the new one signs once it is published (T-27)', () => {
    const rotating = new TestTokenKeys();
    const { services, servicePublicKeys, operatorPublicKeys } = rotating.files;
    const file = services['webhook-dispatcher'];
    const refused: string[] = [];
    const onRefused = (error: Error) => void refused.push(error.message);
    const verifier = new ServiceTokenKeys(
      'reversal-scheduler',
      {
        servicePublicKeysFile: servicePublicKeys,
        operatorPublicKeysFile: operatorPublicKeys,
        operatorRevocationsFile: null,
        operatorLifetimeMaxS: 60,
      },
      onRefused,
    );
    const signer = new ServiceTokenSigner('webhook-dispatcher', {
      privateKeyFile: file,
      servicePublicKeysFile: servicePublicKeys,
    });
    const oldKey = keyOf(file, 'webhook-dispatcher');
    let hours = 0;
    const kidOfNext = () => {
      jest.spyOn(performance, 'now').mockReturnValue(++hours * 3_600_000);
      jest.useFakeTimers({ now: Date.now() + 3_600_000, doNotFake: ['performance'] });
      return jsonwebtoken.decode(signer.tokenFor('reversal-scheduler'), { complete: true })!.header.kid;
    };
    const publish = (...published: ReturnType<typeof keyOf>[]) => {
      writeFileSync(servicePublicKeys, JSON.stringify({ keys: published.map(publicJwkOf) }));
    };
    writeFileSync(file, newPrivateKey());
    const newKey = keyOf(file, 'webhook-dispatcher');
    expect(kidOfNext()).toBe(oldKey.kid);
    publish(oldKey, newKey);
    expect(kidOfNext()).toBe(newKey.kid);
    expect([oldKey, newKey].map(key => callerOf(forge({ key }), verifier)?.name)).toEqual(Array(2).fill('webhook-dispatcher'));
    publish(newKey);
    expect(kidOfNext()).toBe(newKey.kid);
    expect(verifier.keyFor(forge({ key: oldKey }))).toBeUndefined();
    writeFileSync(servicePublicKeys, '{"keys":[]}');
    expect([kidOfNext(), callerOf(forge({ key: newKey }), verifier)?.name]).toEqual([newKey.kid, 'webhook-dispatcher']);
    expect(refused).toEqual([`${servicePublicKeys} is not usable: the JWKS holds no keys`]);
  });

  it('a service whose key or list of keys becomes unusable names it, and continues with the former one (T-27)', () => {
    const { services, servicePublicKeys } = new TestTokenKeys().files;
    const privateKeyFile = services['webhook-dispatcher'];
    const refused: string[] = [];
    const onRefused = (error: Error) => void refused.push(error.message);
    const signer = new ServiceTokenSigner('webhook-dispatcher', {
      privateKeyFile,
      servicePublicKeysFile: servicePublicKeys,
      onRefused,
    });
    const oldKey = keyOf(privateKeyFile, 'webhook-dispatcher');
    let seconds = 0;
    const kidOfNext = (audience: string) => {
      jest.spyOn(performance, 'now').mockReturnValue((seconds += 10) * 1_000_000);
      return jsonwebtoken.decode(signer.tokenFor(audience), { complete: true })!.header.kid;
    };
    writeFileSync(privateKeyFile, 'half a key');
    expect(kidOfNext('auth-session')).toBe(oldKey.kid);
    expect(refused).toEqual([expect.stringContaining(`${privateKeyFile} is not usable`)]);
    writeFileSync(privateKeyFile, newPrivateKey());
    writeFileSync(servicePublicKeys, '{"keys":[]}');
    expect(kidOfNext('reversal-scheduler')).toBe(oldKey.kid);
    expect(refused.slice(1)).toEqual([`${servicePublicKeys} is not usable: the JWKS holds no keys`]);
  });

  it('a service whose key is not published does not start, and no private key is ever published (T-27)', () => {
    const other = new TestTokenKeys();
    const mixed = { privateKeyFile: files.services['api-gateway'], servicePublicKeysFile: other.files.servicePublicKeys };
    expect(() => new ServiceTokenSigner('api-gateway', mixed)).toThrow(/lacks api-gateway:/);
    const publicKeyFile = other.files.servicePublicKeys;
    const { keys: published } = JSON.parse(readFileSync(publicKeyFile, 'utf8')) as { keys: Record<string, unknown>[] };
    expect(published.filter(jwk => 'd' in jwk)).toEqual([]);
    const leaked = { ...createPrivateKey(newPrivateKey()).export({ format: 'jwk' }), kid: 'api-gateway:1' };
    writeFileSync(publicKeyFile, JSON.stringify({ keys: [leaked] }));
    expect(() => new ServiceTokenSigner('api-gateway', mixed)).toThrow('the key api-gateway:1 is a private one');
    const foreign = { ...createPublicKey(newPrivateKey()).export({ format: 'jwk' }), kid: 'bakery:1' };
    writeFileSync(publicKeyFile, JSON.stringify({ keys: [foreign] }));
    expect(() => new ServiceTokenSigner('api-gateway', mixed)).toThrow('the key bakery:1 names none of');
  });
});

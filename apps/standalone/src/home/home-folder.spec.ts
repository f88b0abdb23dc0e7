import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorName, publishedKeysOf, serviceNames, signingKeyOf } from '@paycode/access/token-keys';
import jsonwebtoken from 'jsonwebtoken';
import { emptyHomeFolder, type HomeFolder, openHomeFolder } from './home-folder';
import { HomeInUseError, lockHome } from './home-lock';
import { ensureHomeTokenKeys, ensureOperatorToken, ensureSecrets } from './secrets';

describe('the home folder', () => {
  let folder: string;
  let home: HomeFolder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-home-'));
    home = openHomeFolder(join(folder, 'home'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const mode = (path: string) => statSync(path).mode & 0o777;

  it('keeps secrets across starts, readable by their owner only', () => {
    const files = Object.values(ensureSecrets(home));
    const before = files.map(file => readFileSync(file, 'utf8'));
    expect(Object.values(ensureSecrets(home)).map(file => readFileSync(file, 'utf8'))).toEqual(before);
    expect(new Set(before).size).toBe(before.length);
    expect([mode(home.secrets), ...files.map(mode)]).toEqual([0o700, ...files.map(() => 0o600)]);
    expect(mode(home.path) & 0o066).toBe(0);
  });

  it('holds a key of its own for each service, and an operator token that internal listeners accept (T-27)', () => {
    const keys = ensureHomeTokenKeys(home);
    const published = publishedKeysOf(readFileSync(keys.servicePublicKeys, 'utf8'), serviceNames);
    const own = serviceNames.map(name => signingKeyOf(name, readFileSync(keys.services[name], 'utf8')).kid);
    expect([...published.keys()].sort()).toEqual(own.sort());
    ensureOperatorToken(home, keys);
    const token = readFileSync(home.operatorTokenFile, 'utf8');
    const operators = publishedKeysOf(readFileSync(keys.operatorPublicKeys, 'utf8'), [operatorName]);
    const { header } = jsonwebtoken.decode(token, { complete: true })!;
    const claims = jsonwebtoken.verify(token, operators.get(header.kid!)!.publicKey, { algorithms: ['ES256'] });
    expect(claims).toMatchObject({ iss: 'operator', aud: 'paycode-internal', sub: 'standalone' });
    const files = [...Object.values(keys.services), keys.operator, home.operatorTokenFile];
    expect(files.map(mode)).toEqual(files.map(() => 0o600));
  });

  it('the home of an older release gets the new keys and loses the secrets that all services shared', () => {
    const shared = ['service-token-secrets', 'operator-token-secrets'].map(name => join(home.secrets, name));
    shared.forEach(file => writeFileSync(file, 'x'.repeat(43)));
    const keys = ensureHomeTokenKeys(home);
    expect(shared.map(existsSync)).toEqual([false, false]);
    const before = readFileSync(keys.servicePublicKeys, 'utf8');
    ensureHomeTokenKeys(home);
    expect(readFileSync(keys.servicePublicKeys, 'utf8')).toBe(before);
  });

  it('begins anew without touching files that the platform did not create', () => {
    const mine = join(home.path, 'notes.txt');
    writeFileSync(mine, 'mine');
    const secrets = ensureSecrets(home);
    emptyHomeFolder(home);
    expect([existsSync(secrets.payloadKeys), existsSync(mine), existsSync(home.logs)]).toEqual([false, true, true]);
  });

  it('belongs to one platform at a time, and is free again after it', async () => {
    const lock = await lockHome(home.path);
    await expect(lockHome(home.path)).rejects.toThrow(new HomeInUseError(home.path, String(process.pid)));
    await lock.release();
    await (await lockHome(home.path)).release();
  });
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { operatorName, publishedKeysOf, serviceNames, signingKeyOf } from '@paycode/access/token-keys';
import jsonwebtoken from 'jsonwebtoken';
import { knownLogins } from '../platform/standalone-file';
import { ensureGatewayCertificate } from '../tls/gateway-certificate';
import { emptyHomeFolder, type HomeFolder, openHomeFolder } from './home-folder';
import { HomeInUseError, lockHome } from './home-lock';
import { ensureHomeTokenKeys, ensureOperatorToken, ensureSecret, ensureSecrets } from './secrets';

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

  it.each(['', 'half'])('regression: a file that is %j is named with what to do, and nothing is made in its place', async cut => {
    const makeAll = async () => {
      ensureSecrets(home);
      ensureSecret(home, 'postgres-password');
      ensureHomeTokenKeys(home);
      await ensureGatewayCertificate(home.tls, new Date());
      knownLogins(home);
    };
    await makeAll();
    const logins = { accounts: [{ username: 'psp-1', password: 'p' }], people: [] };
    writeFileSync(home.standaloneFile, JSON.stringify(logins));
    const files = [home.secrets, home.tls].flatMap(at => readdirSync(at, { recursive: true, withFileTypes: true }));
    const paths = files.filter(file => file.isFile()).map(file => join(file.parentPath, file.name));
    expect(paths.length).toBeGreaterThan(20);
    for (const path of [...paths, home.standaloneFile]) {
      const whole = readFileSync(path, 'utf8');
      const damaged = cut === '' ? '' : whole.slice(0, whole.length / 2);
      writeFileSync(path, damaged);
      const said = await makeAll().then(
        () => 'nothing',
        (error: Error) => error.message,
      );
      expect([path, said]).toEqual([
        path,
        expect.stringMatching(/is (empty|damaged)\. (Delete the file and|The data of this platform)/),
      ]);
      expect(said).toContain(basename(path));
      expect(readFileSync(path, 'utf8')).toBe(damaged);
      writeFileSync(path, whole);
    }
    await makeAll();
    expect(knownLogins(home)).toEqual(logins);
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

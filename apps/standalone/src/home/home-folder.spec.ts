import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { emptyHomeFolder, type HomeFolder, openHomeFolder } from './home-folder';
import { HomeInUseError, lockHome } from './home-lock';
import { ensureOperatorToken, ensureSecrets } from './secrets';

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

  it('holds an operator token that internal listeners accept', () => {
    const secrets = ensureSecrets(home);
    const secret = readFileSync(secrets.operatorTokenSecrets, 'utf8');
    ensureOperatorToken(home, secrets);
    const token = readFileSync(home.operatorTokenFile, 'utf8');
    const claims = jsonwebtoken.verify(token, secret, { algorithms: ['HS256'], audience: 'paycode-internal' });
    expect(claims).toMatchObject({ iss: 'operator' });
    expect(mode(home.operatorTokenFile)).toBe(0o600);
  });

  it('begins anew without touching what the platform did not make', () => {
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

import { execFile } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

describe('npm run -s paycode -- secrets init', () => {
  let parent: string;
  let folder: string;
  let first: { code: number; out: string; err: string };
  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'paycode-secrets-'));
    folder = join(parent, 'first');
    first = await init(...sandbox, '--host', 'pay.example');
  });
  beforeEach(() => {
    folder = mkdtempSync(join(parent, 'case-'));
    cpSync(join(parent, 'first'), folder, { recursive: true, preserveTimestamps: true });
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  function init(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const words = ['secrets', 'init', '--folder', folder, ...args];
    const env = { ...process.env, NODE_OPTIONS: '' };
    return new Promise(resolve => {
      execFile(process.execPath, [join(__dirname, '../../paycode.ts'), ...words], { env }, (error, out, err) =>
        resolve({ code: error ? (error.code as number) : 0, out, err }),
      );
    });
  }
  const sandbox = ['--for', 'sandbox'];
  const complete = [...sandbox, '--complete'];
  const take = (pair: string) => [...complete, '--take', pair];
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(file => file.isFile())
      .map(file => join(file.parentPath, file.name));
  const stored = (entry: string) => readFileSync(join(folder, 'store', entry), 'utf8');
  const place = (entry: string) => join(folder, 'store', entry);

  it('prints no secret, and lets nobody else read one (T-17)', () => {
    folder = join(parent, 'first');
    const { code, out, err } = first;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const values = files().map(file => readFileSync(file, 'utf8'));
    expect(values.length).toBeGreaterThan(60);
    expect(files().filter(file => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
    const randoms = files().filter(file => /store.*(password|url|keys|key|peppers)$/.test(file));
    expect(randoms.filter(file => out.includes(readFileSync(file, 'utf8').trim()))).toEqual([]);
  });

  it('makes values that fit each other: URL and password, certificate and key, key and published key', () => {
    const password = stored('paycode/auth-session/database-password');
    expect(stored('paycode/auth-session/database-url')).toBe(
      `postgres://paycode_auth_session:${password}@paycode-rw.postgres/paycode_auth_session?sslmode=verify-full`,
    );
    expect(stored('paycode/auth-session/portal-database-url')).toBe(
      `postgres://paycode_auth_session:${password}@paycode-rw.postgres/paycode_portal?sslmode=verify-full`,
    );
    // It drops partitions, so it works as the owner.
    expect(stored('paycode/webhook-dispatcher/database-url')).toBe(
      stored('paycode/webhook-dispatcher/schema-owner-database-url'),
    );
    const certificate = new X509Certificate(stored('paycode/auth-session/mutual-tls-crt'));
    expect(certificate.subjectAltName).toBe('DNS:auth-session, DNS:auth-session.paycode.svc');
    expect(certificate.verify(new X509Certificate(stored('paycode/shared/internal-ca-crt')).publicKey)).toBe(true);
    const key = createPublicKey(stored('paycode/auth-session/service-token-private-key')).export({ format: 'jwk' });
    expect(stored('paycode/shared/service-public-keys')).toContain(key.x);
  });

  it('overwrites nothing, and --complete makes what is missing and keeps the rest', async () => {
    const before = new Map(files().map(file => [file, readFileSync(file, 'utf8')]));
    const refused = await init(...sandbox, '--host', 'pay.example');
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/^--folder .* exists/) as string });
    rmSync(place('paycode/shared/payload-keys'));
    const { out } = await init(...sandbox, '--complete');
    expect(out).toMatch(/paycode\/shared\/payload-keys +made/);
    expect(out).toMatch(/paycode\/auth-session\/password-peppers +kept/);
    const changed = files().filter(file => before.get(file) !== readFileSync(file, 'utf8'));
    expect(changed).toEqual([join(folder, 'kubernetes/paycode.yaml'), place('paycode/shared/payload-keys')]);
  });

  it('takes what others give, and names what is still missing', async () => {
    const file = join(parent, 'ca.crt');
    writeFileSync(file, 'an authority\n');
    expect(first.out).toMatch(/paycode\/shared\/postgres-ca-crt +MISSING, from the authority of PostgreSQL/);
    expect(first.out).toContain('4 entries are missing');
    const second = await init(...sandbox, '--complete', '--take', `paycode/shared/postgres-ca-crt=${file}`);
    expect(second.out).toContain('3 entries are missing');
    expect(stored('paycode/shared/postgres-ca-crt')).toBe('an authority');
    expect(readFileSync(join(folder, 'kubernetes/paycode.yaml'), 'utf8')).toContain('name: paycode-postgres-ca');
  });

  it('makes other values each time, and no certificate that the clients of production would have to trust', async () => {
    const earlier = stored('paycode/shared/payload-keys');
    folder = join(parent, 'production');
    const { out } = await init('--for', 'production', '--host', 'pay.example');
    expect(out).toMatch(/paycode\/api-gateway\/tls-key +MISSING/);
    expect(stored('paycode/shared/payload-keys')).not.toBe(earlier);
  });

  it('is told the databases of a further cell, which gets the keys of the first one', async () => {
    folder = join(parent, 'cells');
    const cells = ['--for', 'production', '--overlay', join(__dirname, '../../../../../k8s/overlays/two-cells')];
    const { out } = await init(...cells, '--host', 'pay.example');
    expect(out).toMatch(/webhook-dispatcher-b\/database-url +MISSING, from who runs the PostgreSQL of that cell/);
    const file = join(parent, 'url');
    writeFileSync(file, 'postgres://b:x@of-cell-b/dispatcher?sslmode=verify-full');
    const taken = await init(...cells, '--complete', '--take', `paycode/webhook-dispatcher-b/database-url=${file}`);
    expect(taken).toMatchObject({ code: 0, err: '' });
    const texts = readFileSync(join(folder, 'kubernetes/paycode.yaml'), 'utf8').split('---\n');
    const [own, first] = ['paycode-webhook-dispatcher-b\n', 'paycode-webhook-dispatcher\n'].map(
      name => (parse(texts.find(text => text.includes(`name: ${name}`))!) as { stringData: Record<string, string> }).stringData,
    );
    expect(own).toEqual({ ...first, DATABASE_URL: 'postgres://b:x@of-cell-b/dispatcher?sslmode=verify-full' });
  });

  it('puts a renewed key of tokens into the store', async () => {
    writeFileSync(join(folder, 'keep/token-keys/operator-revocations.json'), '{ "tokens": ["x"], "issuedUntil": {} }');
    const { out } = await init(...sandbox, '--complete');
    expect(out).toMatch(/operator-revocations +renewed/);
    expect(stored('paycode/shared/operator-revocations')).toContain('"x"');
  });

  it.each<[what: string, refused: { args: string[]; message: RegExp; spoil?: () => void }]>([
    ['an unknown environment', { args: ['--for', 'staging'], message: /--for <environment>.*choices are sandbox, production/ }],
    ['another environment', { args: ['--for', 'production', '--complete'], message: /^--for production: .* those of sandbox/ }],
    ['another host', { args: [...complete, '--host', 'other.example'], message: /^--host other.example: .* of pay.example/ }],
    ['an entry that nobody names', { args: take('paycode/x=/dev/null'), message: /no manifest names the entry paycode\/x/ }],
    ['no file', { args: take('paycode/shared/kafka-ca-crt'), message: /--take wants <entry>=<file>/ }],
    ['an empty file', { args: take('paycode/shared/kafka-ca-crt=/dev/null'), message: /\/dev\/null is empty/ }],
    [
      'a folder that others can read',
      { args: complete, message: /^--folder .* chmod 700/, spoil: () => chmodSync(folder, 0o755) },
    ],
    [
      'a certificate without its key',
      {
        args: complete,
        message: /^store\/paycode\/auth-session\/mutual-tls-key is missing beside/,
        spoil: () => rmSync(place('paycode/auth-session/mutual-tls-key')),
      },
    ],
    [
      'a password that its URL does not have',
      {
        args: complete,
        message: /^paycode\/auth-session\/database-url: its password/,
        spoil: () => rmSync(place('paycode/auth-session/database-password')),
      },
    ],
  ])('refuses %s, and names it', async (_what, { args, message, spoil }) => {
    spoil?.();
    const { code, err } = await init(...args);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) as string });
  });

  it('refuses a new folder without a host', async () => {
    folder = join(parent, 'new');
    expect(await init(...sandbox)).toMatchObject({ code: 1, err: '--host is missing: the DNS name that clients call\n' });
  });

  it('refuses to complete a folder of something else', async () => {
    folder = join(parent, 'else');
    mkdirSync(folder);
    const { code, err } = await init(...sandbox, '--complete');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/was not made by "secrets init"/) as string });
  });

  it('shows an example first in its help', async () => {
    const { out } = await init('--help');
    expect(out).toMatch(/^Example: npm run -s paycode -- secrets init --for sandbox/);
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { readDeclarations } from '../build/generated-pages';
import { baseImages, isPinned, withDigests } from '../images-pin.ts';

const dockerfile = readFileSync(join(__dirname, '../../../docker/Dockerfile'), 'utf8');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('base images by digest (T-42)', () => {
  it('are each named in one place, where the digest is written beside the tag', () => {
    const [tag] = baseImages(dockerfile).map(reference => reference.replace(/@.*$/, ''));
    const pinned = withDigests(dockerfile, () => digest);
    expect(baseImages(pinned)).toEqual([`${tag}@${digest}`]);
    expect(baseImages(pinned).every(isPinned)).toBe(true);
    expect(withDigests(pinned, () => digest)).toBe(pinned);
    expect(pinned.match(/^FROM .*$/gm)!.filter(line => !/^FROM (\$\{(BASE|BUILD_BASE)\}|workspace) AS /.test(line))).toEqual([]);
  });

  it.each(['', 'sha256:abc', 'latest', `sha512:${'0'.repeat(64)}`])('%j is no digest, and is not written', text => {
    expect(() => withDigests(dockerfile, () => text)).toThrow('is no digest');
  });

  it.each([
    { what: 'a release on a tag', release: 'true', base: 'node:24-bookworm-slim', code: 1 },
    { what: 'a release on a digest', release: 'true', base: `node:24-bookworm-slim@${digest}`, code: 0 },
    { what: 'a build on a tag', release: 'false', base: 'node:24-bookworm-slim', code: 0 },
    { what: 'neither', release: 'yes', base: `node:24-bookworm-slim@${digest}`, code: 1 },
  ])('$what: the image build goes on, or says what to do', ({ release, base, code }) => {
    const [, command] = /^RUN (for base in .*)$/m.exec(dockerfile)!;
    const env = { PATH: process.env['PATH'], RELEASE: release, BASE: base, BUILD_BASE: base };
    const { status, stderr } = spawnSync('sh', ['-c', command!], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([code, code === 0 ? '' : `${base} has no digest: npm run release -- pin-images\n`]);
  });
});

const root = join(__dirname, '../../..');
const text = (path: string) => readFileSync(join(root, path), 'utf8');

interface ComposeService {
  build?: { target?: string; args?: { APP?: string } };
  environment?: Record<string, string>;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  ports?: string[];
}
const compose = parse(text('docker/compose.yaml'), { merge: true }) as { services: Record<string, ComposeService> };
const environment = readDeclarations().settings;
const apps = Object.entries(compose.services).filter(([, service]) => service.build?.args?.APP);

/** A secret may come from the file that `<KEY>_FILE` names. */
const keyOf = (name: string, known: object) => (name in known ? name : name.replace(/_FILE$/, ''));

describe('docker/', () => {
  it('the Dockerfile has no problem a linter knows', () => {
    expect(validate(text('docker/Dockerfile'))).toEqual([]);
  });

  it('the image runs as a numeric user, with node as process 1 and no shell in between', () => {
    const [, service] = text('docker/Dockerfile').split(/^FROM .* AS service$/m);
    expect(service).toMatch(/^USER 10001:10001$/m);
    expect(service).toMatch(/^ENTRYPOINT \["node", "main\.cjs"\]$/m);
    expect(service).not.toMatch(/^(RUN|CMD) /m);
  });

  it('compose.yaml has no error a linter knows', () => {
    // Order of keys is ours to choose, and an image that is built here has a name of its own.
    const off = [
      'no-build-and-image',
      'service-keys-order',
      'services-alphabetical-order',
      'top-level-properties-order',
      'service-dependencies-alphabetical-order',
    ];
    const linter = new DCLinter({
      rules: Object.fromEntries(off.map(rule => [rule, 0])),
      quiet: false,
      debug: false,
      exclude: [],
    });
    const problems = linter.lintFiles([join(root, 'docker/compose.yaml')], false);
    expect(problems.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`))).toEqual([]);
  });

  it('compose runs every service', () => {
    expect(apps.map(([name]) => name).sort()).toEqual(
      Object.keys(environment)
        .filter(name => name !== 'standalone')
        .sort(),
    );
  });

  describe.each(apps)('%s in compose', (name, service) => {
    const known = environment[name]!;
    const given = Object.keys(service.environment ?? {}).map(key => keyOf(key, known));

    it('is built from its own app and locked down', () => {
      expect(service).toMatchObject({
        build: { args: { APP: name } },
        read_only: true,
        cap_drop: ['ALL'],
        stop_grace_period: '75s',
      });
    });

    it('is given every setting it needs and none it does not read', () => {
      const required = Object.entries(known).filter(([, key]) => key.required);
      expect(required.map(([key]) => key).filter(key => !given.includes(key))).toEqual([]);
      expect(given.filter(key => !(key in known))).toEqual([]);
    });

    it('reads secrets from files only', () => {
      // The URL of a server without an account holds none.
      const isOpen = (value: unknown) => /^\w+:\/\/[^@]+$/.test(String(value));
      const given = Object.entries(service.environment ?? {}).filter(([, value]) => !isOpen(value));
      expect(given.map(([key]) => key).filter(key => known[key]?.secret)).toEqual([]);
    });
  });

  it('publishes nothing beyond this machine', () => {
    const published = Object.values(compose.services).flatMap(service => service.ports ?? []);
    expect(published.filter(port => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

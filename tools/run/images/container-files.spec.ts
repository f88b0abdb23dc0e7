import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { readDeclarations } from '../build/read-declarations';

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
      const secrets = Object.keys(service.environment ?? {}).filter(key => known[key]?.secret);
      expect(secrets).toEqual([]);
    });
  });

  it('publishes nothing beyond this machine', () => {
    const published = Object.values(compose.services).flatMap(service => service.ports ?? []);
    expect(published.filter(port => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

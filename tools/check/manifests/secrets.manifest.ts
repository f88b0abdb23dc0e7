import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type External, render, renderWithBase, type Resource } from './render';

const paycode = join(__dirname, '../../../apps/operations/src/paycode.ts');
const given = [
  'paycode/shared/kafka-ca-crt',
  'paycode/shared/postgres-ca-crt',
  'paycode/backup/access-key-id',
  'paycode/backup/secret-access-key',
];
const givenInProduction = ['paycode/api-gateway/tls-crt', 'paycode/api-gateway/tls-key'];

interface Secret extends Resource {
  type: string;
  stringData: Record<string, string>;
}
describe.each(['sandbox', 'production'])('secrets init --for %s', environment => {
  const parent = mkdtempSync(join(tmpdir(), 'paycode-manifests-'));
  const folder = join(parent, 'secrets');
  const dataServices = environment === 'production' ? 'data-services-production' : 'data-services';
  const overlays = [render(`k8s/overlays/${environment}`), render(`k8s/overlays/${dataServices}`)];
  const manifests = [...overlays.flat(), ...renderWithBase('components/ops').filter(isOfOps)];
  let made: Secret[];

  beforeAll(() => {
    const file = join(parent, 'value');
    writeFileSync(file, 'given');
    const entries = environment === 'production' ? [...given, ...givenInProduction] : given;
    const takes = entries.flatMap(entry => ['--take', `${entry}=${file}`]);
    const words = ['secrets', 'init', '--for', environment, '--folder', folder, '--host', 'pay.example', ...takes];
    const table = execFileSync(process.execPath, [paycode, ...words], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(table).toContain('All are there.');
    made = readdirSync(join(folder, 'kubernetes')).flatMap(name =>
      parseAllDocuments(readFileSync(join(folder, 'kubernetes', name), 'utf8')).map(document => document.toJS() as Secret),
    );
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  const keyOf = ({ metadata }: Resource, key: string) => `${metadata.namespace}/${metadata.name}: ${key}`;

  it('makes each value that an ExternalSecret of the overlays has', () => {
    const wanted = manifests
      .filter(({ kind }) => kind === 'ExternalSecret')
      .flatMap(resource => {
        const { target, data } = resource.spec as unknown as External;
        return data.map(({ secretKey }) =>
          keyOf({ ...resource, metadata: { ...resource.metadata, name: target.name } }, secretKey),
        );
      });
    const found = made.flatMap(secret =>
      Object.keys(secret.stringData)
        .filter(key => !(secret.type === 'kubernetes.io/basic-auth' && key === 'username'))
        .map(key => keyOf(secret, key)),
    );
    expect(wanted.length).toBeGreaterThan(60);
    expect(found.sort()).toEqual(wanted.sort());
  });

  it('leaves out no Secret that a pod, a database role, a Kafka user or the autoscaler names', () => {
    const named = manifests.flatMap(resource => secretsNamedIn(resource).map(name => `${resource.metadata.namespace}/${name}`));
    const found = made.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(name => !found.includes(name))).toEqual([]);
  });

  it('gives each role of the database the name that the cluster gives it', () => {
    const { managed } = manifests.find(({ kind }) => kind === 'Cluster')!.spec as {
      managed: { roles: { name: string; passwordSecret: { name: string } }[] };
    };
    for (const { name, passwordSecret } of managed.roles) {
      const secret = made.find(({ metadata }) => metadata.namespace === 'postgres' && metadata.name === passwordSecret.name);
      if (secret) expect(secret).toMatchObject({ type: 'kubernetes.io/basic-auth', stringData: { username: name } });
    }
  });
});

function isOfOps({ metadata }: Resource): boolean {
  return /^(ops|audit|paycode-ops)$/.test(metadata.name);
}

/** Names of Secrets, by all the ways in which the overlays refer to one. */
function secretsNamedIn({ spec }: Resource): string[] {
  const names: string[] = [];
  JSON.stringify(spec ?? {}, (key, value: unknown) => {
    const { name, secretName } = (typeof value === 'object' && value ? value : {}) as { name?: string; secretName?: string };
    if (['secret', 'secretKeyRef', 'secretRef', 'passwordSecret', 'accessKeyId', 'secretAccessKey'].includes(key))
      names.push((secretName ?? name)!);
    if (key === 'secretTargetRef') names.push(...(value as { name: string }[]).map(reference => reference.name));
    return value;
  });
  return names;
}

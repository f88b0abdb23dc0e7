import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDeclarations } from '../../run/build/generated-pages';
import { nameOf, podOf, render, settingsOf } from './render';

const root = join(__dirname, '../../..');
const environment = readDeclarations().settings;

interface Secret {
  kind: string;
  metadata: { name: string; namespace: string };
  stringData: Record<string, string>;
}

const home = mkdtempSync(join(tmpdir(), 'paycode-evaluation-'));
/** As a person runs it. */
function madeSecrets(): Secret[] {
  const env = { ...process.env, PAYCODE_HOME: home };
  const output = execFileSync('npm', ['run', '-s', 'generate', '--', 'evaluation-secrets'], { cwd: root, env, encoding: 'utf8' });
  return (JSON.parse(output) as { items: Secret[] }).items.filter(({ kind }) => kind === 'Secret');
}

describe('overlay evaluation', () => {
  const resources = render('k8s/overlays/evaluation');
  const of = (kind: string) => resources.filter(resource => resource.kind === kind);
  const workloads = ['Deployment', 'StatefulSet', 'CronJob'].flatMap(of);
  const pods = new Map(workloads.map(resource => [nameOf(resource), podOf(resource).spec]));
  const secrets = madeSecrets();
  const secretOf = (name: string) => secrets.find(({ metadata }) => metadata.name === name)!.stringData;
  const services = of('Deployment').map(({ metadata }) => metadata.name);

  it('runs every service and its own PostgreSQL, and needs no operator', () => {
    expect(services.sort()).toEqual(
      Object.keys(environment)
        .filter(name => name !== 'standalone')
        .sort(),
    );
    expect(of('StatefulSet').map(nameOf)).toEqual(['StatefulSet/postgres']);
    const foreign = resources.filter(({ apiVersion }) => !['v1', 'apps/v1', 'batch/v1'].includes(apiVersion));
    expect(foreign.map(nameOf)).toEqual([]);
  });

  it('no pod takes all the memory or all the disk of the machine', () => {
    expect(pods.size).toBe(services.length + 2);
    for (const [name, { containers }] of pods)
      for (const { resources: bounds } of containers)
        expect({ name, bounds }).toEqual({
          name,
          bounds: {
            requests: expect.objectContaining({ memory: expect.any(String), 'ephemeral-storage': expect.any(String) }) as unknown,
            limits: { memory: expect.any(String) as unknown, 'ephemeral-storage': expect.any(String) as unknown },
          },
        });
  });

  it('no secret is in the manifests; the command makes exactly those that pods mount', () => {
    expect(of('Secret')).toEqual([]);
    const mounted = [...pods.values()].flatMap(({ volumes }) => volumes.flatMap(({ secret }) => secret?.secretName ?? []));
    expect(secrets.map(({ metadata }) => metadata.name).sort()).toEqual([...new Set(mounted)].sort());
  });

  it.each(services)('%s is given every setting it needs, none it does not read, and each file that they name', service => {
    const settings = settingsOf(resources, service);
    const given = Object.keys(settings).filter(name => name !== 'NODE_OPTIONS');
    const known = environment[service]!;
    const keys = given.map(name => (name in known ? name : name.replace(/_FILE$/, '')));
    expect(keys.filter(key => !(key in known))).toEqual([]);
    expect(Object.keys(known).filter(key => known[key]!.required && !keys.includes(key))).toEqual([]);
    const files = Object.entries(settings).filter(([name]) => name.endsWith('_FILE'));
    expect(files.filter(([, file]) => !fileOf(service, file))).toEqual([]);
    expect(given.filter(name => name.startsWith('KAFKA_'))).toEqual([]);
  });

  it('each service logs in to PostgreSQL and to the event log as a role of its own, by TLS; one service has the login of the owner of the log too (T-18)', () => {
    const roles = secretOf('paycode-postgres')['roles.sql']!;
    for (const { metadata, stringData } of secrets) {
      const role = metadata.name.replaceAll('-', '_');
      for (const [key, login, database] of [
        ['DATABASE_URL', role, role],
        ['PORTAL_DATABASE_URL', role, 'paycode_portal'],
        ['EVENTS_DATABASE_URL', role, 'paycode_events'],
        ['EVENTS_OWNER_DATABASE_URL', 'paycode_events', 'paycode_events'],
      ] as const) {
        if (!stringData[key]) continue;
        const url = new URL(stringData[key]);
        expect(url.username).toBe(login);
        expect(`${metadata.name}: ${roles}`).toContain(`create role ${url.username} login password '${url.password}';`);
        expect(url.pathname.slice(1)).toBe(database);
        expect(roles).toContain(`create database ${database} owner ${database};`);
        expect([url.host, url.searchParams.get('sslmode')]).toEqual(['postgres:5432', 'verify-full']);
      }
    }
    const namesWith = (key: string) => secrets.filter(({ stringData }) => stringData[key]).map(({ metadata }) => metadata.name);
    expect(namesWith('EVENTS_DATABASE_URL')).toHaveLength(5);
    expect(namesWith('PORTAL_DATABASE_URL')).toEqual(['paycode-auth-session']);
    expect(namesWith('EVENTS_OWNER_DATABASE_URL')).toEqual(['paycode-reversal-scheduler']);
  });

  it('no two passwords are equal, and a second run makes nothing new but the token of the operator', () => {
    const passwords = [...secretOf('paycode-postgres')['roles.sql']!.matchAll(/password '([^']{32})'/g)].map(match => match[1]);
    expect([passwords.length, new Set(passwords).size]).toEqual([8, 8]);
    const { 'operator.token': first, ...kept } = secretOf('paycode-demo');
    const again = madeSecrets();
    const { 'operator.token': second, ...demo } = again.find(({ metadata }) => metadata.name === 'paycode-demo')!.stringData;
    expect({ ...demo, isNew: first !== second }).toEqual({ ...kept, isNew: true });
    const others = (all: Secret[]) => all.filter(({ metadata }) => metadata.name !== 'paycode-demo');
    expect(others(again)).toEqual(others(secrets));
  });

  it('nothing is reachable from outside the cluster but by port-forward', () => {
    const reachable = of('Service').filter(({ spec }) => ((spec as { type?: string }).type ?? 'ClusterIP') !== 'ClusterIP');
    expect(reachable.map(nameOf)).toEqual([]);
  });

  /** The content that the pod reads at that path. */
  function fileOf(service: string, file: string): string | undefined {
    const { containers, volumes } = pods.get(`Deployment/${service}`)!;
    const mount = containers[0]!.volumeMounts.find(({ mountPath }) => mountPath === file.replace(/\/[^/]+$/, ''));
    const volume = volumes.find(({ name }) => name === mount?.name);
    return volume?.secret && secretOf(volume.secret.secretName)[file.replace(/^.*\//, '')];
  }
});

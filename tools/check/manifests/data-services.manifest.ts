import { type Policy, render, renderWithBase, type Resource, settingsOf } from './render';

const resources = render('k8s/overlays/data-services');
const of = (kind: string, namespace: string) =>
  resources.filter(({ kind: found, metadata }) => found === kind && metadata.namespace === namespace);
const secretsIn = (namespace: string) => of('ExternalSecret', namespace).map(({ metadata }) => metadata.name);
const only = (kind: string, namespace: string): Resource => of(kind, namespace)[0]!;

interface Role {
  name: string;
  passwordSecret: { name: string };
}

/** Of a migration Job (libs/persistence, migrateDatabase). */
const connectionsOfJob = 2;
/** Superusers, the operator, its metrics and a person with psql. */
const connectionsOfOthers = 20;

type Settings = Record<string, string>;
interface DeploymentSpec {
  replicas?: number;
  strategy: { rollingUpdate: { maxSurge: number } };
}

interface Archive {
  name: string;
  isWALArchiver?: boolean;
  parameters: Settings;
}
interface RestoredSpec {
  plugins: Archive[];
  bootstrap: { recovery: { source: string } };
  externalClusters: { name: string; plugin: Archive }[];
}

describe('PostgreSQL and Kafka of the cluster', () => {
  it('get every password that they name from the store, under its role', () => {
    const { managed } = only('Cluster', 'postgres').spec as { managed: { roles: Role[] } };
    for (const { name, passwordSecret } of managed.roles) {
      const secret = of('ExternalSecret', 'postgres').find(({ metadata }) => metadata.name === passwordSecret.name);
      expect(secret?.spec).toMatchObject({
        target: { template: { type: 'kubernetes.io/basic-auth', data: { username: name } } },
      });
    }
    for (const { metadata, spec } of of('KafkaUser', 'kafka')) {
      const source = { valueFrom: { secretKeyRef: { name: `${metadata.name}-password`, key: 'password' } } };
      expect(spec).toMatchObject({ authentication: { type: 'scram-sha-512', password: source } });
      expect(secretsIn('kafka')).toContain(`${metadata.name}-password`);
    }
  });

  it('every database belongs to the role that migrates it', () => {
    const { managed } = only('Cluster', 'postgres').spec as { managed: { roles: Role[] } };
    for (const { spec } of of('Database', 'postgres')) {
      const { name, owner } = spec as { name: string; owner: string };
      expect(owner).toBe(`${name}_owner`);
      expect(managed.roles.map(role => role.name)).toContain(owner);
    }
  });

  it('are backed up every night by the plugin that archives the WAL, into an existing store', () => {
    const [plugin] = (only('Cluster', 'postgres').spec as { plugins: { name: string; parameters: Record<string, string> }[] })
      .plugins;
    expect(plugin).toMatchObject({
      isWALArchiver: true,
      parameters: { barmanObjectName: only('ObjectStore', 'postgres').metadata.name },
    });
    expect(only('ScheduledBackup', 'postgres').spec).toMatchObject({
      method: 'plugin',
      pluginConfiguration: { name: plugin!.name },
    });
    expect(secretsIn('postgres')).toContain('backup-store');
  });

  it('are restored from the archive that they write, into another, with all other settings as they are', () => {
    const clusterOf = (...components: string[]) =>
      renderWithBase(...components).find(({ kind }) => kind === 'Cluster')!.spec as RestoredSpec;
    const before = clusterOf('components/postgres-cnpg');
    const { bootstrap, externalClusters, plugins, ...others } = clusterOf(
      'components/postgres-cnpg',
      'components/postgres-restore',
    );
    const { plugins: archivers, ...same } = before;
    expect(others).toEqual(same);
    const [source] = externalClusters.filter(({ name }) => name === bootstrap.recovery.source);
    const { isWALArchiver, ...archive } = archivers[0]!;
    // Without a serverName the folder has the name of the Cluster.
    const named = (serverName: string) => ({ ...archive, parameters: { ...archive.parameters, serverName } });
    expect(source!.plugin).toEqual(named(only('Cluster', 'postgres').metadata.name));
    const own = plugins[0]!.parameters['serverName']!;
    expect(plugins).toEqual([{ ...named(own), isWALArchiver }]);
    expect(own).not.toBe(source!.plugin.parameters['serverName']);
  });

  it.each(['sandbox', 'production'])(
    'let into PostgreSQL exactly the pods of %s that know a database, beside its own, the operator and the metrics',
    overlay => {
      const { podSelector, policyTypes, ingress = [] } = only('NetworkPolicy', 'postgres').spec as Policy;
      const ofCluster = { matchExpressions: [{ key: 'cnpg.io/cluster', operator: 'Exists' }] };
      expect([podSelector, policyTypes]).toEqual([ofCluster, ['Ingress']]);
      const portsOf = (index: number) => ingress[index]!.ports.map(({ port }) => port);
      const [services, ...others] = ingress.map(({ from }) => from);
      expect(others).toEqual([
        [{ podSelector: ofCluster }],
        [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'cnpg-system' } },
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'cloudnative-pg' } },
          },
        ],
        [{ namespaceSelector: { matchLabels: { 'paycode.dev/provides': 'monitoring' } } }],
      ]);
      expect([0, 1, 2, 3].map(portsOf)).toEqual([[5432], [5432, 8000], [5432, 8000], [9187]]);
      const [peer] = services!;
      expect(peer!.namespaceSelector).toEqual({ matchLabels: { 'kubernetes.io/metadata.name': 'paycode' } });
      const { operator, values } = peer!.podSelector!.matchExpressions![0]!;
      expect(operator).toBe('NotIn');
      const withoutDatabase = render(`k8s/overlays/${overlay}`)
        .filter(({ kind, spec }) => kind === 'Deployment' && !JSON.stringify(spec).includes('paycode-postgres-ca'))
        .map(({ metadata }) => metadata.name);
      expect(values).toEqual([...withoutDatabase, 'ops']);
    },
  );

  it.each(['sandbox', 'production'])(
    'have a connection for every replica of %s at its maximum, during an update, with all migrations',
    overlay => {
      const objects = render(`k8s/overlays/${overlay}`);
      const named = (kind: string) => objects.filter(object => object.kind === kind);
      const scaled = new Map(
        named('ScaledObject').map(({ spec }) => {
          const { scaleTargetRef, maxReplicaCount } = spec as { scaleTargetRef: { name: string }; maxReplicaCount: number };
          return [scaleTargetRef.name, maxReplicaCount];
        }),
      );
      const needed = named('Deployment').map(({ metadata: { name }, spec }) => {
        const { replicas, strategy } = spec as DeploymentSpec;
        const settings = settingsOf(objects, name);
        if (settings['DATABASE_POOL_MAX'] === undefined) return { name, connections: 0 };
        // With the log in PostgreSQL a replica would need more.
        if (settings['EVENTS_TRANSPORT'] !== undefined) expect([name, settings['EVENTS_TRANSPORT']]).toEqual([name, 'kafka']);
        const most = (scaled.get(name) ?? replicas!) + strategy.rollingUpdate.maxSurge;
        // Besides its pool, a replica that owns shards holds the lock that shows that it lives.
        const lock = ['webhook-dispatcher', 'reversal-scheduler'].includes(name) ? 1 : 0;
        return { name, connections: most * (Number(settings['DATABASE_POOL_MAX']) + lock) };
      });
      const used = needed.filter(({ connections }) => connections > 0).map(({ name }) => name);
      expect(used).toEqual(expect.arrayContaining(['auth-session', 'webhook-dispatcher', 'reversal-scheduler']));
      const { postgresql } = only('Cluster', 'postgres').spec as { postgresql: { parameters: Settings } };
      const jobs = named('Job').length * connectionsOfJob;
      const all = needed.reduce((sum, { connections }) => sum + connections, jobs + connectionsOfOthers);
      expect(all).toBeGreaterThan(200);
      expect(all).toBeLessThanOrEqual(Number(postgresql.parameters['max_connections']));
    },
  );
});

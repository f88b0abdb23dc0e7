import { render, type Resource } from './render';

const resources = render('k8s/overlays/data-services');
const of = (kind: string, namespace: string) =>
  resources.filter(({ kind: found, metadata }) => found === kind && metadata.namespace === namespace);
const secretsIn = (namespace: string) => of('ExternalSecret', namespace).map(({ metadata }) => metadata.name);
const only = (kind: string, namespace: string): Resource => of(kind, namespace)[0]!;

interface Role {
  name: string;
  passwordSecret: { name: string };
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
});

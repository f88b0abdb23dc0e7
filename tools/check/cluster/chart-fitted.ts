import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitions } from '../chart/chart-values';
import { nameOf, type Resource } from '../manifests/render';

interface Template {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: { containers: Record<string, unknown>[]; securityContext: object; [field: string]: unknown };
}
type Templated = (words: string[]) => Resource[];

const everywhere = {
  nodeSelector: { pool: 'payments' },
  tolerations: [{ key: 'payments', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: 'payments',
};
const inDeployments = { topologySpreadConstraints: [], terminationGracePeriodSeconds: 30 };
const ofPods = {
  annotations: { 'example.com/team': 'payments' },
  labels: { team: 'payments', 'app.kubernetes.io/name': 'mine' },
};
const appended = {
  env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
  volumes: [{ name: 'more', emptyDir: {} }],
  volumeMounts: [{ name: 'more', mountPath: '/more' }],
  containers: [
    {
      name: 'beside',
      image: 'registry.invalid/beside',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};
const others = {
  resources: { limits: { memory: '2Gi' } },
  strategy: { type: 'Recreate' },
  serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': 'arn' },
};
/** Every field of `pods.<service>`. */
export const fittedPods = { ...everywhere, ...inDeployments, ...ofPods, ...appended, ...others };

/** Everything that a cluster may have or demand. */
export const fittedValues = {
  pods: { all: fittedPods },
  openshift: { enabled: true },
  nodeLocalDns: { enabled: true },
  tracing: { enabled: true },
  paymentCore: { addresses: ['10.9.0.1', '10.9.0.2'] },
  outside: {
    postgres: { ranges: ['10.1.0.0/24', '10.1.1.5'], port: 6432 },
    kafka: { ranges: ['10.2.0.0/24'] },
    smtp: { ranges: ['10.3.0.1'] },
    smpp: { ranges: ['10.3.0.2'] },
    smsGateway: { ranges: ['10.3.0.3'] },
    identityProviders: { ranges: ['2001:db8::1'] },
    proxy: { ranges: ['10.4.0.1'] },
  },
  ipFamilyPolicy: 'PreferDualStack',
  certManager: { enabled: true },
  secretStore: { separator: '-', property: 'value' },
  imagePullSecrets: [{ name: 'registry' }],
  extraObjects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine-{{ .Release.Name }}' } }],
};

/** The words that hand values to Helm. */
export function valuesFile(values: object): string[] {
  const file = join(mkdtempSync(join(tmpdir(), 'paycode-values-')), 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return ['-f', file];
}

/** Object by object, the changes that values make. */
export function describeFitted(templated: Templated): void {
  describePods(templated);
  describeSurroundings(templated);
}

function describePods(templated: Templated): void {
  it('has a case here for every field of pods', () => {
    expect(Object.keys(fittedPods).sort()).toEqual(Object.keys(definitions.pods.properties).sort());
  });

  it('places, marks and ranks every pod, and its own labels win', () => {
    const objects = workloads(templated(valuesFile(fittedValues)), /^(Deployment|Job|CronJob)$/);
    expect(objects).toHaveLength(17);
    for (const object of objects) {
      const { metadata, spec } = templateOf(object);
      expect(spec).toMatchObject({ ...everywhere, securityContext: { runAsNonRoot: true } });
      expect(JSON.stringify(spec.securityContext)).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
      expect(metadata).toMatchObject({ annotations: ofPods.annotations, labels: { team: 'payments' } });
      expect(metadata.labels['app.kubernetes.io/name']).not.toBe('mine');
    }
  });

  it('gives each Deployment its sources, volumes, neighbours, memory and grace time, after those of the chart', () => {
    for (const object of workloads(templated(valuesFile(fittedValues)), /^Deployment$/)) {
      const { spec } = templateOf(object);
      const [own, beside] = spec.containers as [Record<string, object[]>, object];
      expect(spec).toMatchObject(inDeployments);
      expect([own['env']!.at(-1), beside]).toEqual([appended.env[0], appended.containers[0]]);
      expect(own['volumeMounts']).toContainEqual(appended.volumeMounts[0]);
      expect(spec['volumes']).toContainEqual(appended.volumes[0]);
      expect(own['resources']).toMatchObject({ limits: { memory: '2Gi', 'ephemeral-storage': expect.any(String) as string } });
      expect((object.spec as { strategy: object }).strategy).toEqual({ type: 'Recreate' });
      if (nameOf(object) !== 'Deployment/ops') expect(own['env']).toContainEqual({ name: 'SHUTDOWN_GRACE_MS', value: '15000' });
    }
  });

  it('what is said of a service adds maps to those of all, replaces lists, and changes no other service', () => {
    const pods = { all: everywhere, portal: { nodeSelector: { disk: 'fast' }, tolerations: [] } };
    const objects = templated(valuesFile({ pods, replicas: { portal: null } }));
    const counted = workloads(objects, /^Deployment$/).filter(
      ({ spec }) => (spec as { replicas?: number }).replicas !== undefined,
    );
    // An autoscaler counts the dispatchers.
    expect(counted).toHaveLength(7);
    const [portal, scheduler] = ['portal', 'reversal-scheduler'].map(name =>
      templateOf(objects.find(object => nameOf(object) === `Deployment/${name}`)!),
    );
    expect(portal!.spec['nodeSelector']).toEqual({ pool: 'payments', disk: 'fast' });
    expect(portal!.spec['tolerations'] ?? []).toEqual([]);
    expect(scheduler!.spec).toMatchObject(everywhere);
  });
}

function describeSurroundings(templated: Templated): void {
  it('opens the ways out of the cluster that the values name, and proxies in place of the Internet', () => {
    const objects = templated(valuesFile(fittedValues));
    const policy = (name: string) => JSON.stringify(objects.find(object => nameOf(object) === `NetworkPolicy/${name}`)!.spec);
    expect(policy('managed-postgres')).toContain(
      '"egress":[{"ports":[{"port":6432,"protocol":"TCP"}],"to":[{"ipBlock":{"cidr":"10.1.0.0/24"}},{"ipBlock":{"cidr":"10.1.1.5/32"}}]}]',
    );
    expect(policy('identity-providers')).toContain('"cidr":"2001:db8::1/128"');
    for (const name of ['notification-config', 'webhook-dispatcher']) {
      expect(policy(name)).toContain('"cidr":"10.4.0.1/32"');
      expect(policy(name)).not.toContain('0.0.0.0/0');
    }
    expect(policy('payment-core-to-auth-session')).toContain('"cidr":"10.9.0.2/32"');
    // The addresses of the examples are nobody's.
    expect(JSON.stringify(objects).replaceAll('192.0.2.0/24', '')).not.toContain('192.0.2.');
    const core = objects.filter(({ metadata }) => metadata.name === 'payment-core').map(nameOf);
    expect(core.sort()).toEqual(['EndpointSlice/payment-core', 'Service/payment-core']);
  });

  it('names entries, families of addresses, accounts and objects as the values say', () => {
    const objects = templated(valuesFile(fittedValues));
    const secrets = workloads(objects, /^ExternalSecret$/) as (Resource & { spec: { data: { remoteRef: object }[] } })[];
    const references = secrets.flatMap(({ spec }) => spec.data.map(({ remoteRef }) => remoteRef));
    expect(references.length).toBeGreaterThan(40);
    for (const reference of references)
      expect(reference).toEqual({ key: expect.stringMatching(/^paycode-[a-z-]+$/) as string, property: 'value' });
    for (const { spec } of workloads(objects, /^Service$/)) expect(spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack' });
    for (const account of workloads(objects, /^ServiceAccount$/)) {
      expect(account.metadata.annotations).toEqual(others.serviceAccountAnnotations);
      expect(account['imagePullSecrets']).toEqual([{ name: 'registry' }]);
    }
    expect(objects.map(nameOf)).toContain('ConfigMap/mine-paycode');
  });

  it('cert-manager issues a certificate per service, under the names that the others ask for, and the pods show it', () => {
    const objects = templated(valuesFile({ certManager: { enabled: true } }));
    const services = workloads(objects, /^Deployment$/).filter(({ metadata }) => metadata.name !== 'ops');
    const issued = workloads(objects, /^Certificate$/) as (Resource & { spec: { secretName: string; dnsNames: string[] } })[];
    const kept = workloads(objects, /^ExternalSecret$/).filter(secret => JSON.stringify(secret).includes('mutual-tls-crt'));
    expect(kept.map(nameOf)).toEqual(['ExternalSecret/paycode-ops']);
    expect(issued.map(({ spec }) => spec.dnsNames[0]).sort()).toEqual(services.map(({ metadata }) => metadata.name).sort());
    for (const service of services) {
      const { spec } = templateOf(service);
      const { secretName } = issued.find(({ spec: { dnsNames } }) => dnsNames[0] === service.metadata.name)!.spec;
      expect(spec['volumes']).toContainEqual({ name: 'mutual-tls', secret: { secretName, defaultMode: 0o440 } });
      const [container] = spec.containers;
      expect(container!['volumeMounts']).toContainEqual({
        name: 'mutual-tls',
        mountPath: '/etc/paycode/mutual-tls',
        readOnly: true,
      });
      expect(container!['env']).toContainEqual({ name: 'MUTUAL_TLS_KEY_FILE', value: '/etc/paycode/mutual-tls/tls.key' });
    }
  });
}

function workloads(objects: Resource[], kinds: RegExp): Resource[] {
  return objects.filter(({ kind }) => kinds.test(kind));
}

function templateOf({ spec }: Resource): Template {
  const { jobTemplate, template } = spec as { jobTemplate?: { spec: { template: Template } }; template: Template };
  return jobTemplate?.spec.template ?? template;
}

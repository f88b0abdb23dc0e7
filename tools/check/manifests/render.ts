import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { writePages } from '../docs/page.ts';
import { generatedManifests } from './generated-manifests.ts';

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

/** The parts of pods and policies that the suites read. */
export interface Container {
  image: string;
  env?: { name: string; value: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  securityContext: object;
  resources: Record<'requests' | 'limits', Record<string, string>>;
  ports: { containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
}
export interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    serviceAccountName: string;
    terminationGracePeriodSeconds: number;
    containers: Container[];
    volumes: {
      name: string;
      secret?: { secretName: string; items?: { key: string }[] };
      projected?: { sources: { secret: { name: string } }[] };
    }[];
  };
}
export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}
export interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}
export interface Port {
  protocol: string;
  port: number | string;
}
export interface Policy {
  podSelector: Selector;
  policyTypes: string[];
  ingress?: { from: Peer[]; ports: Port[] }[];
  egress?: { to: Peer[]; ports: Port[] }[];
}
/** Of an ExternalSecret. */
export interface External {
  target: { name: string };
  data: { secretKey: string; remoteRef: { key: string; property?: string } }[];
}

/** The pod of a Deployment, a StatefulSet, a Job or a CronJob; any other object has none. */
export function podOf({ spec }: Resource): Pod {
  const { jobTemplate, template } = (spec ?? {}) as { jobTemplate?: { spec: { template: Pod } }; template: Pod };
  return jobTemplate?.spec.template ?? template;
}

/** Resources of a kustomization folder, rendered offline with the manifests as they are generated now. Throws with kustomize's own message. */
export function kustomize(folder: string): Resource[] {
  writePages(generatedManifests());
  return resourcesOf(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Objects of a YAML stream; empty documents are none. */
export function resourcesOf(yaml: string): Resource[] {
  return parseAllDocuments(yaml)
    .map(document => document.toJS() as Resource | null)
    .filter(resource => resource !== null);
}

const root = join(import.meta.dirname, '../../..');
/** All of them, those too that somebody adds. */
export const overlays = readdirSync(join(root, 'k8s/overlays'));

/** Resources of a kustomization folder of this repository. */
export function render(folder: string): Resource[] {
  return kustomize(join(root, folder));
}

/** Components on top of the base, as an overlay would use them. */
export function renderWithBase(...components: string[]): Resource[] {
  // Below k8s/, because kustomize does not load from outside of a kustomization's root by absolute path.
  const folder = mkdtempSync(join(root, 'k8s/.render-'));
  const resources = ['../base'];
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
    components: components.map(component => `../${component}`),
  };
  try {
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return render(relative(root, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Settings of a service, out of the ConfigMap to whose name kustomize adds ten characters; none: empty. */
export function settingsOf(resources: readonly Resource[], service: string): Record<string, string> {
  const map = resources.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.replace(/-[a-z0-9]{10}$/, '') === service,
  );
  return (map?.['data'] ?? {}) as Record<string, string>;
}

/** The name of a resource in messages. */
export function nameOf({ kind, metadata }: Resource): string {
  return `${kind}/${metadata.name}`;
}

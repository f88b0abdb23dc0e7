import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export type EnvironmentName = 'sandbox' | 'production';

/** A Kubernetes Secret that an overlay needs. */
export interface WantedSecret {
  namespace: string;
  name: string;
  type: string;
  labels: Record<string, string>;
  /** Values that are no secrets, such as the name of a database role. */
  fixed: Record<string, string>;
  /** The others: key in the Secret, and entry of the store that holds it. */
  entries: { key: string; entry: string }[];
}

interface Kustomization {
  namespace?: string;
  resources?: string[];
  components?: string[];
  patches?: { target?: Target; patch?: string }[];
}
interface Target {
  kind?: string;
  name?: string;
  namespace?: string;
}
interface Template {
  type?: string;
  metadata?: { labels?: Record<string, string> };
  data?: Record<string, string>;
}
interface ExternalSecret {
  kind: string;
  metadata: { name: string; namespace?: string };
  spec: {
    target: { name: string; template?: Template };
    data: { secretKey: string; remoteRef: { key: string } }[];
  };
}

/** The secrets of the services, of PostgreSQL, of Kafka and of the operators' pod, as the manifests below `k8s` name them. */
export function wantedSecrets(k8s: string, overlay: string, environment: EnvironmentName): WantedSecret[] {
  const data = environment === 'production' ? 'data-services-production' : 'data-services';
  const folders = [overlay, ...[`overlays/${data}`, 'components/ops'].map(name => join(k8s, name))];
  return folders.flatMap(folder =>
    documentsOf(folder)
      .filter(({ kind }) => kind === 'ExternalSecret')
      .map(wantedFrom),
  );
}

/** Every document that a kustomization loads, with the namespace that it sets. */
function documentsOf(folder: string): ExternalSecret[] {
  const [document] = parseAllDocuments(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  const { namespace, resources = [], components = [], patches = [] } = document!.toJS() as Kustomization;
  const deleted = patches.flatMap(({ target, patch }) => (target && patch?.startsWith('$patch: delete') ? target : []));
  const found = [...resources, ...components]
    .map(name => join(folder, name))
    .flatMap(documentsAt)
    .filter(each => !deleted.some(target => isMeant(target, each)));
  return found.map(each => (namespace ? { ...each, metadata: { ...each.metadata, namespace } } : each));
}

/** As kustomize understands a target: the name is a pattern of the whole name. */
function isMeant({ kind, name = '.*', namespace }: Target, { kind: found, metadata }: ExternalSecret): boolean {
  return (
    found === kind &&
    new RegExp(`^(${name})$`).test(metadata.name) &&
    (namespace === undefined || namespace === metadata.namespace)
  );
}

function documentsAt(path: string): ExternalSecret[] {
  if (!existsSync(path)) throw new Error(`${path}: ${dirname(path)} names it, and it does not exist`);
  if (statSync(path).isDirectory()) return documentsOf(path);
  return parseAllDocuments(readFileSync(path, 'utf8')).map(document => document.toJS() as ExternalSecret);
}

function wantedFrom({ metadata, spec }: ExternalSecret): WantedSecret {
  const { name, template = {} } = spec.target;
  const { type = 'Opaque', data = {} } = template;
  return {
    namespace: metadata.namespace!,
    name,
    type,
    labels: template.metadata?.labels ?? {},
    fixed: Object.fromEntries(Object.entries(data).filter(([, value]) => !value.includes('{{'))),
    entries: spec.data.map(({ secretKey, remoteRef }) => ({ key: secretKey, entry: remoteRef.key })),
  };
}

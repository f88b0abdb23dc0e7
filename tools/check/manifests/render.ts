import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

const root = join(__dirname, '../../..');

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

/** Resources of a kustomization folder, rendered offline. Throws with kustomize's own message. */
export function render(folder: string): Resource[] {
  const yaml = execFileSync('kubectl', ['kustomize', join(root, folder)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return parseAllDocuments(yaml).map(document => document.toJS() as Resource);
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

/** What a message calls a resource. */
export function nameOf({ kind, metadata }: Resource): string {
  return `${kind}/${metadata.name}`;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { kustomize, type Resource } from './kustomize';

const root = join(__dirname, '../../..');

export type { Resource };

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

/** The name of a resource in messages. */
export function nameOf({ kind, metadata }: Resource): string {
  return `${kind}/${metadata.name}`;
}

import { execFileSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import { writePages } from '../docs/page.ts';
import { generatedManifests } from './generated-manifests.ts';

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
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

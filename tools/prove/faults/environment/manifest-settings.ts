import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const file = join(__dirname, '../../../../k8s/components/postgres-cnpg/postgres.yaml');

interface Manifest {
  kind: string;
  spec: {
    postgresql?: { parameters: Record<string, string> };
    configuration?: { wal: { compression: string }; data: { compression: string } };
  };
}

/** How the manifests run PostgreSQL and its archive: a drill with other settings proves nothing about theirs. */
export interface ManifestSettings {
  /** `name=value` */
  parameters: string[];
  /** Of the write-ahead log in the archive. */
  walCompression: 'gzip';
}

/** Memory is that of a production machine; the drill takes all the others. @throws Error when the archive is written in a way that the drill does not play */
export function manifestSettings(): ManifestSettings {
  const manifests = parseAllDocuments(readFileSync(file, 'utf8')).map(document => document.toJS() as Manifest);
  const { parameters } = specOf(manifests, 'Cluster').postgresql!;
  const { wal } = specOf(manifests, 'ObjectStore').configuration!;
  if (wal.compression !== 'gzip') throw new Error(`${file}: the drill does not archive with ${wal.compression}`);
  const kept = Object.entries(parameters).filter(([name]) => name !== 'shared_buffers');
  return { parameters: kept.map(([name, value]) => `${name}=${value}`), walCompression: wal.compression };
}

function specOf(manifests: readonly Manifest[], kind: string): Manifest['spec'] {
  return manifests.find(manifest => manifest.kind === kind)!.spec;
}

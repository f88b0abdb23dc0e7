import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { parseAllDocuments } from 'yaml';
import type { DatabaseServer } from './database-server.ts';
import { patienceMs } from './fault-settings.ts';

/** Continuous archiving of one server as the manifests have it: a base backup and its write-ahead log, from which any later instant can be restored. */
export class DatabaseArchive {
  private readonly base: string;
  private readonly log: string;
  private readonly parameters = manifestSettings().parameters;

  constructor(
    private readonly server: DatabaseServer,
    folder: string,
  ) {
    [this.base, this.log] = [join(folder, 'base'), join(folder, 'log')];
    mkdirSync(this.log, { recursive: true });
    this.handOver(this.log);
  }

  /** Begins to archive and takes a base backup while the server serves. The server is away for a moment. */
  async begin(): Promise<void> {
    await this.server.reconfigure([...this.parameters, 'archive_mode=on', `archive_command=gzip -c %p > ${this.log}/%f.gz`]);
    // One session: the backup ends with the connection that began it.
    const session = await this.server.pool('postgres').connect();
    try {
      await session.query(`select pg_backup_start('base', fast => true)`);
      execFileSync('cp', ['-a', this.server.dataDir, this.base]);
      const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
      this.write('backup_label', rows[0]!.labelfile);
    } finally {
      session.release();
    }
    rmSync(join(this.base, 'postmaster.pid'));
    this.write('recovery.signal', '');
  }

  /** Waits until everything written so far is in the archive. */
  async catchUp(): Promise<void> {
    const [segment] = await this.server.query<{ name: string }>('postgres', 'select pg_walfile_name(pg_switch_wal()) as name');
    const sql = 'select last_archived_wal >= $1 as done from pg_stat_archiver';
    await eventually(async () => {
      const [archived] = await this.server.query<{ done: boolean | null }>('postgres', sql, [segment!.name]);
      if (!archived?.done) throw new Error(`${segment!.name} is not archived yet`);
    }, patienceMs);
  }

  /** Replaces the lost machine and disk by a server restored to `instant`. Resolves when it accepts connections. */
  async restore(instant: Date): Promise<void> {
    const { server } = this;
    await server.crash();
    rmSync(server.dataDir, { recursive: true });
    execFileSync('cp', ['-a', this.base, server.dataDir]);
    await server.reconfigure([
      ...this.parameters,
      `restore_command=test -f ${this.log}/%f.gz && gunzip -c ${this.log}/%f.gz > %p`,
      `recovery_target_time=${instant.toISOString().replace('T', ' ').replace('Z', '+00')}`,
      'recovery_target_action=promote',
    ]);
  }

  private write(name: string, text: string): void {
    const file = join(this.base, name);
    writeFileSync(file, text);
    this.handOver(file);
  }

  /** To the user the server runs as. */
  private handOver(path: string): void {
    const { uid, gid } = statSync(this.server.dataDir);
    chownSync(path, uid, gid);
  }
}

const file = join(__dirname, '../../../../k8s/components/postgres-cnpg/postgres.yaml');

interface Manifest {
  kind: string;
  spec: {
    postgresql?: { parameters: Record<string, string> };
    configuration?: { wal: { compression: string }; data: { compression: string } };
  };
}

/** How the manifests run PostgreSQL and its archive: a drill with other settings proves nothing about theirs. */
interface ManifestSettings {
  /** `name=value` */
  parameters: string[];
  /** Of the write-ahead log in the archive. */
  walCompression: 'gzip';
}

/** Memory is that of a production machine; the drill takes all the others. @throws Error when the archive is written in a way that the drill does not play */
function manifestSettings(): ManifestSettings {
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

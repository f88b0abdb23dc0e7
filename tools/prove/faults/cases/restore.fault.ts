import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decision } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { parseAllDocuments } from 'yaml';
import type { DatabaseServer } from '../environment/database-server.ts';
import { ConsumerGroups } from '../environment/event-log-server.ts';
import { FaultPlatform } from '../environment/fault-platform.ts';
import { hang } from '../environment/fault-receiver.ts';
import { patienceMs, patientTimes as times } from '../environment/fault-services.ts';

/** Continuous archiving of one server as the manifests have it: a base backup and its write-ahead log, from which any later instant can be restored. */
class DatabaseArchive {
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

/**
 * The groups that docs/how-to/back-up-and-restore.md rewinds. The group of e-mail and SMS is not one of them, so that
 * nothing is sent twice.
 */
const groups = ['webhook-dispatcher', 'reversal-scheduler', 'reversal-scheduler-restore', 'reversal-scheduler-audit'] as const;

describe('both databases are lost and restored to an earlier instant', () => {
  let platform: FaultPlatform;
  let archives: DatabaseArchive[];
  beforeAll(async () => {
    platform = await FaultPlatform.start({ events: 'kafka', times });
    const { dispatcher, scheduler } = platform.databases;
    archives = [dispatcher, scheduler].map((server, at) => {
      const folder = join(platform.folder, `archive-${at}`);
      mkdirSync(folder, { mode: 0o755 });
      return new DatabaseArchive(server, folder);
    });
    for (const archive of archives) await archive.begin();
  }, 2 * patienceMs);
  afterAll(() => platform?.close(), patienceMs);

  const allEnd = async (ids: readonly number[], decision: Decision) => {
    for (const id of ids) await platform.ends(id, decision);
  };
  const decisionsOf = (ids: readonly number[]) => Promise.all(ids.map(id => platform.decision(id)));
  const postsOf = (id: number) => platform.receivers.reduce((sum, receiver) => sum + receiver.postsOf(id).length, 0);

  /** Waits until all events are in Kafka and all changes in the archives. */
  const atRest = async () => {
    await eventually(async () => {
      for (const name of ['dispatcher', 'scheduler'] as const)
        expect(await platform.databases[name].query(name, 'select from outbox')).toHaveLength(0);
    }, patienceMs);
    for (const archive of archives) await archive.catchUp();
  };

  const loseAndRestore = async (instant: Date) => {
    const { dispatchers, schedulers } = platform.services;
    await Promise.all([...dispatchers, ...schedulers].map(service => service.kill()));
    for (const archive of archives) await archive.restore(instant);
  };

  /** In the order of the how-to: the schedulers read their decisions before a dispatcher sends anything. */
  const replayFrom = async (instant: Date) => {
    const kafka = new ConsumerGroups(platform.events.env['KAFKA_BROKERS']!);
    await eventually(() => kafka.rewind(instant, groups), patienceMs);
    await Promise.all(platform.services.schedulers.map(service => service.start()));
    for (const group of ['reversal-scheduler', 'reversal-scheduler-restore'])
      await eventually(async () => expect(await kafka.lag(group)).toBe(0), patienceMs);
    await platform.services.start();
  };

  describe('as in P-I1, P-I2, P-I3', () => {
    it(
      'a payment decided since that instant is decided as before and not sent again; the rest is delivered',
      async () => {
        const good = await platform.merchant();
        const bad = await platform.merchant(post => post.answer(500));
        const slow = await platform.merchant(hang);
        const before = [...(await platform.pay(good.merchantId, 20)), ...(await platform.pay(bad.merchantId, 5))];
        await allEnd(before.slice(0, 20), 'SETTLED');
        await allEnd(before.slice(20), 'REVERSED');
        const [inFlight] = await platform.pay(slow.merchantId);
        await eventually(() => expect(slow.receiver.posts).toHaveLength(1), patienceMs);

        const instant = new Date();
        slow.receiver.posts[0]!.answer(200);
        const settled = [inFlight!, ...(await platform.pay(good.merchantId, 20))];
        const reversed = await platform.pay(bad.merchantId, 5);
        await allEnd(settled, 'SETTLED');
        await allEnd(reversed, 'REVERSED');
        await atRest();

        await loseAndRestore(instant);
        expect(new Set(await decisionsOf([...settled, ...reversed]))).toEqual(new Set([undefined]));
        // A merchant that has repaired its receiver would acknowledge a repeated notification, although the customer has the
        // money back.
        bad.receiver.behaviour = post => post.answer(200);
        const meanwhile = await platform.pay(good.merchantId, 10);
        await replayFrom(instant);

        await allEnd([...settled, ...meanwhile], 'SETTLED');
        await allEnd(reversed, 'REVERSED');
        // Notifications of a reversal may be sent again, because they move no money.
        expect(await platform.exactAudit()).toMatchObject({ settled: 51, reversed: 10 });
        const paid = [...before, ...settled, ...reversed, ...meanwhile];
        expect(paid.map(postsOf)).toEqual(paid.map(() => 1));
        for (const id of reversed) expect(await platform.reversals(id)).toBe(1);
      },
      6 * patienceMs,
    );
  });
});

import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import { Pool } from 'pg';

/** A PostgreSQL server of its own, durable as in production, that can be killed, paused and started again on its port. */
export class DatabaseServer {
  private server: Pick<EmbeddedPostgres, 'process' | 'stop'> | undefined;
  private readonly pools = new Map<string, Pool>();

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    private settings: string[] = [],
  ) {}

  static async start(dataDir: string, databases: readonly string[], settings: string[] = []): Promise<DatabaseServer> {
    const server = new DatabaseServer(dataDir, await freePort(), settings);
    await server.restart();
    for (const database of databases) await server.query('postgres', `create database ${database}`);
    return server;
  }

  /** Of the server; its children are its sessions. */
  get pid(): number {
    return this.server!.process.pid!;
  }

  urlOf(database: string): string {
    return `postgres://paycode@127.0.0.1:${this.port}/${database}`;
  }

  async restart(): Promise<void> {
    const { dataDir, port, settings } = this;
    // It may have ended by itself because its disk is full.
    if (this.server && !this.isRunning) this.server = undefined;
    this.server ??= await startEmbeddedPostgres({ dataDir, port, settings, endsWithParent: true });
  }

  /** Starts again in order, with these settings (`name=value`) from now on. */
  async reconfigure(settings: readonly string[]): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
    this.settings = [...settings];
    await this.restart();
  }

  private get isRunning(): boolean {
    const { exitCode, signalCode } = this.server!.process;
    return exitCode === null && signalCode === null;
  }

  /** A synchronous standby in that folder: from now on a commit is durable on both. The server is away for a moment. */
  async addStandby(dataDir: string): Promise<DatabaseServer> {
    const program = this.server!.process.spawnfile;
    const { uid, gid } = statSync(this.dataDir);
    await this.server!.stop();
    this.server = undefined;
    execFileSync('cp', ['-a', this.dataDir, dataDir]);
    const standby = new DatabaseServer(dataDir, await freePort());
    writeFileSync(join(dataDir, 'standby.signal'), '');
    const primary = `host=127.0.0.1 port=${this.port} user=paycode application_name=standby`;
    appendFileSync(join(dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
    this.settings = ['synchronous_standby_names=standby'];
    await this.restart();
    const args = ['-D', dataDir, '-p', String(standby.port), '-c', 'listen_addresses=127.0.0.1'];
    const own = ['-c', 'unix_socket_directories=', '-c', 'max_connections=300'];
    const child = spawn(program, [...args, ...own], { uid, gid, cwd: dataDir, stdio: 'ignore' });
    const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
    const stop = () => (child.kill('SIGINT'), gone);
    standby.server = { process: child, stop };
    await eventually(async () => {
      const [row] = await this.query<{ sync_state: string }>('postgres', 'select sync_state from pg_stat_replication');
      if (row?.sync_state !== 'sync') throw new Error('the standby is not synchronous yet');
    });
    return standby;
  }

  /** Stops the server and all its backends as they are (SIGSTOP): to its clients a machine that is cut off, and may come back. */
  freeze(): void {
    this.signal('SIGSTOP');
  }
  thaw(): void {
    this.signal('SIGCONT');
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.server!.process;
    // The postmaster first: it starts no backend then.
    process.kill(pid!, signal);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    for (const child of children) process.kill(Number(child), signal);
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.query('postgres', 'select pg_promote()');
  }

  /** SIGQUIT: every backend ends at once, nothing is written; the next start recovers from the log, as after a power loss. */
  async crash(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const gone = new Promise(resolve => server.process.once('exit', resolve));
    server.process.kill('SIGQUIT');
    await gone;
  }

  /** Ends every connection of the services. */
  async killBackends(database: string): Promise<void> {
    await this.query('postgres', `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`);
  }

  async query<T extends object>(database: string, sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await this.pool(database).query<T>(sql, parameters)).rows;
  }

  /** A pool for work of a case's own, e.g. to hold a lock. */
  pool(database: string): Pool {
    let pool = this.pools.get(database);
    if (!pool) {
      pool = new Pool({ connectionString: this.urlOf(database), max: 4 });
      // The server is killed on purpose; the next query connects again.
      pool.on('error', () => undefined);
      this.pools.set(database, pool);
    }
    return pool;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.pools.values()].map(pool => pool.end()));
    this.pools.clear();
    await this.server?.stop();
    this.server = undefined;
  }
}

const chunk = Buffer.alloc(1_048_576);

/** A small separate file system that can be filled. It needs the right to mount. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'paycode-disk-'));

  /** @throws when this process may not mount */
  constructor(megabytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', this.folder], { stdio: 'pipe' });
  }

  /** Why it is not possible here; undefined when it is. */
  static get obstacle(): string | undefined {
    try {
      new SmallDisk(1).remove();
      return undefined;
    } catch (error) {
      return `no file system can be mounted here: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`;
    }
  }

  /** Fills the file system completely. */
  fill(): void {
    const file = openSync(this.ballast, 'a');
    try {
      for (const size of [chunk.length, 4_096]) while (this.written(file, size));
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(this.ballast, { force: true });
  }

  remove(): void {
    // Lazily: a log file of a server that has ended may still be open here.
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }

  private get ballast(): string {
    return join(this.folder, 'ballast');
  }

  private written(file: number, size: number): boolean {
    try {
      return writeSync(file, chunk, 0, size) > 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
      throw error;
    }
  }
}

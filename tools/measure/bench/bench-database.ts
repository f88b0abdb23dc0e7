/** The PostgreSQL of a benchmark: default durability, one server for all contenders, a database for each use. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseServer } from '../../prove/faults/environment/database-server.ts';

/** More memory than the standalone platform takes, for all contenders alike; fsync and synchronous_commit stay on. */
const settings = [
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'wal_compression=on',
  'jit=off',
  'shared_preload_libraries=pg_stat_statements',
];

export class BenchDatabase {
  private constructor(
    /** Folder for whatever the run has to keep. */
    readonly home: string,
    private readonly server: DatabaseServer,
  ) {}

  static async start(): Promise<BenchDatabase> {
    const home = mkdtempSync(join(tmpdir(), 'paycode-bench-'));
    chmodSync(home, 0o755);
    const server = await DatabaseServer.start(join(home, 'postgres'), [], settings);
    const database = new BenchDatabase(home, server);
    await database.query('postgres', 'create extension pg_stat_statements');
    return database;
  }

  /** Of the server; its children are its sessions. */
  get pid(): number {
    return this.server.pid;
  }

  async create(name: string): Promise<string> {
    await this.query('postgres', `create database ${name}`);
    return this.urlOf(name);
  }

  urlOf(name: string): string {
    return this.server.urlOf(name);
  }

  query<T extends object>(database: string, sql: string, values?: unknown[]): Promise<T[]> {
    return this.server.query<T>(database, sql, values);
  }

  /** Statements executed (`begin` and `commit` included) and rows inserted in a database so far. Idle sessions report their counters after ten seconds: wait that long after the last statement. */
  async useOf(database: string) {
    const [use] = await this.query<{ statements: string; inserted: string }>(
      'postgres',
      `select (select coalesce(sum(calls), 0) from pg_stat_statements s where s.dbid = d.oid) as statements,
              pg_stat_get_db_tuples_inserted(d.oid) as inserted
         from pg_database d where datname = $1`,
      [database],
    );
    return { statements: Number(use!.statements), rowsInserted: Number(use!.inserted) };
  }

  /** Bytes of write-ahead log of the server so far. */
  async walBytes(): Promise<number> {
    const [wal] = await this.query<{ bytes: string }>('postgres', `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`);
    return Number(wal!.bytes);
  }

  /** Rows of payments in a table of ends, by their ids. */
  async endsIn(
    database: string,
    table: 'verdict' | 'decision',
    range: [firstId: number, lastId: number],
  ): Promise<{ transactionId: number; kind: string }[]> {
    const sql = `select transaction_id as id, kind from ${table} where transaction_id between $1 and $2`;
    const found = await this.query<{ id: string; kind: string }>(database, sql, range);
    return found.map(({ id, kind }) => ({ transactionId: Number(id), kind }));
  }

  /** Bytes of tables with their partitions and indexes, per row of the first of them. */
  async bytesPerRow(database: string, tables: readonly string[]): Promise<number> {
    const sql = `select sum(pg_total_relation_size(part.relid))::float8 / (select count(*) from ${tables[0]!}) as each
       from unnest($1::regclass[]) root, pg_partition_tree(root) part`;
    return (await this.query<{ each: number }>(database, sql, [tables]))[0]!.each;
  }

  folder(name: string): string {
    const path = join(this.home, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Ends every session at once, and starts again from its log. */
  async crash(): Promise<void> {
    await this.server.crash();
    await this.server.restart();
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

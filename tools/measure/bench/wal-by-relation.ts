/** Which tables and indexes the write-ahead log of a payment belongs to, read from the log itself (extension pg_walinspect). */
import type { BenchDatabase } from './bench-database.ts';
import { printTable } from './report.ts';

/** Where bytes of write-ahead log belong, per payment. */
export interface WalShare {
  database: string;
  relation: string;
  /** Changes of a page, per payment. */
  changes: number;
  bytes: number;
}

const shownMax = 20;

interface Read {
  database: string;
  filenode: string;
  changes: number;
  bytes: number;
}

/** The shares of what was written from `fromLsn` until now by `payments` payments, largest first. Commits and sequences belong to no relation. */
export async function walShares(database: BenchDatabase, fromLsn: string, payments: number): Promise<WalShare[]> {
  await database.query('postgres', 'create extension if not exists pg_walinspect');
  const read = await database.query<Read>(
    'postgres',
    `select d.datname as database, b.relfilenode::text as filenode,
            count(*)::float8 / $2 as changes, sum(b.record_length)::float8 / $2 as bytes
       from pg_get_wal_block_info($1::pg_lsn, pg_current_wal_flush_lsn()) b join pg_database d on d.oid = b.reldatabase
      group by 1, 2 order by bytes desc limit ${shownMax}`,
    [fromLsn, payments],
  );
  return Promise.all(
    read.map(async ({ filenode, ...share }) => ({ ...share, relation: await nameOf(share.database, filenode) })),
  );

  async function nameOf(ofDatabase: string, filenode: string): Promise<string> {
    const sql = 'select relname from pg_class where pg_relation_filenode(oid) = $1::oid';
    const [found] = await database.query<{ relname: string }>(ofDatabase, sql, [filenode]);
    return found?.relname ?? `file ${filenode}`;
  }
}

export function printWalShares(load: string, shares: readonly WalShare[]): void {
  const rows = shares.map(({ database, relation, changes, bytes }) => [
    `${database} ${relation}`,
    changes.toFixed(2),
    bytes.toFixed(0),
  ]);
  printTable([`write-ahead log per payment, ${load}`, 'changes of a page', 'bytes'], rows);
}

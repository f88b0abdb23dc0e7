/**
 * Processor time of PostgreSQL's statements, as its sessions report it themselves (`log_statement_stats`: getrusage around each message of
 * the protocol, so parsing, planning and execution; what a session does between its messages, the commit among it, is not in it).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from './bench-database.ts';

/** Settings with which the server names database and statement of each report. */
export const statementReports = ['log_line_prefix=<%d %Q>', 'log_min_error_statement=panic', 'pg_stat_statements.max=10000'];

export interface StatementUse {
  database: string;
  text: string;
  cpuUs: number;
}

const report = /<(\S*) (-?\d+)>DETAIL: {2}! system usage stats:\n\t?!\t([\d.]+) s user, ([\d.]+) s system/g;
/** A report is far shorter. */
const reportCharsMax = 8_192;
const settleMs = 500;

/** Sums reports of a server's output. */
export class ReportReader {
  /** Microseconds by database and query id. */
  readonly cpuUs = new Map<string, number>();
  private text = '';

  read(text: string): void {
    this.text += text;
    let end = 0;
    for (const match of this.text.matchAll(report)) {
      const [all, database, queryId, user, system] = match;
      const key = `${database} ${queryId}`;
      this.cpuUs.set(key, (this.cpuUs.get(key) ?? 0) + (Number(user) + Number(system)) * 1e6);
      end = match.index + all.length;
    }
    this.text = this.text.slice(Math.max(end, this.text.length - reportCharsMax));
  }
}

export class StatementReports {
  private reader?: ReportReader;

  constructor(private readonly database: BenchDatabase) {
    database.onOutput(text => this.reader?.read(text));
  }

  async begin(): Promise<void> {
    await this.report('on');
    this.reader = new ReportReader();
  }

  async end(): Promise<StatementUse[]> {
    await this.report('off');
    const texts = await this.texts();
    const uses = [...this.reader!.cpuUs].map(([key, cpuUs]) => {
      const [database = '', queryId] = key.split(' ');
      return { database, text: texts.get(key) ?? (queryId === '0' ? 'no statement' : `query ${queryId}`), cpuUs };
    });
    this.reader = undefined;
    return uses.toSorted((left, right) => right.cpuUs - left.cpuUs);
  }

  private async report(value: 'on' | 'off'): Promise<void> {
    await this.database.query('postgres', `alter system set log_statement_stats = ${value}`);
    await this.database.query('postgres', 'select pg_reload_conf()');
    await pause(settleMs);
  }

  private async texts(): Promise<Map<string, string>> {
    const known = await this.database.query<{ database: string; id: string; query: string }>(
      'postgres',
      'select d.datname as database, s.queryid::text as id, s.query from pg_stat_statements s join pg_database d on d.oid = s.dbid',
    );
    return new Map(known.map(({ database, id, query }) => [`${database} ${id}`, query]));
  }
}

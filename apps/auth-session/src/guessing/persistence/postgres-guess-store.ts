import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { forgetAfterMs, type GuessCount } from '../domain/guess-rule';
import { GuessStore } from '../guessing.ports';

interface GuessRow {
  key: Buffer;
  failures: number;
  last_failed_at: Date;
}

const selectCounts = {
  name: 'select-guess-counts',
  text: 'select key, failures, last_failed_at from guess_count where key = any($1::bytea[])',
};

@Injectable()
export class PostgresGuessStore extends GuessStore {
  private readonly reads = new FlushQueue<Buffer, GuessCount | undefined>(keys => this.readAll(keys), {
    flushMax: 512,
    queueMax: 20_000,
  });

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  read(keys: readonly Buffer[]): Promise<(GuessCount | undefined)[]> {
    return this.reads.run(keys);
  }

  async fail(keys: readonly Buffer[], nowMs: number): Promise<GuessCount[]> {
    // Sorted, so that two failures that share keys lock them in one order.
    const rows = await this.dataSource.query<GuessRow[]>(
      `insert into guess_count as g (key, failures, last_failed_at)
       select key, 1, $2 from unnest($1::bytea[]) key order by key
       on conflict (key) do update set
         failures = case when g.last_failed_at < $3 then 1 else least(g.failures + 1, 1000000) end,
         last_failed_at = greatest(g.last_failed_at, excluded.last_failed_at)
       returning key, failures, last_failed_at`,
      [keys, new Date(nowMs), new Date(nowMs - forgetAfterMs)],
    );
    return inOrder(keys, rows).map(count => count!);
  }

  async clear(keys: readonly Buffer[]): Promise<void> {
    await this.dataSource.query('delete from guess_count where key = any($1::bytea[])', [keys]);
  }

  private async readAll(keys: readonly Buffer[]): Promise<(GuessCount | undefined)[]> {
    return inOrder(keys, await preparedQuery<GuessRow>(this.dataSource, selectCounts, [keys]));
  }
}

function inOrder(keys: readonly Buffer[], rows: GuessRow[]): (GuessCount | undefined)[] {
  const found = new Map(
    rows.map(row => [row.key.toString('hex'), { failures: row.failures, lastFailedAtMs: row.last_failed_at.getTime() }]),
  );
  return keys.map(key => found.get(key.toString('hex')));
}

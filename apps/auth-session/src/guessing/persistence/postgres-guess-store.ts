import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { blockedUntilMs, type GuessRule } from '../domain/guess-rule';
import { type CountedKey, type CountedTry, GuessStore } from '../guessing.ports';

interface Try extends CountedKey {
  nowMs: number;
}

interface Counting {
  key: Buffer;
  rule: GuessRule;
  tries: number;
}

interface CountRow {
  key: Buffer;
  failures: number;
  counted: number;
  last_failed_at: Date;
  forget_at: Date;
}

/**
 * Counts as many tries of each key as its rule lets pass: all that reach its last free one and one beyond, or one after a wait; none during a
 * wait. Sorted, so that two statements lock the rows they share in one order; the row lock makes the second see the first one's count.
 */
const countTries = {
  name: 'count-guesses',
  text: `
  with tries as (
    select * from unnest($1::bytea[], $2::int[], $3::int[], $4::float8[], $5::float8[], $6::float8[], $7::boolean[])
      as t (key, tries, free, delay_first_ms, delay_max_ms, memory_ms, is_since_first)
  )
  insert into guess_count as g (key, failures, counted, last_failed_at, forget_at)
  select key, least(tries, free + 1), least(tries, free + 1), $8::timestamptz, $8 + memory_ms * interval '1 ms' from tries order by key
  on conflict (key) do update set (failures, counted, last_failed_at, forget_at) = (
    select least(before.failures + now.counted, 1000000), now.counted,
      case when now.counted > 0 then greatest($8, g.last_failed_at) else g.last_failed_at end,
      case when before.is_new or (now.counted > 0 and not t.is_since_first) then excluded.forget_at else g.forget_at end
    from tries t,
      lateral (select g.forget_at <= $8 as is_new, case when g.forget_at <= $8 then 0 else g.failures end as failures) before,
      lateral (select before.failures > t.free and $8 < g.last_failed_at
        + least(t.delay_max_ms, t.delay_first_ms * 2 ^ least(before.failures - t.free - 1, 30)) * interval '1 ms' as is_blocked) wait,
      lateral (select case when wait.is_blocked then 0
        else least(t.tries, greatest(t.free + 1 - before.failures, 1)) end as counted) now
    where t.key = excluded.key)
  returning key, failures, counted, last_failed_at, forget_at`,
};

@Injectable()
export class PostgresGuessStore extends GuessStore {
  /** One statement at a time: a flood of wrong guesses takes one connection, not all of them. */
  private readonly tries = new FlushQueue<Try, CountedTry>(tries => this.countAll(tries), { flushMax: 512, queueMax: 20_000 });

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  count(keys: readonly CountedKey[], nowMs: number): Promise<CountedTry[]> {
    return this.tries.run(keys.map(key => ({ ...key, nowMs })));
  }

  async giveBack(keys: readonly Buffer[]): Promise<void> {
    // Locked in the order in which they are counted.
    await this.dataSource.query(
      `with locked as (select key from guess_count where key = any($1::bytea[]) order by key for update)
       update guess_count g set failures = greatest(g.failures - 1, 0) from locked where g.key = locked.key`,
      [keys],
    );
  }

  private async countAll(tries: readonly Try[]): Promise<CountedTry[]> {
    const countings = merged(tries);
    const rules = countings.map(({ rule }) => rule);
    const rows = await preparedQuery<CountRow>(this.dataSource, countTries, [
      countings.map(({ key }) => key),
      countings.map(counting => counting.tries),
      rules.map(rule => rule.freeTries),
      rules.map(rule => rule.delayFirstMs),
      rules.map(rule => rule.delayMaxMs),
      rules.map(rule => rule.memoryMs),
      rules.map(rule => rule.memorySince === 'FIRST_TRY'),
      new Date(Math.max(...tries.map(({ nowMs }) => nowMs))),
    ]);
    return sharedOut(tries, rows);
  }
}

/** One row can be counted once per statement only: tries under one key go together. */
function merged(tries: readonly Try[]): Counting[] {
  const byKey = new Map<string, Counting>();
  for (const { key, rule } of tries) {
    const text = key.toString('hex');
    const counting = byKey.get(text) ?? { key, rule, tries: 0 };
    counting.tries += 1;
    byKey.set(text, counting);
  }
  return [...byKey.values()];
}

/** The tries that came first are those that were counted. */
function sharedOut(tries: readonly Try[], rows: CountRow[]): CountedTry[] {
  const byKey = new Map(rows.map(row => [row.key.toString('hex'), { row, left: row.counted }]));
  return tries.map(({ key, rule }) => {
    const found = byKey.get(key.toString('hex'))!;
    const { failures, last_failed_at: last, forget_at: forget } = found.row;
    const count = { failures, lastFailedAtMs: last.getTime(), forgetAtMs: forget.getTime() };
    const isCounted = found.left > 0;
    if (isCounted) found.left -= 1;
    return { isCounted, failures: failures - found.left, blockedUntilMs: blockedUntilMs(count, rule) };
  });
}

import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { blockedUntilMs, type GuessRule } from './guess-rule';

/** One try under one key. */
export interface CountedKey {
  /** A digest, because somebody may have typed a password as the identity. */
  key: Buffer;
  rule: GuessRule;
}

/** The result of a try. */
export interface CountedTry {
  /** Whether it was counted; a refused try changes nothing and makes no wait longer. */
  isCounted: boolean;
  /** Its number in the count; for a refused try, the present count. */
  failures: number;
  /** Further tries are refused before this instant, in epoch milliseconds; 0: none is. */
  blockedUntilMs: number;
}

/** Counts of tries, shared by all replicas. */
export abstract class GuessStore {
  /**
   * Counts one try under each key, or refuses it, by one statement: of all tries at the same time, over all replicas, no more are counted
   * than the rule allows. Concurrent calls are merged. Returns one answer per key, in order.
   */
  abstract count(keys: readonly CountedKey[], nowMs: number): Promise<CountedTry[]>;
  /** Takes back one counted try of each key. */
  abstract giveBack(keys: readonly Buffer[]): Promise<void>;
}

const guessSql = {
  // Counts as many tries of each key as its rule permits: the remaining free ones and one more, or one after a wait, or none during a wait. The
  // keys are sorted, so that two statements lock shared rows in the same order; because of the row lock the second sees the count of the first.
  count: {
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
  },

  // Locks rows in the same order as `count`.
  giveBack: `
    with locked as (select key from guess_count where key = any($1::bytea[]) order by key for update)
    update guess_count g set failures = greatest(g.failures - 1, 0) from locked where g.key = locked.key`,
} as const;

/** The table `PostgresGuessStore` counts in, for the migration of a service that uses it. */
export const guessTableStatements: readonly string[] = [
  `create table guess_count (
     -- A digest: what was typed as an identity may be a password.
     key bytea primary key,
     failures int not null,
     counted int not null default 1,
     last_failed_at timestamptz not null,
     forget_at timestamptz not null
   )`,
  `create index guess_count_forget_at on guess_count (forget_at)`,
];

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

@Injectable()
export class PostgresGuessStore extends GuessStore {
  /** One statement at a time, so that a flood of wrong guesses uses one connection, not all of them. */
  private readonly tries = new FlushQueue<Try, CountedTry>(tries => this.countAll(tries), { flushMax: 512, queueMax: 20_000 });

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  count(keys: readonly CountedKey[], nowMs: number): Promise<CountedTry[]> {
    return this.tries.run(keys.map(key => ({ ...key, nowMs })));
  }

  async giveBack(keys: readonly Buffer[]): Promise<void> {
    await this.dataSource.query(guessSql.giveBack, [keys]);
  }

  private async countAll(tries: readonly Try[]): Promise<CountedTry[]> {
    const countings = merged(tries);
    const rules = countings.map(({ rule }) => rule);
    const rows = await preparedQuery<CountRow>(this.dataSource, guessSql.count, [
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

/** A statement can update a row only once, so tries under one key are merged. */
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

/** Assigns the counted places to the tries that came first. */
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

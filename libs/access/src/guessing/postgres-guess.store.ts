import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { blockedUntilMs, type GuessRule } from './guess-rule';
import { type CountedKey, type CountedTry, GuessStore } from './guess-store';
import { guessSql as sql } from './guess.sql';

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
    await this.dataSource.query(sql.giveBack, [keys]);
  }

  private async countAll(tries: readonly Try[]): Promise<CountedTry[]> {
    const countings = merged(tries);
    const rules = countings.map(({ rule }) => rule);
    const rows = await preparedQuery<CountRow>(this.dataSource, sql.count, [
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

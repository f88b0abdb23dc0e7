import { randomBytes } from 'node:crypto';
import { testDatabase } from '@paycode/persistence/testing';
import type { GuessRule } from './guess-rule';
import { guessTableStatements, PostgresGuessStore } from './postgres-guess.store';

const rule: GuessRule = { freeTries: 3, delayFirstMs: 1_000, delayMaxMs: 60_000, memoryMs: 900_000, memorySince: 'LAST_TRY' };
const nowMs = Date.UTC(2030, 0, 1);

describe('the counts of guesses', () => {
  const database = testDatabase();
  let store: PostgresGuessStore;
  beforeAll(async () => {
    for (const statement of guessTableStatements) await database.dataSource.query(statement);
    store = new PostgresGuessStore(database.dataSource);
  });

  /** The results of that many tries in one statement. */
  const countedOf = async (key: Buffer, tries: number, atMs = nowMs): Promise<boolean[]> =>
    (
      await store.count(
        Array.from({ length: tries }, () => ({ key, rule })),
        atMs,
      )
    ).map(({ isCounted }) => isCounted);
  const first = (counted: number, of: number): boolean[] => Array.from({ length: of }, (_, at) => at < counted);

  it('of 300 tries in one statement those within the rule are counted, under a key that is new, known or forgotten (T-05)', async () => {
    const key = randomBytes(32);
    expect(await countedOf(key, 300)).toEqual(first(4, 300));
    expect(await countedOf(key, 300, nowMs + 999)).toEqual(first(0, 300));
    expect(await countedOf(key, 300, nowMs + 1_000)).toEqual(first(1, 300));
    expect(await countedOf(key, 300, nowMs + 2_999)).toEqual(first(0, 300));
    expect(await countedOf(key, 300, nowMs + 1_000 + rule.memoryMs)).toEqual(first(4, 300));
  });

  it('a refused key does not keep the others of its statement from being counted (T-05)', async () => {
    const [tired, fresh] = [randomBytes(32), randomBytes(32)];
    await countedOf(tired, 4);
    const tries = await store.count(
      [tired, fresh, tired].map(key => ({ key, rule })),
      nowMs,
    );
    expect(tries.map(({ isCounted, failures }) => [isCounted, failures])).toEqual([
      [false, 4],
      [true, 1],
      [false, 4],
    ]);
  });
});

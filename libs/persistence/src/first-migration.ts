import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from './migrate';

const historySql = `select count(*)::int as applied, coalesce(bool_or(name = $1), false) as "isComplete" from migrations`;

/**
 * Makes the whole schema of an empty database. The migrations that stood here before the first release made the same schema: where all of
 * them ran, this one changes nothing. Their rows stay, so that the commit before this one can be started again.
 */
export abstract class FirstMigration extends ForwardMigration {
  /** The last of the migrations that stood here before. */
  protected abstract readonly replaces: string;
  /** SQL, in order of execution. */
  protected abstract readonly statements: readonly string[];

  /** @throws Error when the migrations of before made a part of the schema only */
  override async up(runner: QueryRunner): Promise<void> {
    const [{ applied, isComplete }] = (await runner.query(historySql, [this.replaces])) as [
      { applied: number; isComplete: boolean },
    ];
    if (isComplete) return;
    if (applied > 0)
      throw new Error(
        `the database lacks the migration ${this.replaces}: start the last commit before ${this.name} on it once, then this one`,
      );
    for (const statement of this.statements) await runner.query(statement);
  }
}

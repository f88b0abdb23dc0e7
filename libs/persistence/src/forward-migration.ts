import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A change of a schema. It only goes forward: whoever rolls back runs the older release on the newer schema, so nothing would ever run, or prove, a way back. */
export abstract class ForwardMigration implements MigrationInterface {
  abstract readonly name: string;

  abstract up(runner: QueryRunner): Promise<void>;

  /** TypeORM asks for it. @throws Error always */
  async down(): Promise<never> {
    throw new Error(`${this.name} cannot be undone: migrations only go forward, and an older release runs on the newer schema`);
  }
}

import type { DispatcherTables } from '../../deliveries/testing/dispatcher-tables';
import type { StatementExecutor } from '../../deliveries/testing/statement-executor';
import { type PauseInEffect, PauseReader } from '../endpoint-pauses';

/** Pauses in effect, statement by statement as `PauseStore` has them. */
export class MemoryPauses extends PauseReader {
  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {
    super();
  }

  override inEffect(): Promise<PauseInEffect[]> {
    return this.execute(() => {
      const nowMs = this.tables.nowMs();
      const pauses = [...this.tables.pauses].map(([endpoint, endsAtMs]) => ({ endpoint, leftMs: endsAtMs - nowMs }));
      return pauses.filter(({ leftMs }) => leftMs > 0);
    });
  }
}

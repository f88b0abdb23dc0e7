import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `attempt` returns without throwing, and returns its value; after `withinMs` it throws the last error. The limit is so long
 * that a machine with other work never reaches it. It asks less often the longer it waits: asking costs what is waited for.
 */
export async function eventually<T>(attempt: () => Promise<T> | T, withinMs = 120_000): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs >= withinMs) throw error;
      await pause(Math.min(Math.max(waitedMs / 20, 10), 100));
    }
  }
}

/**
 * For what a single test begins: the returned function takes how to end it, at once after it began. After each test everything is ended, last
 * first, also when the test failed, and also when an earlier end failed. Called where `afterEach` may be.
 */
export function undoneAfterEach(): (undo: () => unknown) => void {
  const undos: (() => unknown)[] = [];
  afterEach(async () => {
    const failures: unknown[] = [];
    for (const undo of undos.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `not ended after the test: ${failures.join('; ')}`);
  });
  return undo => void undos.push(undo);
}

import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `attempt` returns without throwing and gives its value; after `withinMs` the last error is thrown. The ceiling says only that
 * nothing will come any more: a machine busy with other work never reaches it.
 */
export async function eventually<T>(attempt: () => Promise<T> | T, withinMs = 120_000): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error;
      await pause(10);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `attempt` returns without throwing, and returns its value; after `withinMs` it throws the last error. The limit is so long
 * that a machine with other work never reaches it.
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

import type { Platform } from './platform';

/** What `npm run dev` sends when it has built a service anew. */
export interface RestartOrder {
  restart: string;
}

/** Answered when the service takes traffic again, or will not. */
export type RestartAnswer = { restarted: string; pid: number | undefined } | { failed: string; reason: string };

/** Takes orders from the process that started this one, if it gives any; they come one at a time. */
export function takeRestartOrders(platform: Platform): void {
  process.on('message', ({ restart }: RestartOrder) => {
    void platform.restart(restart).then(
      pid => answer({ restarted: restart, pid }),
      (error: unknown) => answer({ failed: restart, reason: (error as Error).message }),
    );
  });
}

function answer(words: RestartAnswer): void {
  process.send?.(words);
}

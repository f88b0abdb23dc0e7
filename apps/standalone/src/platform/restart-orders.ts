import type { Platform } from './platform';

/** Message of `npm run dev` after it has rebuilt a service. */
export interface RestartOrder {
  restart: string;
}

/** Sent when the service accepts traffic again, or has failed. */
export type RestartAnswer = { restarted: string; pid: number | undefined } | { failed: string; reason: string };

/** Handles messages from the process that started this one, one at a time. */
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

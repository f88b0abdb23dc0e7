/**
 * The portal of a standalone platform sleeps behind a door of the supervisor, and a play may stop the supervisor. A cluster has no such door:
 * Prometheus scrapes the process itself, which somebody keeps awake.
 */
import { readFileSync } from 'node:fs';
import { PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';

const name = 'portal';
/** Shorter than the time after which it sleeps. */
const knockEveryMs = 60_000;
const knockMsMax = 30_000;
const wokenWithinMs = 240_000;

export interface AwakePortal {
  /** Where its process listens, whatever becomes of the door. */
  url: string;
  /** Lets it sleep again. */
  letGo(): void;
}

/** @throws when it does not answer */
export async function awakePortal(home: string): Promise<AwakePortal> {
  const door = `${new PlatformConnection(home).standalone.internal[name]!}/health/live`;
  const { ok, status } = await fetch(door, { signal: AbortSignal.timeout(wokenWithinMs) });
  if (!ok) throw new Error(`the portal answers ${status}`);
  const url = `http://127.0.0.1:${portOf(home)}`;
  const timer = setInterval(() => void knock(door), knockEveryMs).unref();
  return { url, letGo: () => clearInterval(timer) };
}

/** The platform writes its file anew when a process has started. */
function portOf(home: string): string {
  const pid = new PlatformConnection(home).standalone.processes[name];
  if (pid === undefined) throw new Error('the portal answers, and has no process');
  const port = /(?:^|\0)INTERNAL_PORT=(\d+)\0/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
  if (!port) throw new Error(`process ${pid} of the portal has no INTERNAL_PORT`);
  return port;
}

async function knock(door: string): Promise<void> {
  try {
    await fetch(door, { signal: AbortSignal.timeout(knockMsMax) });
  } catch {
    // The supervisor is stopped: it puts nobody to sleep either. A portal that is gone shows in `up`.
  }
}

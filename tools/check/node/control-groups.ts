import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = '/sys/fs/cgroup';
const emptyWithinMs = 30_000;

/** A group of that name below each controller, for all that a kubelet starts. */
export function makeControlGroups(name: string): void {
  for (const controller of controllers()) mkdirSync(join(root, controller, name));
}

/** Removes them with all below; their processes have been killed, and may take a moment. @throws Error when one is still in use */
export async function removeControlGroups(name: string): Promise<void> {
  const giveUpAt = performance.now() + emptyWithinMs;
  for (;;) {
    try {
      for (const controller of controllers()) removeGroup(join(root, controller, name));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || performance.now() > giveUpAt) throw error;
      await pause(100);
    }
  }
}

function controllers(): string[] {
  return readdirSync(root).filter(name => existsSync(join(root, name, 'cgroup.procs')));
}

function removeGroup(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(folder, entry.name));
  rmdirSync(folder);
}

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Kills every process in and below that group, all at once for whoever is watching: no one of them gets to say goodbye to another. */
export function killControlGroups(name: string): void {
  const processes = controllers().flatMap(controller => processesOf(join(root, controller, name)));
  for (const id of new Set(processes)) kill(id);
}

function processesOf(folder: string): number[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory());
  const own = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  return [...own, ...below.flatMap(({ name }) => processesOf(join(folder, name)))];
}

/** Of the run's own namespace, as all of `/proc` there. */
export function killProcessesCalled(program: string): void {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  for (const id of all) if (programOf(id) === program) kill(Number(id));
}

function programOf(id: string): string {
  try {
    return basename(readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')[0]!);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return '';
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
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

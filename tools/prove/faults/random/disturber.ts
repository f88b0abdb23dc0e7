import { setTimeout as pause } from 'node:timers/promises';
import type { FaultServices, ServiceProcess } from '../environment/fault-services.ts';
import type { Disturbance } from './kill-summary.ts';

/** Choices that a seed makes again (mulberry32). */
export class SeededChoice {
  constructor(private state: number) {}

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  of<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }
}

/** Longest time that a process is stopped or stays away: longer than a lease. Milliseconds. */
const awayMsMax = 8_000;

/** Kills, stops and restarts processes at random, and notes when. */
export class Disturber {
  readonly done: Disturbance[] = [];
  private readonly busy = new Set<ServiceProcess>();

  constructor(
    private readonly services: FaultServices,
    private readonly choice: SeededChoice,
  ) {}

  count(kind: Disturbance['kind']): number {
    return this.done.filter(disturbance => disturbance.kind === kind).length;
  }

  /** One disturbance to its end: the process runs again. */
  async disturb(): Promise<void> {
    const { dispatchers, schedulers, simulator } = this.services;
    // Dispatchers hold what is in flight: they are hit most.
    const victims = [...dispatchers, ...dispatchers, ...schedulers, simulator].filter(each => !this.busy.has(each));
    if (victims.length === 0) return;
    const victim = this.choice.of(victims);
    const kind = this.choice.of(['kill', 'kill', 'kill', 'pause', 'pause', 'restart'] as const);
    const awayMs = this.choice.between(0, awayMsMax);
    this.busy.add(victim);
    const fromMs = performance.now();
    const note = () => this.done.push({ name: victim.name, kind, fromMs, toMs: performance.now() });
    try {
      await this[kind](victim, awayMs, note);
    } finally {
      this.busy.delete(victim);
    }
  }

  private async kill(victim: ServiceProcess, awayMs: number, note: () => void): Promise<void> {
    await victim.kill();
    note();
    await pause(awayMs);
    await victim.start();
  }

  private async pause(victim: ServiceProcess, awayMs: number, note: () => void): Promise<void> {
    victim.pause();
    await pause(awayMs);
    victim.resume();
    note();
  }

  private async restart(victim: ServiceProcess, _: number, note: () => void): Promise<void> {
    await victim.stop();
    note();
    await victim.start();
  }
}

import type { FaultKind } from './engine/timeline.ts';
import type { SimServer } from './engine/network.ts';
import type { SimProcess } from './engine/sim-process.ts';
import type { DispatcherNode } from './world/dispatcher-node.ts';
import { merchants } from './world/payment-core.ts';
import type { World } from './world/world.ts';

/** How long a process that is told to stop may take (P-T9). */
const graceMs = 70_000;

/** Plans the faults with their times, and the payments. */
export class Faults {
  constructor(private readonly world: World) {}

  schedule(): void {
    const { swarm, timeline, servers } = this.world;
    for (let payment = 0; payment < swarm.payments; payment++)
      timeline.at(timeline.random.between(0, swarm.faultsMs), () => this.pay());
    const dispatcher = () => timeline.random.pick(this.world.dispatchers);
    const scheduler = () => timeline.random.pick(this.world.schedulers);
    this.often(swarm.killDispatcherRate, () => this.kill(dispatcher(), 'dispatcher killed'));
    this.often(swarm.killSchedulerRate, () => this.kill(scheduler(), 'scheduler killed'));
    this.often(swarm.endSessionRate, () => this.endSession(dispatcher()));
    this.often(swarm.cleanRestartRate, () => this.restart(dispatcher()));
    this.often(swarm.pauseDispatcherRate, () => this.pause(dispatcher().process, 'dispatcher paused'));
    this.often(swarm.pauseSchedulerRate, () => this.pause(scheduler().process, 'scheduler paused'));
    for (const node of [...this.world.dispatchers, ...this.world.schedulers])
      node.process.crashes = { chance: () => swarm.crashAtAwait, crash: () => this.kill(node) };
    this.often(swarm.dispatcherDatabaseOutageRate, () => this.outage(servers.dispatcher));
    this.often(swarm.schedulerDatabaseOutageRate, () => this.outage(servers.scheduler));
    this.often(swarm.configOutageRate, () => this.outage(servers.config));
    this.often(swarm.kafkaOutageRate, () => this.outage(servers.kafka));
    this.often(swarm.rebalanceRate, () => this.happens('partitions move', () => this.world.groups.terminal.rebalance()));
    this.often(swarm.renewKeyRate, () =>
      this.happens('key renewed', () => this.world.config.renewKey(timeline.random.integer(1, 4))),
    );
    this.often(swarm.pauseEndpointRate, () => this.happens('endpoint paused', () => this.pauseEndpoint()));
    // No decision may read a wall clock, so stepping it may change nothing (P-T2).
    this.often(0.05, () =>
      this.happens('wall clock step', () => (this.world.wallSkewMs = timeline.random.between(-3_600_000, 3_600_000))),
    );
  }

  /** On average `rate` times per virtual second while faults are on. */
  private often(rate: number, work: () => void): void {
    const { swarm, timeline } = this.world;
    const times = Math.round((rate * swarm.faultsMs) / 1_000);
    for (let time = 0; time < times; time++) timeline.at(timeline.random.between(0, swarm.faultsMs), work);
  }

  private pay(): void {
    const { core, swarm, timeline } = this.world;
    core.pay();
    const transactionId = core.announced.at(-1)!;
    if (!timeline.random.chance(swarm.pulls)) return;
    timeline.after(timeline.random.delay(2_000, { worstMs: 100_000, rarity: 3 }), () => this.pull(transactionId));
  }

  /** getNotification at one of the dispatchers. */
  private pull(transactionId: number): void {
    const { dispatchers, timeline, watcher } = this.world;
    const node = timeline.random.pick(dispatchers);
    if (!node.process.isAlive) return;
    timeline.faults.add('getNotification');
    node.process.arrives(1, () => {
      node.recover(transactionId).then(
        json => json?.includes('"status":"SUCCESS"') && watcher.pulled(transactionId),
        // A 503: the merchant calls again, or not.
        () => timeline.trace(`getNotification ${transactionId} failed`),
      );
    });
  }

  private happens(kind: FaultKind, work: () => void): void {
    this.world.timeline.faults.add(kind);
    work();
  }

  /** A clean stop: killed when it takes longer than the platform waits. */
  private restart(node: DispatcherNode): void {
    const { timeline } = this.world;
    const { process } = node;
    if (!process.isAlive) return;
    const life = process.identity;
    timeline.trace(`${life} is told to stop`);
    timeline.faults.add('clean restart');
    const stop = () => {
      if (process.isAlive && process.identity === life) this.kill(node);
    };
    timeline.after(graceMs, stop);
    node.leave().then(stop, stop);
  }

  private kill(node: { process: SimProcess; start(): void }, kind?: FaultKind): void {
    const { timeline, watcher, groups } = this.world;
    if (!node.process.isAlive) return;
    if (kind) timeline.faults.add(kind);
    watcher.killed(node.process);
    const { identity } = node.process;
    node.process.kill();
    // The server notices soon that the connection has ended.
    timeline.after(timeline.random.delay(2, { worstMs: 3_000, rarity: 4 }), () => this.world.tables.locks.delete(identity));
    for (const group of Object.values(groups)) group.died();
    timeline.after(timeline.random.delay(2_000, { worstMs: 60_000, rarity: 4 }), () => {
      if (!node.process.isAlive) node.start();
    });
  }

  /** A proxy, or a person, ends the connection of a dispatcher that lives. */
  private endSession(node: DispatcherNode): void {
    const { timeline, tables, watcher, swarm } = this.world;
    const { process } = node;
    if (!process.isAlive || !tables.locks.delete(process.identity)) return;
    timeline.faults.add('life session ended');
    watcher.sessionEnded(process.identity);
    if (timeline.random.chance(swarm.sessionEndsHeard)) process.arrives(1, () => node.hearsThatSessionEnded());
  }

  /** A server that goes takes every session along. */
  private endSessions(): void {
    const { tables, watcher, dispatchers } = this.world;
    tables.locks.clear();
    watcher.serverEnded();
    for (const node of dispatchers) if (node.process.isAlive) node.process.arrives(1, () => node.hearsThatSessionEnded());
  }

  private pause(process: SimProcess, kind: FaultKind): void {
    if (process.isAlive && !process.isPaused) this.world.timeline.faults.add(kind);
    process.pause(this.world.timeline.random.between(10, this.world.swarm.pauseMs));
  }

  /** It ends by itself, whatever happens to the dispatchers. */
  private pauseEndpoint(): void {
    const { tables, timeline, swarm, mutation } = this.world;
    const { origin } = timeline.random.pick(merchants);
    const pauseMs = timeline.random.between(500, swarm.pauseEndpointMs);
    if (origin !== null) tables.pauses.set(origin, mutation === 'NO_PAUSE_END' ? Infinity : timeline.nowMs + pauseMs);
  }

  private outage(server: SimServer): void {
    const { timeline, swarm } = this.world;
    server.isDown = true;
    if (server === this.world.servers.dispatcher) this.endSessions();
    timeline.faults.add(`${server.name} down`);
    timeline.trace(`${server.name} is down`);
    timeline.after(timeline.random.between(100, swarm.outageMs), () => {
      server.isDown = false;
      timeline.trace(`${server.name} is back`);
    });
  }
}

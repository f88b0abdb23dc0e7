import type { SimServer } from './engine/network.ts';
import type { SimProcess } from './engine/sim-process.ts';
import type { World } from './world/world.ts';

/** Plans what goes wrong and when, and the payments that come meanwhile. */
export class Faults {
  constructor(private readonly world: World) {}

  schedule(): void {
    const { swarm, timeline, servers } = this.world;
    for (let payment = 0; payment < swarm.payments; payment++)
      timeline.at(timeline.random.between(0, swarm.faultsMs), () => this.pay());
    this.often(swarm.killDispatcherRate, () => this.kill(timeline.random.pick(this.world.dispatchers)));
    this.often(swarm.killSchedulerRate, () => this.kill(timeline.random.pick(this.world.schedulers)));
    this.often(swarm.pauseDispatcherRate, () => this.pause(timeline.random.pick(this.world.dispatchers).process));
    this.often(swarm.pauseSchedulerRate, () => this.pause(timeline.random.pick(this.world.schedulers).process));
    this.often(swarm.dispatcherDatabaseOutageRate, () => this.outage(servers.dispatcher));
    this.often(swarm.schedulerDatabaseOutageRate, () => this.outage(servers.scheduler));
    this.often(swarm.configOutageRate, () => this.outage(servers.config));
    this.often(swarm.kafkaOutageRate, () => this.outage(servers.kafka));
    this.often(swarm.rebalanceRate, () => this.world.groups.terminal.rebalance());
    this.often(swarm.renewKeyRate, () => this.world.config.renewKey(timeline.random.integer(1, 4)));
    // No decision may read a wall clock, so stepping it may change nothing (T2).
    this.often(0.05, () => (this.world.wallSkewMs = timeline.random.between(-3_600_000, 3_600_000)));
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
    node.process.arrives(1, () => {
      node.recover(transactionId).then(
        json => json?.includes('"status":"SUCCESS"') && watcher.pulled(transactionId),
        // A 503: the merchant calls again, or not.
        () => timeline.trace(`getNotification ${transactionId} failed`),
      );
    });
  }

  private kill(node: { process: SimProcess; start(): void }): void {
    const { timeline, watcher, groups } = this.world;
    if (!node.process.isAlive) return;
    watcher.killed(node.process);
    node.process.kill();
    for (const group of Object.values(groups)) group.died();
    timeline.after(timeline.random.delay(2_000, { worstMs: 60_000, rarity: 4 }), () => {
      if (!node.process.isAlive) node.start();
    });
  }

  private pause(process: SimProcess): void {
    process.pause(this.world.timeline.random.between(10, this.world.swarm.pauseMs));
  }

  private outage(server: SimServer): void {
    const { timeline, swarm } = this.world;
    server.isDown = true;
    timeline.trace(`${server.name} is down`);
    timeline.after(timeline.random.between(100, swarm.outageMs), () => {
      server.isDown = false;
      timeline.trace(`${server.name} is back`);
    });
  }
}

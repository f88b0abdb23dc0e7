import type { PaymentCore } from './payment-core.ts';
import { coldMerchant, sharedOrigin } from './receivers.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** After the faults, when every process runs again and owns its shards. */
const calmMs = 180_000;
/** Their handshakes take the receiver longer than a connection may take. */
const coldPayments = 60;
const coldSettledWithinMs = 600_000;
/** With a shorter time for the first POST, a payment may be closed before it was tried. */
const coldDispatchWindowMsMin = 800_000;

/** Dispatchers without a connection get many payments of one merchant at once. The merchant acknowledges each that it gets, so none may be reversed (P-T8, P-T13). */
export class ColdFleet {
  private pending = 0;

  constructor(private readonly world: SimulatedWorld & { readonly core: PaymentCore }) {}

  get isOver(): boolean {
    return this.pending === 0;
  }

  /** In every fourth seed. */
  schedule(): void {
    const { timeline, swarm } = this.world;
    if (timeline.seed % 4 !== 2 || swarm.dispatchWindowMs < coldDispatchWindowMsMin) return;
    this.pending = coldPayments;
    timeline.after(calmMs, () => {
      timeline.faults.add('fleet cold');
      for (let n = 0; n < coldPayments; n++) this.pay();
    });
  }

  private pay(): void {
    const { timeline, core, watcher } = this.world;
    const transactionId = core.payTo(coldMerchant.merchantId);
    timeline.after(coldSettledWithinMs, () => {
      this.pending--;
      const [decision = 'open'] = watcher.ghost(transactionId).decisions;
      if (decision !== 'SETTLED')
        watcher.fail('P-T8', transactionId, `${decision} although its merchant acknowledges, by a cold fleet`);
    });
  }
}

/** More than the slots of an origin, on both dispatchers. */
const silentPayments = 80;
const neighbourPayments = 10;
const everyMs = 20_000;
/** A payment whose merchant answers at once is settled by then. */
const settledWithinMs = 60_000;
/** With a shorter time for the first POST, a payment may be closed before it was tried. */
const dispatchWindowMsMin = 100_000;

/** Two merchants at one origin: the path of one never answers, and gets many payments; the other one answers at once (P-I12). */
export class SilentNeighbour {
  private pending = 0;

  constructor(private readonly world: SimulatedWorld & { readonly core: PaymentCore }) {}

  get isOver(): boolean {
    return this.pending === 0;
  }

  /** In every fourth seed. */
  schedule(): void {
    const { timeline, swarm, core } = this.world;
    if (timeline.seed % 4 !== 0 || swarm.dispatchWindowMs < dispatchWindowMsMin) return;
    timeline.after(calmMs, () => {
      timeline.faults.add('neighbour silent');
      for (let n = 0; n < silentPayments; n++) core.payTo(sharedOrigin.silent.merchantId);
    });
    for (let n = 1; n <= neighbourPayments; n++) {
      this.pending++;
      timeline.after(calmMs + n * everyMs, () => this.payNeighbour());
    }
  }

  private payNeighbour(): void {
    const { timeline, core, watcher } = this.world;
    const transactionId = core.payTo(sharedOrigin.neighbour.merchantId);
    timeline.after(settledWithinMs, () => {
      this.pending--;
      if (watcher.ghost(transactionId).decisions[0] !== 'SETTLED')
        watcher.fail(
          'P-I12',
          transactionId,
          `not settled in ${settledWithinMs / 1_000} s beside a merchant that hangs at its origin`,
        );
    });
  }
}

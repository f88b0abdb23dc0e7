import { coldMerchant } from './receivers.ts';
import type { PaymentCore } from './payment-core.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** After the faults, when every process runs again and owns its shards. */
const calmMs = 180_000;
/** Their handshakes take the receiver longer than a connection may take. */
const payments = 60;
const settledWithinMs = 600_000;
/** With a shorter time for the first POST, a payment may be closed before it was tried. */
const dispatchWindowMsMin = 800_000;

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
    if (timeline.seed % 4 !== 2 || swarm.dispatchWindowMs < dispatchWindowMsMin) return;
    this.pending = payments;
    timeline.after(calmMs, () => {
      timeline.faults.add('fleet cold');
      for (let n = 0; n < payments; n++) this.pay();
    });
  }

  private pay(): void {
    const { timeline, core, watcher } = this.world;
    const transactionId = core.payTo(coldMerchant.merchantId);
    timeline.after(settledWithinMs, () => {
      this.pending--;
      const [decision = 'open'] = watcher.ghost(transactionId).decisions;
      if (decision !== 'SETTLED')
        watcher.fail('P-T8', transactionId, `${decision} although its merchant acknowledges, by a cold fleet`);
    });
  }
}

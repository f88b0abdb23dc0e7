import type { Play } from '../play.ts';
import { answersAfter } from '../shops.ts';

/** Longer than a merchant may take: its payments are reversed. */
const tooLateS = 50;
/** The autoscaler's trigger for a minute: it would start replicas that do not help. */
const scalesOut = 'min_over_time(paycode_webhook_dispatcher_oldest_unattempted_age_seconds[1m]) > 5';

/** An eighth of all payments is reversed, all day: nobody can mend it but the merchant. */
const slowMerchant: Play = {
  name: 'slow-merchant',
  what: `one of eight merchants answers after ${tooLateS} s`,
  expected: { must: [] },
  heldMin: 12,
  seen: 'paycode_webhook_dispatcher_merchants_failing == 1 and on () sum(rate(paycode_reversal_scheduler_decisions_total{decision="REVERSED"}[2m])) > 0.05',
  never: scalesOut,
  begin: ({ shops, over }) => answersAfter(shops[0]!, tooLateS, over.signal),
};

const receiversAway: Play = {
  name: 'receivers-away',
  what: 'all merchants refuse connections, as behind a broken outgoing network',
  expected: { must: ['PaymentsReversedInMass', 'MerchantsFailTogether'] },
  heldMin: 12,
  seen: 'paycode_webhook_dispatcher_merchants_failing >= 8',
  never: scalesOut,
  begin: async ({ shops }) => {
    await Promise.all(shops.map(({ receiver }) => receiver.stop()));
  },
};

/** Four for each of the eight merchants. One may have a quarter of them, eight, and in fair shares it has four: what waits, waits for the process. */
const slots = 32;

/** More comes than goes. All answer in time, so no cap sinks, and each would have slots left if the process had: another replica would help. */
const backlog: Play = {
  name: 'backlog',
  what: `four payments a second come, and the dispatcher has slots for one (SOCKETS_MAX=${slots}, answers after 30 s)`,
  expected: { must: ['DeliveriesDelayed'] },
  heldMin: 7,
  seen: `paycode_webhook_dispatcher_deliveries_in_flight >= ${slots} and on () (${scalesOut})`,
  prepare: () =>
    Promise.resolve({ settings: { SOCKETS_MAX: String(slots) }, fail: () => undefined, close: () => Promise.resolve() }),
  begin: ({ shops, traffic, over }) => {
    for (const shop of shops) answersAfter(shop, 30, over.signal);
    traffic.perS = 4;
  },
};

export const receiverPlays: readonly Play[] = [slowMerchant, receiversAway, backlog];

import type { Play } from '../play.ts';
import { answersAfter } from '../shops.ts';

/** Longer than a merchant may take: its payments are reversed. */
const tooLateS = 50;

/** An eighth of all payments is reversed, all day: nobody can mend it but the merchant. */
const slowMerchant: Play = {
  name: 'slow-merchant',
  what: `one of eight merchants answers after ${tooLateS} s`,
  expected: { must: [] },
  heldMin: 12,
  seen: 'paycode_webhook_dispatcher_merchants_failing == 1 and on () sum(rate(paycode_reversal_scheduler_decisions_total{decision="REVERSED"}[2m])) > 0.05',
  begin: ({ shops, over }) => answersAfter(shops[0]!, tooLateS, over.signal),
};

const receiversAway: Play = {
  name: 'receivers-away',
  what: 'all merchants refuse connections, as behind a broken outgoing network',
  expected: { must: ['PaymentsReversedInMass', 'MerchantsFailTogether'] },
  heldMin: 12,
  seen: 'paycode_webhook_dispatcher_merchants_failing >= 8',
  begin: async ({ shops }) => {
    await Promise.all(shops.map(({ receiver }) => receiver.stop()));
  },
};

/** More comes than goes: an endpoint always has four slots, all eight answer after half a minute, and four payments come in a second. */
const backlog: Play = {
  name: 'backlog',
  what: 'four payments a second come, and the dispatcher has slots for one (SOCKETS_MAX=8, answers after 30 s)',
  expected: { must: ['DeliveriesDelayed'] },
  heldMin: 7,
  seen: 'paycode_webhook_dispatcher_deliveries_waiting > 20',
  prepare: () => Promise.resolve({ settings: { SOCKETS_MAX: '8' }, fail: () => undefined, close: () => Promise.resolve() }),
  begin: ({ shops, traffic, over }) => {
    for (const shop of shops) answersAfter(shop, 30, over.signal);
    traffic.perS = 4;
  },
};

export const receiverPlays: readonly Play[] = [slowMerchant, receiversAway, backlog];

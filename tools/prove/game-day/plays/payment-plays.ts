import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Play } from '../run-play.ts';
import { answersAfter } from '../shops.ts';
import type { Stage } from '../stage.ts';

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

const topic = 'paycode.transaction.terminal.v1';

const deadLetter: Play = {
  name: 'dead-letter',
  what: 'one event of a completed payment that no consumer can read',
  expected: { must: ['EventRefused', 'EventsParked'] },
  heldMin: 5,
  seen: 'sum(paycode_events_parked_total) > 0',
  begin: putUnreadableEvent,
};

/** One record of its own segment, as the log appends it. */
const appendEvent = `
  with moved as (
    update event_topic set next_position = next_position + 1 where name = $1 returning id, next_position - 1 as first_position
  )
  insert into event_segment (topic_id, first_position, records, bytes, published_at, ce_type, ce_source, headers, payloads)
  select id, first_position, 1, 100, clock_timestamp(), 'TransactionTerminal', 'payment-simulator', $2, $3 from moved
  returning pg_notify('paycode_events_' || topic_id, '')`;

async function putUnreadableEvent({ home }: Stage): Promise<void> {
  const client = new Client({
    connectionString: readFileSync(join(home, 'secrets/event-log-url-payment-simulator'), 'utf8').trim(),
  });
  await client.connect();
  try {
    const header = [0, 'game-day', 'game-day', new Date().toISOString()];
    const { rowCount } = await client.query(appendEvent, [topic, JSON.stringify([header]), '{"transactionId":"none"}']);
    if (rowCount !== 1) throw new Error(`the event log has no topic ${topic}`);
  } finally {
    await client.end();
  }
}

/** Debian package `libfaketime`: shifts the wall clock of one process and leaves the monotonic one. */
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Tokens of calls between services carry the time: behind by an hour, all of its calls are refused. Ahead, they are taken. */
const clockStep: Play = {
  name: 'clock-step',
  what: "the dispatcher's clock steps back by an hour",
  // Acknowledgements of that moment carry the wrong hour.
  expected: { must: ['ClockDiffers', 'DeliveriesHeldBack', 'DeliveriesDelayed'], may: ['SettlementBudgetBurnsFast'] },
  heldMin: 10,
  seen: `paycode_service_runtime_clock_timestamp_seconds{service="webhook-dispatcher"} - time() < -3500`,
  ready: async stage => {
    if (!existsSync(library)) throw new Error('libfaketime is not installed (Debian package libfaketime)');
    stepClock(stage, '+0');
    await stage.restartService('webhook-dispatcher', {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clockOf(stage),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
  },
  begin: stage => stepClock(stage, '-1h'),
};

const clockOf = ({ home }: Stage) => join(home, 'clock');

function stepClock(stage: Stage, offset: string): void {
  writeFileSync(clockOf(stage), `${offset}\n`);
}

export const dataPlays: readonly Play[] = [deadLetter, clockStep];

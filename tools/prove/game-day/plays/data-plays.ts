import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Play } from '../play.ts';
import type { Stage } from '../stage.ts';
import { eventLogSql } from '../../../../libs/events/src/postgres/event-log.sql.ts';

const topic = 'paycode.transaction.terminal.v1';

const deadLetter: Play = {
  name: 'dead-letter',
  what: 'one event of a completed payment that no consumer can read',
  expected: { must: ['EventRefused', 'EventsParked'] },
  heldMin: 5,
  seen: 'sum(paycode_events_parked_total) > 0',
  begin: putUnreadableEvent,
};

async function putUnreadableEvent({ home }: Stage): Promise<void> {
  const client = new Client({
    connectionString: readFileSync(join(home, 'secrets/event-log-url-payment-simulator'), 'utf8').trim(),
  });
  await client.connect();
  try {
    const found = await client.query<{ id: number }>(eventLogSql.findTopic, [topic]);
    const header = [0, 'game-day', 'game-day', new Date().toISOString()];
    const payload = Buffer.from('{"transactionId":"none"}');
    const columns = [found.rows[0]!.id, 1, 100, 'TransactionTerminal', 'payment-simulator', JSON.stringify([header])];
    await client.query(eventLogSql.append, [...columns.map(value => [value]), payload, [1], [payload.length]]);
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

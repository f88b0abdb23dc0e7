import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';
import { StartedProcess } from '../testing/own-platform.ts';
import type { Play, Surroundings } from './run-play.ts';
import { answersAfter, customerAddress, triedAgain } from './shops.ts';
import type { Stage } from './stage.ts';

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
  settings: { SOCKETS_MAX: String(slots) },
  begin: ({ shops, traffic, over }) => {
    for (const shop of shops) answersAfter(shop, 30, over.signal);
    traffic.perS = 4;
  },
};

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

const root = join(import.meta.dirname, '../../..');
const runFile = join(root, '.paycode/kafka/run.json');

/** `npm run kafka` on a free port, for one play. */
async function startBroker(): Promise<Surroundings & { fail(): void }> {
  const env = { ...process.env, KAFKA_PORT: String(await freePort()) };
  const args = ['tools/run.cjs', 'run/kafka', 'start', '--fresh'];
  const [broker, [, brokers]] = await StartedProcess.start({ args, env, ready: /^KAFKA_BROKERS=(\S+)$/m });
  const { pids } = JSON.parse(readFileSync(runFile, 'utf8')) as { pids: number[] };
  return {
    settings: { EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: brokers! },
    fail: () => pids.forEach(pid => process.kill(pid, 'SIGKILL')),
    close: () => broker.stop(),
  };
}

/** The dispatcher cannot arm, so it sends nothing; what was acknowledged at that moment is settled late. */
const serviceGone: Play = {
  name: 'service-gone',
  what: 'the reversal-scheduler is killed and nobody starts it again',
  expected: { must: ['ServiceDown', 'DeliveriesHeldBack', 'DeliveriesDelayed'], may: ['SettlementBudgetBurnsFast'] },
  heldMin: 10,
  seen: 'up{service="reversal-scheduler"} == 0',
  begin: stage => stage.killService('reversal-scheduler'),
};

const brokerAway = (): Play => {
  let broker: Awaited<ReturnType<typeof startBroker>> | undefined;
  return {
    name: 'broker-away',
    what: 'the only broker of a real Kafka is killed',
    // A payment that was acknowledged at that moment is settled by its timer.
    expected: { must: ['OutboxStuck'], may: ['SettlementBudgetBurnsFast'] },
    heldMin: 9,
    seen: 'paycode_events_outbox_depth{service="payment-simulator"} > 20',
    prepare: async () => (broker = await startBroker()),
    begin: () => broker?.fail(),
  };
};

/** Which deliveries are in flight at that moment is chance, and so is what follows from them. */
const databaseAway: Play = {
  name: 'database-away',
  what: 'PostgreSQL is killed and nobody starts it again: the databases of all services, and here the event log too',
  expected: {
    must: ['DatabaseSilent', 'GatewayBudgetBurnsFast'],
    may: [
      'VerdictsNotDurable',
      'DeliveriesHeldBack',
      'DeliveriesDelayed',
      'DecisionsLate',
      'DecisionBudgetBurnsFast',
      'SettlementBudgetBurnsFast',
    ],
  },
  heldMin: 9,
  seen: 'sum(rate(paycode_api_gateway_requests_failed_total[1m])) > 0',
  begin: stage => stage.killDatabase(),
};

/** The gateway refuses what the platform cannot take. Every payment that it takes is delivered in time, so none is reversed. */
const overload: Play = {
  name: 'overload',
  what: 'a thousand customers come each second, many times what the platform can take',
  expected: { must: ['GatewayBudgetBurnsFast'], may: ['DeliveriesDelayed'] },
  heldMin: 7,
  seen: 'sum(rate(paycode_api_gateway_requests_failed_total[1m])) > 10',
  // The value as it is now: a range would reach back into the history, where some payments are reversed.
  never: 'sum(paycode_reversal_scheduler_decisions_total{decision="REVERSED"}) > 0',
  // Each customer has an address of its own, as behind a proxy, so that no limit of one address refuses them.
  settings: { TRUSTED_PROXIES: '127.0.0.1,::1' },
  begin: ({ traffic, connection }) => {
    connection.clientAddress = customerAddress;
    traffic.perS = 1_000;
    traffic.waitingMax = 3_000;
  },
};

/** More than the hundred that raise the alert. */
const guesses = 150;
/** An address may guess one account so often before it must wait (`guessesMax` of auth-session). */
const guessesPerAddress = 5;
const guessingAttack: Play = {
  name: 'guessing-attack',
  what: `${guesses} wrong passwords for one account, from ${guesses / guessesPerAddress} addresses`,
  expected: { must: ['GuessingAttack'] },
  heldMin: 5,
  seen: 'sum(paycode_auth_session_failures_total) >= 100',
  begin: async stage => {
    for (let each = 0; each < guesses; each++) await triedAgain(() => guess(stage, each));
  },
};

async function guess({ connection }: Stage, each: number): Promise<void> {
  const { baseUrl, caFile } = connection.standalone;
  const { username } = connection.account('psp-1');
  const address = `127.0.8.${1 + Math.floor(each / guessesPerAddress)}`;
  await new Promise<void>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: new URL(baseUrl).port,
      servername: 'localhost',
      ca: readFileSync(caFile),
      localAddress: address,
      path: '/portal/restful/merchant/notification/1001',
      headers: { authorization: `Basic ${Buffer.from(`${username}:wrong-${each}`).toString('base64')}` },
      agent: false as const,
    };
    request(options, response => response.resume().once('end', () => resolve()))
      .once('error', reject)
      .end();
  });
}

const certificateEnds: Play = {
  name: 'certificate-ends',
  what: "the gateway's certificate is replaced by one that ends in a day",
  expected: { must: ['CertificateEndsSoon'] },
  pending: ['CertificateEnds'],
  heldMin: 8,
  seen: 'paycode_api_gateway_certificate_not_after_timestamp_seconds - time() < 86400',
  begin: ({ home }) => putShortCertificate(join(home, 'tls')),
};

/** Signed by the platform's own authority, so that clients go on; valid for a day. */
function putShortCertificate(folder: string): void {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  writeFileSync(at('short.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n', { mode: 0o600 });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('short.key')];
  openssl('req', '-new', ...key, '-subj', '/CN=localhost', '-out', at('short.csr'));
  const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('short.ext')];
  openssl('x509', '-req', '-in', at('short.csr'), ...authority, '-days', '1', '-out', at('short.pem'));
  renameSync(at('short.key'), at('server.key'));
  renameSync(at('short.pem'), at('server.pem'));
}

export const plays: readonly Play[] = [
  ...[slowMerchant, receiversAway, backlog],
  ...[serviceGone, brokerAway(), databaseAway, overload],
  ...[deadLetter, clockStep, guessingAttack, certificateEnds],
];

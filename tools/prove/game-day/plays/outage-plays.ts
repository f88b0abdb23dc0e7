import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../libs/persistence/src/embedded/embedded-postgres.ts';
import { StartedProcess } from '../../testing/own-platform.ts';
import type { Play, Surroundings } from '../run-play.ts';

const root = join(import.meta.dirname, '../../../..');
const runFile = join(root, '.paycode/kafka/run.json');

/** `npm run kafka` on a free port, for one play. */
async function startBroker(): Promise<Surroundings> {
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
  prepare: () =>
    Promise.resolve({
      settings: { ADDRESS_RATE_PER_S: '0', CREDENTIAL_RATE_PER_S: '0', ADDRESS_CONNECTIONS_MAX: '10000' },
      fail: () => undefined,
      close: () => Promise.resolve(),
    }),
  begin: ({ traffic }) => {
    traffic.perS = 1_000;
    traffic.waitingMax = 3_000;
  },
};

export const outagePlays: readonly Play[] = [serviceGone, brokerAway(), databaseAway, overload];

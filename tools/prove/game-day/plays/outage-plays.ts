import type { Play } from '../play.ts';
import { startBroker } from './broker.ts';

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

export const outagePlays: readonly Play[] = [serviceGone, brokerAway(), databaseAway];

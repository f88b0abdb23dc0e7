export {
  DeliveryMetrics,
  type DeliveryReport,
  DeliveryStore,
  type DeliveryToInsert,
  type InsertedDelivery,
  type ShardCursor,
  type ParkedStep,
  type StoredDelivery,
} from './deliveries.ports';
export { type AttemptRules, isTooOld, mayHaveBeenSent } from './domain/attempt-rules';
export {
  armed,
  type AttemptOutcome,
  claimed,
  type Delivery,
  deliveryFromEvent,
  deliveryFromRepeat,
  deliveryFromRow,
  isBegun,
  nextAttempt,
  type NewDelivery,
  type Unanswered,
  type Verdict,
} from './domain/delivery';
export { PostgresDeliveryStore } from './persistence/postgres-delivery.store';

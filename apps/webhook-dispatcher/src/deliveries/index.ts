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
export { type AttemptOutcome, type Delivery, deliveryFrom, type NewDelivery, type Verdict } from './domain/delivery';
export { PostgresDeliveryStore } from './persistence/postgres-delivery.store';

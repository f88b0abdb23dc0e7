export * from './access/error-catalogue';
export * from './access/identity';
export * from './access/request-limits';
export * from './events/ack-received.event';
export type { EventData, EventDefinition, TopicConsumer, TopicDefinition } from './events/define-event';
export * from './events/cell-names';
export * from './events/events';
export * from './events/reversal-requested.event';
export * from './events/transaction-terminal.event';
export * from './internal/alerts';
export * from './internal/cell-answers';
export * from './internal/cells';
export * from './internal/dead-letters';
export * from './internal/deliveries';
export * from './internal/endpoints';
export * from './internal/erasures';
export * from './internal/portal';
export * from './internal/portal-sandbox';
export * from './internal/receiver-credential';
export * from './internal/reversals';
export * from './internal/routes';
export { WithoutCardNumber } from './notification/card-number';
export * from './notification/notification-json';
export * from './notification/notification-status';
export * from './notification/currency';
export * from './notification/payload-versions';
export type {
  BankResponse,
  CardInfo,
  ClientContact,
  TransactionNotificationV3,
} from './notification/transaction-notification-v3';
export * from './notification/without-payer';
export { publishedContracts } from './published-contracts';
export * from './sandbox/scenarios';
export { isInstant, type JsonSchema, type ParseResult } from './schema/contract.ts';
export * from './schema/ids';

export * from './event-transport';
export * from './postgres/postgres-event-transport';
export * from './record/cloud-event';
export * from './record/partitioning';
export * from './create-event-transport';
export * from './events-env';
export * from './nest/events-server';
export * from './outbox/outbox-relay';
export {
  createOutboxTable,
  eventColumns,
  insertBesideOutbox,
  insertOutbox,
  linesOfEvents,
  outboxColumns,
  outboxEvent,
  type OutboxEvent,
  type OutboxExecutor,
} from './outbox/outbox-rows';
export * from './nest/messaging.module';
export { createDeadLetterTable } from './dead-letters/dead-letter.store';
export { DeadLettersModule } from './dead-letters/dead-letters.module';
export { DeadLettersService } from './dead-letters/dead-letters.service';

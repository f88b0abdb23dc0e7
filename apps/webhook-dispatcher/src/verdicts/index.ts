export { CloseDeliveries } from './close-deliveries.service';
export { type Concluded, ConcludeDelivery } from './conclude-delivery.service';
export { outcomeClass } from './domain/verdict-of';
export { PostgresVerdictStore } from './persistence/postgres-verdict.store';
export { RecordVerdict } from './record-verdict.service';
export { SettleReversals } from './settle-reversals.service';
export { TracedVerdictStore } from './tracing/traced-verdict.store';
export { VerdictStore } from './verdicts.ports';

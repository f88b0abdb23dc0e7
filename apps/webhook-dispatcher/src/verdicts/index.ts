export { CloseDeliveries } from './close-deliveries';
export { type Concluded, ConcludeDelivery } from './conclude-delivery';
export { outcomeClass } from './domain/verdict-of';
export { PostgresVerdictStore } from './persistence/postgres-verdict.store';
export { RecordVerdict } from './record-verdict';
export { SettleReversals } from './settle-reversals';
export { TracedVerdictStore } from './tracing/traced-verdict.store';
export { VerdictStore } from './verdicts.ports';

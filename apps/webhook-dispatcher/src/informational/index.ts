export { InformationalStore } from './informational.ports';
export { PostgresInformationalStore } from './persistence/postgres-informational.store';
export { RedeliverInformational } from './redeliver-informational';
export { RepeatInformational } from './repeat-informational';

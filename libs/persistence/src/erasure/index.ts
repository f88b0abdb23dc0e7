export { createErasureTable } from './erasure-table.sql';
export { ErasureModule } from './erasure.module';
export type { NotificationSource } from './persistence/postgres-notification.store';

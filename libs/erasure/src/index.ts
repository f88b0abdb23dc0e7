export { createErasureTable } from './create-erasure-table';
export { ErasureModule } from './erasure.module';
export type { NotificationSource } from './persistence/postgres-notification.store';

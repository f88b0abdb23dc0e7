export { createErasureTable } from './erasure-table.sql';
export { ErasureModule } from './erasure.module';
export type { NotificationSource } from './persistence/notification.sql';

export { ErasureModule } from './erasure.module';
export { createErasureTable, type NotificationSource } from './notification.store';

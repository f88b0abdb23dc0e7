export { NotificationsModule } from './notifications.module';
export { HttpNotificationEntity } from './persistence/http-notification.entity';
export { RecipientEntity } from './persistence/recipient.entity';

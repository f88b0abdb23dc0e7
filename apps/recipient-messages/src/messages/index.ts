export { type MessagesOptions, MessagesModule } from './messages.module';

export { RecipientMessagesModule } from './recipient-messages.module';

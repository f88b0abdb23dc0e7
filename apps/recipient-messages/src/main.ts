import { bootService } from '@paycode/service-runtime';
import { recipientMessagesDefinition } from './app.module';

export const service = bootService(recipientMessagesDefinition);

import { bootService } from '@paycode/service-runtime';
import { recipientMessagesDefinition } from './recipient-messages.definition';

export const service = bootService(recipientMessagesDefinition);

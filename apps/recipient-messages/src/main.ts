import { bootService } from '@paycode/service-runtime';
import { recipientMessagesDefinition } from './recipient-messages.definition';

void bootService(recipientMessagesDefinition);

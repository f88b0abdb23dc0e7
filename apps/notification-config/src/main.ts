import { bootService } from '@paycode/service-runtime';
import { notificationConfigDefinition } from './notification-config.definition';

void bootService(notificationConfigDefinition);

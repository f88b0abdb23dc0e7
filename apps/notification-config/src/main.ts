import { bootService } from '@paycode/service-runtime';
import { notificationConfigDefinition } from './notification-config.definition';

export const service = bootService(notificationConfigDefinition);

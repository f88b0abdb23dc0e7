import { bootService } from '@paycode/service-runtime';
import { notificationConfigDefinition } from './app.module';

export const service = bootService(notificationConfigDefinition);

import { bootService } from '@paycode/service-runtime';
import { schedulerDefinition } from './app.module';

export const service = bootService(schedulerDefinition);

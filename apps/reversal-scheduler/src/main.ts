import { bootService } from '@paycode/service-runtime';
import { schedulerDefinition } from './scheduler.definition';

export const service = bootService(schedulerDefinition);

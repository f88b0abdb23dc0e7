import { bootService } from '@paycode/service-runtime';
import { schedulerDefinition } from './scheduler.definition';

void bootService(schedulerDefinition);

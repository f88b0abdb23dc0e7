import { bootService } from '@paycode/service-runtime';
import { dispatcherDefinition } from './dispatcher.definition';

export const service = bootService(dispatcherDefinition);

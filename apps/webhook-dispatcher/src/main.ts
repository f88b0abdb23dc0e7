import { bootService } from '@paycode/service-runtime';
import { dispatcherDefinition } from './app.module';

export const service = bootService(dispatcherDefinition);

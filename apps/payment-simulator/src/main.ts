import { bootService } from '@paycode/service-runtime';
import { simulatorDefinition } from './app.module';

export const service = bootService(simulatorDefinition);

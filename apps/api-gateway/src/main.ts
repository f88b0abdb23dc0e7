import { bootService } from '@paycode/service-runtime';
import { gatewayDefinition } from './app.module';

export const service = bootService(gatewayDefinition);

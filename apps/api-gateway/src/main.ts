import { bootService } from '@paycode/service-runtime';
import { gatewayDefinition } from './gateway.definition';

export const service = bootService(gatewayDefinition);

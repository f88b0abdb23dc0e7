import { bootService } from '@paycode/service-runtime';
import { gatewayDefinition } from './gateway.definition';

void bootService(gatewayDefinition);

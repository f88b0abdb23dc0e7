import { bootService } from '@paycode/service-runtime';
import { portalDefinition } from './portal.definition';

void bootService(portalDefinition);

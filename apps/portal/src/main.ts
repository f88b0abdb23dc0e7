import { bootService } from '@paycode/service-runtime';
import { portalDefinition } from './portal.definition';

export const service = bootService(portalDefinition);

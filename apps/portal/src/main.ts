import { bootService } from '@paycode/service-runtime';
import { portalDefinition } from './app.module';

export const service = bootService(portalDefinition);

import { bootService } from '@paycode/service-runtime';
import { simulatorDefinition } from './simulator.definition';

export const service = bootService(simulatorDefinition);

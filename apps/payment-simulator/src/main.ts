import { bootService } from '@paycode/service-runtime';
import { simulatorDefinition } from './simulator.definition';

void bootService(simulatorDefinition);

import { bootService } from '@paycode/service-runtime';
import { dispatcherDefinition } from './dispatcher.definition';

void bootService(dispatcherDefinition);

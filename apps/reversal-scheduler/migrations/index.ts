import { CreateReversals1760000000000 } from './1760000000000-create-reversals';
import { Heartbeats1787000000000 } from './1787000000000-heartbeats';

/** In order of application. */
export const migrations = [CreateReversals1760000000000, Heartbeats1787000000000];

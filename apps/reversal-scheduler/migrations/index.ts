import { CreateReversals1760000000000 } from './1760000000000-create-reversals';

/** In order of application. */
export const migrations = [CreateReversals1760000000000];

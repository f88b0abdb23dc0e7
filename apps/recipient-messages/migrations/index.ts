import { CreateSchema1820000000000 } from './1820000000000-create-schema';

/** In order of application. */
export const migrations = [CreateSchema1820000000000];

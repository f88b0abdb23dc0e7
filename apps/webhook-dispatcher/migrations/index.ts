import { CreateSchema1820000000000 } from './1820000000000-create-schema';
import { TakeRangesOfOffsets1821000000000 } from './1821000000000-take-ranges-of-offsets';

/** In order of application. */
export const migrations = [CreateSchema1820000000000, TakeRangesOfOffsets1821000000000];
